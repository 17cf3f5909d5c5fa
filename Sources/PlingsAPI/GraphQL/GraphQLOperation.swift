internal import FoundationEssentials

/// An operation of the API: what is asked, and how its answer is read.
protocol GraphQLOperation: Sendable {
    associatedtype Variables: Encodable
    associatedtype Payload: GraphQLPayload

    /// The operation's name in its document.
    static var name: String { get }
    static var document: String { get }
    /// The longest answer that is taken, in bytes.
    static var answerLimit: Int { get }

    var variables: Variables { get }
}

extension GraphQLOperation {
    /// The body of the POST.
    ///
    /// - Throws: `EncodingError` for a number that JSON has no form for.
    func body() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let posted = Posted(operationName: Self.name, query: Self.document, variables: variables)
        return Array(try encoder.encode(posted))
    }
}

private struct Posted<Variables: Encodable>: Encodable {
    let operationName: String
    let query: String
    let variables: Variables
}

/// What an operation's field holds.
protocol GraphQLPayload: Decodable, Sendable {
    /// The field of `data`.
    static var field: FieldName { get }
    /// Whether the payload says enough by itself although the answer has errors beside it.
    var standsDespiteErrors: Bool { get }
}
