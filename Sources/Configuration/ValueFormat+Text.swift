import Glibc

extension ValueFormat where Value == String {
    /// One line of text.
    ///
    /// - Parameters:
    ///   - noun: What the text is, with its article.
    ///   - label: The same as it stands in the example file.
    ///   - maxLength: The most bytes of UTF-8.
    ///   - example: A value, for messages.
    /// - Returns: The format.
    static func line(
        _ noun: String, label: String = "string", maxLength: Int, example: String
    ) -> ValueFormat {
        ValueFormat(
            label: label,
            read: { node, key, report in
                let wanted = "\(noun) such as \"\(example)\""
                return line(node, key, wanted: wanted, maxLength: maxLength, &report)
            },
            literal: { "\"\($0)\"" })
    }

    /// The path of a file or folder; a relative one starts from the configuration file's folder.
    ///
    /// - Parameter maxLength: The most bytes, the folder included.
    /// - Returns: The format.
    static func path(maxLength: Int = Int(PATH_MAX) - 1) -> ValueFormat {
        ValueFormat(
            label: "path",
            read: { node, key, report in
                let wanted = "a path in quotation marks"
                guard
                    let text = line(node, key, wanted: wanted, maxLength: maxLength, &report)
                else { return nil }
                return resolve(text, node, key, maxLength: maxLength, &report)
            },
            literal: { "\"\($0)\"" })
    }

    /// Reads text that is not empty, has no control characters and is not too long.
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - key: Its key.
    ///   - wanted: What is wanted, with its article.
    ///   - maxLength: The most bytes of UTF-8.
    ///   - report: Where problems are noted.
    /// - Returns: The text; nil when it is refused.
    static func line(
        _ node: TOMLNode, _ key: String, wanted: String, maxLength: Int,
        _ report: inout ProblemReport
    ) -> String? {
        guard node.type == .string, let text = node.text else {
            refuseType(node, key, wanted: wanted, &report)
            return nil
        }
        if text.isEmpty {
            report.add("\"\(key)\" must not be empty", at: node.place)
        } else if let control = text.unicodeScalars.first(where: isControl) {
            let shown = DisplayText.escaped(String(control))
            report.add("\"\(key)\" must not hold control characters (\(shown))", at: node.place)
        } else if text.utf8.count > maxLength {
            report.add(
                "\"\(key)\" must be at most \(maxLength) bytes long, not \(text.utf8.count)",
                at: node.place)
        } else {
            return text
        }
        return nil
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func resolve(
        _ text: String, _ node: TOMLNode, _ key: String, maxLength: Int,
        _ report: inout ProblemReport
    ) -> String? {
        guard !text.hasPrefix("~") else {
            report.add(
                "\"\(key)\" begins with \"~\", which is not expanded; write the whole path",
                at: node.place)
            return nil
        }
        let path = PathText.absolute(text, from: report.directory)
        guard path.utf8.count <= maxLength else {
            report.add(
                "\"\(key)\" must be at most \(maxLength) bytes long, not \(path.utf8.count) "
                    + "with the configuration file's folder", at: node.place)
            return nil
        }
        return path
    }
}

extension ValueFormat where Value == UInt32 {
    /// The permission bits of a file in octal, as text: TOML's own octal numbers begin with `0o`.
    static var fileMode: ValueFormat {
        let noun = "an octal string such as \"0660\""
        return ValueFormat(
            label: "file mode, octal, from \"0000\" to \"0777\"",
            read: { node, key, report in
                guard node.type == .string, let text = node.text else {
                    refuseType(node, key, wanted: noun, &report)
                    return nil
                }
                guard let mode = mode(text) else {
                    report.add(
                        "\"\(key)\" must be from \"0000\" to \"0777\" in octal, not "
                            + DisplayText.value(text), at: node.place)
                    return nil
                }
                return mode
            },
            literal: { "\"\(octal($0))\"" })
    }

    private static func mode(_ text: String) -> UInt32? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "7")
        guard (3...4).contains(text.utf8.count), text.utf8.allSatisfy(digits.contains),
            let mode = UInt32(text, radix: 8), mode <= 0o777
        else { return nil }
        return mode
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// Paths as text.
enum PathText {
    /// The folder of a file.
    ///
    /// - Parameter path: The file's path.
    /// - Returns: Everything before the last slash, `/` for a file of the root; empty without one.
    static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A path that no longer depends on the folder it was written in.
    ///
    /// - Parameters:
    ///   - path: The path as it was written.
    ///   - directory: The folder a relative path starts from; empty for the working directory.
    /// - Returns: The path, with the folder before it when it was relative.
    static func absolute(_ path: String, from directory: String) -> String {
        if path.hasPrefix("/") || directory.isEmpty { return path }
        return directory.hasSuffix("/") ? directory + path : "\(directory)/\(path)"
    }
}
