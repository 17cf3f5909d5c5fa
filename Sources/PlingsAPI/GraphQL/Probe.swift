/// Asks nothing but whether the API is there and takes the token.
struct Probe: GraphQLOperation {
    static let name = "Probe"
    static let document = "query Probe { __typename }"
    static let answerLimit = 64 << 10

    let variables: [String: String] = [:]

    struct Payload: GraphQLPayload {
        static let field: FieldName = "__typename"
        var standsDespiteErrors: Bool { false }

        init(from decoder: any Decoder) throws {
            _ = try decoder.singleValueContainer().decode(String.self)
        }
    }
}
