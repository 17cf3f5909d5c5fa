/// Tells refusals apart: the one table of which answers may be tried again.
///
/// Permanent is only what the API itself, in GraphQL's form, says of this request. Everything that
/// a proxy, a portal or a wrong address could have answered is transient, so that no outage and no
/// mistyped setting turns scans into refused ones.
enum Refusal {
    /// What an answer is judged by.
    struct Case {
        let status: Int
        /// `Content-Type`, for the reason.
        let contentType: String?
        /// Nil where the body is no GraphQL.
        let evidence: GraphQLEvidence?
        let retryAfter: Duration?
    }

    /// Judges an answer; nil where it is none of a refusal.
    static func judge(_ answer: Case) -> APIFailure? {
        switch answer.status {
        case 401: .token(reason: "the API refuses the token (HTTP 401)")
        case 429: .limited(reason: "the API answers HTTP 429", retryAfter: retry(answer))
        case 408, 425, 500...:
            .transient(reason: "the API answers HTTP \(answer.status)", retryAfter: retry(answer))
        case 200..<300, 400..<500: judgeBody(answer)
        default:
            .transient(reason: "the API answers HTTP \(answer.status)", retryAfter: nil)
        }
    }

    private static func judgeBody(_ answer: Case) -> APIFailure? {
        guard let evidence = answer.evidence else {
            return .transient(reason: withoutGraphQL(answer), retryAfter: answer.retryAfter)
        }
        if let first = evidence.errors.first { return judge(first, evidence, answer) }
        guard (200..<300).contains(answer.status), evidence.hasData else {
            return .transient(
                reason: "the API answers HTTP \(answer.status) without data",
                retryAfter: answer.retryAfter)
        }
        return nil
    }

    /// Of several errors the one decides that leaves most hope: token, limit, transient, permanent.
    private static func judge(
        _ first: GraphQLError, _ evidence: GraphQLEvidence, _ answer: Case
    ) -> APIFailure {
        let kinds = evidence.errors.map { kind(of: $0, evidence, answer.status) }
        if kinds.contains(.token) { return .token(reason: "the API refuses the token") }
        if kinds.contains(.limited) {
            return .limited(
                reason: "the API asks for fewer requests", retryAfter: retry(answer))
        }
        if let index = kinds.firstIndex(of: .transient) {
            let code = evidence.errors[index].code?.shown(limit: 64)
            return .transient(
                reason: "the API reports \(code ?? "an internal error")", retryAfter: retry(answer))
        }
        let code = first.code ?? (answer.status == 403 ? "FORBIDDEN" : Self.validationFailed)
        return .permanent(code: code, message: first.message)
    }

    enum Kind {
        case token, limited, transient, permanent
    }

    /// The code of an invalid query, also given to one that the server leaves without a code.
    static let validationFailed = "GRAPHQL_VALIDATION_FAILED"

    /// The codes that say something for certain; any other one is transient.
    static let kinds: [String: Kind] = [
        "UNAUTHENTICATED": .token,
        "RATE_LIMITED": .limited,
        "BAD_INPUT": .permanent,
        "BAD_USER_INPUT": .permanent,
        "FORBIDDEN": .permanent,
        "NOT_FOUND": .permanent,
        "CONFLICT": .permanent,
        "TAG_CONFLICT": .permanent,
        "GRAPHQL_PARSE_FAILED": .permanent,
        validationFailed: .permanent,
    ]

    private static func kind(
        of error: GraphQLError, _ evidence: GraphQLEvidence, _ status: Int
    ) -> Kind {
        if let code = error.code { return kinds[code] ?? .transient }
        // Without a code: an error of a field that ran has a path and may be an accident of the
        // server's; one of the request as a whole has none, and comes without data. Statuses about
        // the address (404, 405, 410) say nothing about the request.
        let isOfRequest = !error.hasPath && !evidence.hasData
        let isAddress = [404, 405, 410].contains(status)
        guard isOfRequest, !isAddress else { return .transient }
        return status >= 400 || error.hasLocations ? .permanent : .transient
    }

    private static func retry(_ answer: Case) -> Duration? {
        answer.retryAfter ?? answer.evidence?.errors.lazy.compactMap(\.retryAfter).first
    }

    private static func withoutGraphQL(_ answer: Case) -> String {
        let type = answer.contentType.map { " (\($0.shown(limit: 64)))" } ?? ""
        let hint =
            switch answer.status {
            case 403: "a firewall's or a portal's?"
            case 404, 405, 410: "is the address right?"
            case 407: "the proxy asks for a login"
            default: "a portal's or a proxy's page?"
            }
        return "HTTP \(answer.status) without a GraphQL answer\(type): \(hint)"
    }
}
