/// How text of the configuration is shown in a message: escaped, and only when it is short.
enum DisplayText {
    /// Longer values are not shown: they tell little, and one may be a secret pasted by mistake.
    private static let maxShown = 40

    /// A value in quotation marks, or its length when it is long.
    ///
    /// - Parameter value: The text as it was configured.
    /// - Returns: For example `"10 s"` or `a string of 300 characters`.
    static func value(_ value: String) -> String {
        let length = value.unicodeScalars.count
        return length > maxShown ? "a string of \(length) characters" : "\"\(escaped(value))\""
    }

    /// A key in quotation marks, its end cut off when it is long.
    ///
    /// - Parameter key: The key as it was written.
    /// - Returns: For example `"endpont"`.
    static func key(_ key: String) -> String {
        "\"\(word(key))\""
    }

    /// A key or section name, its end cut off when it is long.
    ///
    /// - Parameter word: The name as it was written.
    /// - Returns: The name, escaped.
    static func word(_ word: String) -> String {
        let scalars = word.unicodeScalars
        guard scalars.count > maxShown else { return escaped(word) }
        return escaped(String(String.UnicodeScalarView(scalars.prefix(maxShown)))) + "…"
    }

    /// Text in which nothing can steer a terminal: controls, separators and formatting characters
    /// as `\u{XX}`, and quotation marks and backslashes with a backslash before them.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The text on one line.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where isUnprintable(scalar): "\\u{\(hex(scalar))}"
            default: String(scalar)
            }
        }.joined()
    }

    /// A sentence from elsewhere, its unprintable characters escaped and its quotation marks kept.
    ///
    /// - Parameter text: The sentence.
    /// - Returns: The sentence on one line.
    static func oneLine(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            isUnprintable(scalar) ? "\\u{\(hex(scalar))}" : String(scalar)
        }.joined()
    }

    /// A list for a sentence.
    ///
    /// - Parameter words: What is listed.
    /// - Returns: For example `"a", "b" or "c"`.
    static func choice(_ words: [String]) -> String {
        let quoted = words.map { "\"\($0)\"" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }

    /// A number without needless decimals.
    ///
    /// - Parameter number: A finite number.
    /// - Returns: For example `90` or `0.25`.
    static func number(_ number: Double) -> String {
        guard let whole = Int(exactly: number) else { return "\(number)" }
        return "\(whole)"
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            true
        default:
            false
        }
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
    }
}
