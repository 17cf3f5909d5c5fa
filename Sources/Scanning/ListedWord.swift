/// A word of a fixed list; where another one is read, the error says which there are.
package protocol ListedWord: RawRepresentable<String>, CaseIterable, Codable {}

extension ListedWord {
    package init(from decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        guard let listed = Self(rawValue: word) else {
            let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.wrongValue("must be one of \(words)", at: decoder.codingPath)
        }
        self = listed
    }
}

/// What is wrong with a member's value, said for people: the library's own words are not.
package struct WrongValue: Error, Sendable {
    /// What follows the member's name: `must be one of scan, departure`.
    package let sentence: String
}

extension DecodingError {
    /// A value that has the right type and can't be taken.
    ///
    /// - Parameters:
    ///   - sentence: What follows the member's name.
    ///   - path: The member.
    /// - Returns: The error.
    package static func wrongValue(
        _ sentence: String, at path: [any CodingKey]
    ) -> DecodingError {
        .dataCorrupted(
            Context(
                codingPath: path, debugDescription: sentence,
                underlyingError: WrongValue(sentence: sentence)))
    }
}
