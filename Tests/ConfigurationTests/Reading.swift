import Configuration

/// What the operator is told about a text: the problems, one string each; none when it is accepted.
func problems(_ text: String, file: String = "c.toml") -> [String] {
    do {
        _ = try StationConfiguration.parse(text, file: file)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

/// A text and what the operator is told about it.
struct Complaint: Sendable, CustomStringConvertible {
    let text: String
    let expected: [String]

    /// The beginning of the text.
    var description: String { String(text.prefix(60)).debugDescription }

    init(_ text: String, _ expected: String...) {
        self.text = text
        self.expected = expected
    }
}
