internal import FoundationEssentials

/// An answer in GraphQL's form.
///
/// Source: GraphQL specification, section 7.1.
struct GraphQLReply<Payload: GraphQLPayload>: Decodable, Sendable {
    /// The operation's field; nil where it is null, absent or of another shape.
    let payload: Payload?
    let evidence: GraphQLEvidence

    /// Reads a body; nil where it is no GraphQL: no JSON, or JSON without `data` and `errors`.
    static func read(_ body: [UInt8]) -> GraphQLReply? {
        TolerantJSON.decode(GraphQLReply.self, from: body)
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        let errors = members.list(GraphQLError.self, .errors)
        guard members.contains(.data) || errors?.isEmpty == false else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "neither data nor errors"))
        }
        let data = try? members.nestedContainer(keyedBy: FieldName.self, forKey: .data)
        payload = data?.member(Payload.self, Payload.field)
        evidence = GraphQLEvidence(hasData: members.has(.data), errors: errors ?? [])
    }
}

/// What of an answer decides whether it is a refusal.
struct GraphQLEvidence: Sendable, Equatable {
    /// Whether `data` is there and not null.
    let hasData: Bool
    let errors: [GraphQLError]
}

/// One of an answer's errors.
struct GraphQLError: Decodable, Sendable, Equatable {
    let message: String
    /// `extensions.code`.
    let code: String?
    /// True where it is about a field that ran, in contrast to the request as a whole.
    let hasPath: Bool
    /// True where it points into the document.
    let hasLocations: Bool
    /// How long to wait, where the API says so beside the code.
    let retryAfter: Duration?

    /// The longest code that is taken, in Unicode scalars.
    static let codeLimit = 100

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        message = members.text(.message) ?? ""
        hasPath = members.has(.path)
        hasLocations = members.has(.locations)
        let extra = try? members.nestedContainer(keyedBy: FieldName.self, forKey: .extensions)
        code = extra?.text(.code, limit: Self.codeLimit)
        retryAfter = extra?.whole(.retryAfter).map { RetryAfter.bounded(Int64($0)) }
    }
}
