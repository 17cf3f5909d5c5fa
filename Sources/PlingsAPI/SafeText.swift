extension String {
    /// The text as a log may show it: cut to a number of scalars, control characters escaped.
    ///
    /// Besides C0, C1 and DEL the line separators and the invisible formatting characters are
    /// escaped, which could make a terminal show something else than what is there.
    func shown(limit: Int) -> String {
        var shown = ""
        for scalar in unicodeScalars.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return unicodeScalars.dropFirst(limit).isEmpty ? shown : shown + "…"
    }
}
