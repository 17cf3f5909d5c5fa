/// One input of the station that strangers write, tried with arbitrary bytes.
package struct FuzzTarget: Sendable {
    /// The name on the command line and of the folder of its corpus.
    package let name: String
    /// Words that the fuzzer may put in, for inputs that are text.
    package let dictionary: [String]
    private let body: @Sendable ([UInt8]) throws -> Bool

    init(
        _ name: String, dictionary: [String] = [],
        _ body: @escaping @Sendable ([UInt8]) throws -> Bool
    ) {
        self.name = name
        self.dictionary = dictionary
        self.body = body
    }

    /// Tries one input.
    ///
    /// - Parameter bytes: The input.
    /// - Returns: Whether the input led to the place where a planted bug lies: a rare one, behind
    ///   several decisions, so that a fuzzer which gets there gets anywhere near.
    /// - Throws: `Violation` where something that must hold does not.
    @discardableResult
    package func run(_ bytes: [UInt8]) throws -> Bool {
        try body(bytes)
    }

    /// All of them.
    package static let all = [
        ndef, tagURL, type2, type4, stationRequest, readerLine, apiAnswer, configuration,
    ]
}

/// Something that must hold for every input and did not.
package struct Violation: Error, CustomStringConvertible {
    package let description: String
}

/// Says that something must hold.
///
/// - Throws: `Violation` with the sentence where it does not.
func demand(_ holds: Bool, _ sentence: @autoclosure () -> String) throws {
    if !holds { throw Violation(description: sentence()) }
}
