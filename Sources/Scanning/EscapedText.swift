/// Text from outside in a form that can do nothing to a terminal or a log.
package enum EscapedText {
    /// The text with C0 and C1 control characters written as `\uXXXX`.
    ///
    /// - Parameters:
    ///   - text: The text as received.
    ///   - limit: The most bytes of it that are used; it is cut between characters.
    /// - Returns: The escaped text, which may be longer than the limit.
    package static func withoutControls(_ text: String, limit: Int) -> String {
        var result = ""
        var used = 0
        for scalar in text.unicodeScalars {
            used += UTF8.width(scalar)
            guard used <= limit else { break }
            if scalar.properties.generalCategory == .control {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
