import PlingsAPI
import TestRig
import Testing

/// One row of the classification: what comes over the wire and what it means.
struct RefusalRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: [UInt8]
    let failure: APIFailure

    init(_ name: String, _ answer: [UInt8], _ failure: APIFailure) {
        testDescription = name
        self.answer = answer
        self.failure = failure
    }

    /// An answer whose body is no GraphQL.
    static func page(
        _ status: Int, _ reason: String, _ headers: [String] = [], after: Duration? = nil
    ) -> RefusalRow {
        RefusalRow(
            "HTTP \(status) with a page",
            http(status, "<!doctype html><title>Sign in</title>", type: "text/html", headers),
            .transient(reason: reason, retryAfter: after))
    }

    /// A rate limit's answer, whatever its page.
    static func limit(_ headers: [String], after: Duration? = nil) -> RefusalRow {
        RefusalRow(
            "HTTP 429 with \(headers)",
            http(429, "<!doctype html><title>Slow down</title>", type: "text/html", headers),
            .limited(reason: "the API answers HTTP 429", retryAfter: after))
    }

    /// An answer with one error of that code.
    static func code(_ status: Int, _ code: String, _ failure: APIFailure) -> RefusalRow {
        let error = #"{"message":"no","path":["probe"],"extensions":{"code":"\#(code)"}}"#
        return RefusalRow(
            "HTTP \(status) with \(code)",
            http(status, #"{"data":null,"errors":[\#(error)]}"#), failure)
    }

    /// An answer whose errors have no code.
    static func bare(_ status: Int, _ body: String, _ failure: APIFailure) -> RefusalRow {
        RefusalRow("HTTP \(status) with \(body)", http(status, body), failure)
    }
}

private func transient(_ reason: String, _ after: Duration? = nil) -> APIFailure {
    .transient(reason: reason, retryAfter: after)
}

private func limited(_ after: Duration? = nil) -> APIFailure {
    .limited(reason: "the API asks for fewer requests", retryAfter: after)
}

private let pages: [RefusalRow] = [
    .page(200, "HTTP 200 without a GraphQL answer (text/html): a portal's or a proxy's page?"),
    .page(400, "HTTP 400 without a GraphQL answer (text/html): a portal's or a proxy's page?"),
    .page(403, "HTTP 403 without a GraphQL answer (text/html): a firewall's or a portal's?"),
    .page(404, "HTTP 404 without a GraphQL answer (text/html): is the address right?"),
    .page(405, "HTTP 405 without a GraphQL answer (text/html): is the address right?"),
    .page(407, "HTTP 407 without a GraphQL answer (text/html): the proxy asks for a login"),
    .page(410, "HTTP 410 without a GraphQL answer (text/html): is the address right?"),
    .page(511, "the API answers HTTP 511"),
    .page(304, "the API answers HTTP 304"),
    .page(408, "the API answers HTTP 408"),
    .page(425, "the API answers HTTP 425"),
    .limit([]),
    .limit(["Retry-After: 7"], after: .seconds(7)),
    .limit(["Retry-After: 999999999999999999999"], after: hour),
    .limit(["Retry-After: soon"]),
    .page(
        503, "the API answers HTTP 503",
        ["Date: Sun, 29 Nov 2026 23:46:26 GMT", "Retry-After: Sun, 29 Nov 2026 23:47:56 GMT"],
        after: .seconds(90)),
    .page(
        503, "the API answers HTTP 503",
        ["Date: Sun, 29 Nov 2026 23:46:26 GMT", "Retry-After: Sun, 29 Nov 2026 23:00:00 GMT"],
        after: .zero),
    .page(
        503, "the API answers HTTP 503", ["Retry-After: Fri, 01 Jan 2100 00:00:00 GMT"], after: hour
    ),
    .page(500, "the API answers HTTP 500"),
    .page(502, "the API answers HTTP 502"),
]

private let hour = Duration.seconds(3600)

private let bodies: [RefusalRow] = [
    .bare(200, "", transient(noGraphQL)),
    .bare(200, #"{"data": {"oops": "#, transient(noGraphQL)),
    .bare(200, "null", transient(noGraphQL)),
    .bare(200, "[]", transient(noGraphQL)),
    .bare(200, #"{"error":"invalid_token"}"#, transient(noGraphQL)),
    .bare(200, #"{"errors":[]}"#, transient(noGraphQL)),
    .bare(200, #"{"errors":"none"}"#, transient(noGraphQL)),
    .bare(200, "{\"data\":\"\u{fffd}", transient(noGraphQL)),
    .bare(200, #"{"data":null}"#, transient("the API answers HTTP 200 without data")),
    .bare(
        400, #"{"data":{"__typename":"Query"}}"#, transient("the API answers HTTP 400 without data")
    ),
    .bare(200, #"{"data":{}}"#, transient("the API's answer has no __typename")),
    .bare(200, #"{"data":{"__typename":null}}"#, transient("the API's answer has no __typename")),
    RefusalRow(
        "a refused token", http(401, "no", type: "text/plain"),
        .token(reason: "the API refuses the token (HTTP 401)")),
]

private let noGraphQL =
    "HTTP 200 without a GraphQL answer (application/json): a portal's or a proxy's page?"

private let codes: [RefusalRow] = [
    .code(200, "UNAUTHENTICATED", .token(reason: "the API refuses the token")),
    .code(400, "UNAUTHENTICATED", .token(reason: "the API refuses the token")),
    .code(401, "BAD_INPUT", .token(reason: "the API refuses the token (HTTP 401)")),
    .code(200, "BAD_INPUT", .permanent(code: "BAD_INPUT", message: "no")),
    .code(400, "BAD_INPUT", .permanent(code: "BAD_INPUT", message: "no")),
    .code(200, "BAD_USER_INPUT", .permanent(code: "BAD_USER_INPUT", message: "no")),
    .code(200, "FORBIDDEN", .permanent(code: "FORBIDDEN", message: "no")),
    .code(403, "FORBIDDEN", .permanent(code: "FORBIDDEN", message: "no")),
    .code(200, "NOT_FOUND", .permanent(code: "NOT_FOUND", message: "no")),
    .code(409, "CONFLICT", .permanent(code: "CONFLICT", message: "no")),
    .code(200, "TAG_CONFLICT", .permanent(code: "TAG_CONFLICT", message: "no")),
    .code(
        400, "GRAPHQL_VALIDATION_FAILED",
        .permanent(code: "GRAPHQL_VALIDATION_FAILED", message: "no")),
    .code(
        400, "GRAPHQL_PARSE_FAILED", .permanent(code: "GRAPHQL_PARSE_FAILED", message: "no")),
    .code(200, "INTERNAL_SERVER_ERROR", transient("the API reports INTERNAL_SERVER_ERROR")),
    .code(200, "SOMETHING_NEW", transient("the API reports SOMETHING_NEW")),
    .code(400, "SOMETHING_NEW", transient("the API reports SOMETHING_NEW")),
    .code(200, "forbidden", transient("the API reports forbidden")),
    .code(200, #"\u001b[31m"#, transient(#"the API reports \u{1b}[31m"#)),
    .code(200, "RATE_LIMITED", limited()),
    .code(500, "FORBIDDEN", transient("the API answers HTTP 500")),
    .code(429, "RATE_LIMITED", .limited(reason: "the API answers HTTP 429", retryAfter: nil)),
]

private let invalid = #"{"message":"Cannot query field","locations":[{"line":1,"column":2}]}"#
private let uncoded = #"{"message":"list index out of range","path":["probe"],"locations":[]}"#

private let withoutCode: [RefusalRow] = [
    // An invalid query, as Ariadne answers it, and as servers do that always say 200.
    .bare(400, #"{"errors":[\#(invalid)]}"#, validation("Cannot query field")),
    .bare(400, #"{"data":null,"errors":[\#(invalid)]}"#, validation("Cannot query field")),
    .bare(200, #"{"errors":[\#(invalid)]}"#, validation("Cannot query field")),
    .bare(422, #"{"errors":[{"message":"no"}]}"#, validation("no")),
    .bare(403, #"{"errors":[{"message":"no"}]}"#, .permanent(code: "FORBIDDEN", message: "no")),
    // A field that ran into an accident.
    .bare(
        200, #"{"data":null,"errors":[\#(uncoded)]}"#,
        transient("the API reports an internal error")),
    .bare(
        400, #"{"data":null,"errors":[\#(uncoded)]}"#,
        transient("the API reports an internal error")),
    // What a gateway may say in JSON.
    .bare(
        200, #"{"errors":[{"message":"try later"}]}"#,
        transient("the API reports an internal error")),
    .bare(
        404, #"{"errors":[{"message":"no route"}]}"#, transient("the API reports an internal error")
    ),
    // Several at once: the one that leaves most hope decides.
    several(["FORBIDDEN", "UNAUTHENTICATED", "NEW"], .token(reason: "the API refuses the token")),
    several(["FORBIDDEN", "NEW"], transient("the API reports NEW")),
    several(["FORBIDDEN", "BAD_INPUT"], .permanent(code: "FORBIDDEN", message: "m")),
    RefusalRow(
        "RATE_LIMITED with a wait of its own",
        http(
            200, #"{"errors":[{"extensions":{"code":"RATE_LIMITED","retryAfter":9}}],"data":null}"#),
        limited(.seconds(9))),
    RefusalRow(
        "RATE_LIMITED with a header",
        http(200, #"{"errors":[{"extensions":{"code":"RATE_LIMITED"}}]}"#, ["Retry-After: 12"]),
        limited(.seconds(12))),
]

private func validation(_ message: String) -> APIFailure {
    .permanent(code: "GRAPHQL_VALIDATION_FAILED", message: message)
}

private func several(_ codes: [String], _ failure: APIFailure) -> RefusalRow {
    let errors = codes.map { #"{"message":"m","path":["x"],"extensions":{"code":"\#($0)"}}"# }
    return .bare(200, #"{"data":null,"errors":[\#(errors.joined(separator: ","))]}"#, failure)
}

@Suite("Refusals are told apart")
struct RefusalTests {
    @Test("every answer means what the table says", arguments: pages + bodies + codes + withoutCode)
    func table(_ row: RefusalRow) async throws {
        let server = try ScriptedHTTPServer([.answer(row.answer)])
        defer { server.stop() }
        let client = try client(of: server)
        let failure = try await failure { try await client.probe() }
        #expect(failure == row.failure)
        #expect(failure.isTransient == (failure.kind == "transient"))
    }

    @Test("what the log shows of a failure holds no word of the server's but its code")
    func description() {
        let permanent = APIFailure.permanent(code: "BAD\u{1b}", message: "identifier 4kyQ is bad")
        #expect(permanent.description == #"the API refuses: BAD\u{1b}"#)
        let waiting = APIFailure.transient(reason: "busy", retryAfter: .seconds(7))
        #expect(waiting.description == "busy; try again in 7 s")
        #expect(APIFailure.aborted.description == "the request was given up")
    }

    @Test("a content answer is no failure")
    func content() async throws {
        let server = try ScriptedHTTPServer([.answer(probed)])
        defer { server.stop() }
        try await client(of: server).probe()
    }

    @Test("without a token nothing is sent")
    func noToken() async throws {
        let server = try ScriptedHTTPServer([])
        defer { server.stop() }
        let client = try client(of: server)
        client.setToken(nil)
        let failure = try await failure { try await client.probe() }
        #expect(failure == .token(reason: "there is no token"))
        #expect(server.requests.isEmpty)
    }
}

extension APIFailure {
    var kind: String {
        switch self {
        case .transient, .limited, .unanswered: "transient"
        case .token: "token"
        case .permanent: "permanent"
        case .aborted: "aborted"
        }
    }
}
