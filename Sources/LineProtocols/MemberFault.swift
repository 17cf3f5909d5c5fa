internal import Scanning

/// Which member of a line is missing or wrong, and what is wrong with it.
package struct MemberFault: Sendable, Equatable, CustomStringConvertible {
    /// The member, dotted from the outermost one that is named: `types[1]`, `arrive.token`; empty
    /// for the whole.
    package let path: String
    /// What follows the member's name: `is missing`.
    package let sentence: String

    /// Reads what a decoder says.
    ///
    /// - Parameters:
    ///   - error: The decoder's error.
    ///   - depth: How many of the outermost members are not named.
    package init(_ error: DecodingError, below depth: Int = 0) {
        let keys: [any CodingKey]
        switch error {
        case .keyNotFound(let key, let context):
            keys = context.codingPath + [key]
            sentence = "is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            keys = context.codingPath
            sentence = "has the wrong type"
        case .dataCorrupted(let context):
            keys = context.codingPath
            // The library's own words are for programmers. It has some for numbers alone, which it
            // says of the object that holds the number.
            let ours = context.underlyingError as? WrongValue
            sentence = ours?.sentence ?? "holds a number that does not fit"
        @unknown default:
            keys = []
            sentence = "can't be read"
        }
        path = Self.path(keys.dropFirst(depth))
    }

    package var description: String { "\(path.isEmpty ? "the line" : path) \(sentence)" }

    private static func path(_ keys: some Sequence<any CodingKey>) -> String {
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return path
    }
}
