extension TOMLFault {
    /// The fault as the one problem of a configuration.
    ///
    /// - Parameters:
    ///   - source: The whole text.
    ///   - report: Names the file.
    /// - Returns: The error, with a hint where the cause is a common slip.
    func asError(in source: String, _ report: ProblemReport) -> ConfigurationError {
        var report = report
        let hint = SlipHint.hint(for: self, in: source).map { "; \($0)" } ?? ""
        report.add(DisplayText.oneLine(text) + hint, at: place)
        return report.error ?? ConfigurationError(file: report.file, text: text)
    }
}

/// Recognises a string without quotation marks or with typographic ones, and a switch in words.
enum SlipHint {
    private static let switches = ["true", "false", "yes", "no", "on", "off"]
    private static let typographic = "“”„‟«»‘’‚‛‹›"

    /// What was probably meant where a text stopped being TOML.
    ///
    /// - Parameters:
    ///   - fault: The first fault.
    ///   - source: The whole text.
    /// - Returns: A clause for the end of the message; nil when the cause is another.
    static func hint(for fault: TOMLFault, in source: String) -> String? {
        let lines = source.utf8.split(
            separator: UInt8(ascii: "\n"), maxSplits: fault.line, omittingEmptySubsequences: false)
        guard lines.indices.contains(fault.line - 1) else { return nil }
        let line = Substring(lines[fault.line - 1])
        guard let equals = line.firstIndex(of: "="), !fault.text.contains("redefine") else {
            return nil
        }
        let isInValue = line[...equals].unicodeScalars.count < fault.column
        let value = line[equals...].dropFirst().drop { $0 == " " || $0 == "\t" }
        guard isInValue, let first = value.first, !"\"'[{#".contains(first) else { return nil }
        if typographic.contains(first) {
            return "a string needs straight quotation marks, like \"this\""
        }
        if switches.contains(value.prefix { $0.isLetter }.lowercased()) {
            return "a switch is written true or false"
        }
        let looksLikeText = value.prefix { $0 != "#" }.contains { $0.isLetter || "/~".contains($0) }
        return looksLikeText ? "a string needs quotation marks, like \"this\"" : nil
    }
}
