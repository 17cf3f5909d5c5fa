/// Text from tags, from the API and from other programs, made harmless for a terminal.
///
/// A terminal obeys control characters, and text direction can be turned so that a line reads as
/// something else. Both are shown as `\u001b`. Joiners stay: scripts and emoji need them.
package enum TerminalText {
    /// Escapes every character that could do something.
    ///
    /// - Parameters:
    ///   - text: Anything.
    ///   - limit: The most characters (Unicode scalars) of the text; what is cut off shows as `…`.
    /// - Returns: The harmless text.
    package static func escape(_ text: some StringProtocol, limit: Int = .max) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count += 1
            guard count <= limit else {
                result.append("…")
                break
            }
            if isHarmless(scalar) {
                result.append(scalar)
            } else {
                result.append(contentsOf: "\\u\(digits(scalar.value))".unicodeScalars)
            }
        }
        return String(result)
    }

    /// One line of JSON that says the same and does nothing to a terminal.
    ///
    /// What must be escaped can stand only inside strings, where JSON's own escapes do it; the
    /// white space between tokens becomes blanks.
    package static func escapeJSON(_ line: [UInt8]) -> [UInt8] {
        var result = String.UnicodeScalarView()
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            if isHarmless(scalar) {
                result.append(scalar)
            } else if scalar.value < 0x20 {
                result.append(" ")
            } else {
                for unit in String(scalar).utf16 {
                    result.append(contentsOf: "\\u\(digits(UInt32(unit)))".unicodeScalars)
                }
            }
        }
        return Array(String(result).utf8)
    }

    /// Whether a terminal only shows it.
    ///
    /// Source: Unicode Standard, section 4.5: Cc, Cf, Zl and Zp are what is not shown itself.
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        case .format: joiners.contains(scalar)
        default: true
        }
    }

    /// ZERO WIDTH NON-JOINER and ZERO WIDTH JOINER.
    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]

    private static func digits(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
