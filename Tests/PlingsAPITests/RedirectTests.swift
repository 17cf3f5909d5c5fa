import TestRig
import Testing

@testable import PlingsAPI

/// One redirect and what is made of it.
struct RedirectRow: Sendable, CustomTestStringConvertible {
    let status: Int
    let from: String
    let to: String
    let followed: Int
    let decision: Redirect

    var testDescription: String { "\(status) to \(to)" }

    init(
        _ status: Int, _ to: String, _ decision: Redirect,
        from: String = "https://api.plings.io/graphql", followed: Int = 0
    ) {
        self.status = status
        self.from = from
        self.to = to
        self.followed = followed
        self.decision = decision
    }
}

private let slash = Redirect.follow(url: "https://api.plings.io/graphql/")

private let redirects: [RedirectRow] = [
    .init(301, "/graphql/", slash),
    .init(302, "/graphql/", slash),
    .init(307, "/graphql/", slash),
    .init(308, "/graphql/", slash),
    .init(308, "https://api.plings.io/graphql/", slash),
    .init(
        308, "https://API.Plings.io:443/graphql/",
        .follow(url: "https://API.Plings.io:443/graphql/")),
    .init(308, "//api.plings.io/graphql/", slash),
    .init(308, "v2?x=1", .follow(url: "https://api.plings.io/v2?x=1"), followed: 2),
    .init(308, "/graphql/", .refuse(.tooMany), followed: 3),
    .init(303, "/graphql/", .refuse(.seeOther)),
    .init(308, "https://evil.example/graphql", .refuse(.otherHost("evil.example"))),
    .init(308, "//evil.example/", .refuse(.otherHost("evil.example"))),
    .init(
        308, "https://api.plings.io.evil.example/",
        .refuse(.otherHost("api.plings.io.evil.example"))),
    .init(308, "https://api.plings.io:8443/", .refuse(.otherService("api.plings.io"))),
    .init(308, "https://evil.example@api.plings.io/", .refuse(.credentials)),
    .init(308, "https://api.plings.io@evil.example/", .refuse(.otherHost("evil.example"))),
    .init(302, "http://api.plings.io/graphql", .refuse(.plainHTTP(host: "api.plings.io"))),
    .init(302, "http://portal.example/login", .refuse(.plainHTTP(host: "portal.example"))),
    .init(302, "javascript:alert(1)", .refuse(.unreadable)),
    .init(302, "https://", .refuse(.unreadable)),
    .init(304, "/graphql/", .none),
    .init(200, "/graphql/", .none),
    .init(
        308, "http://127.0.0.1:81/", .refuse(.otherService("127.0.0.1")),
        from: "http://127.0.0.1:80/"),
    .init(308, "/x", .follow(url: "http://127.0.0.1/x"), from: "http://127.0.0.1/"),
    .init(308, "http://127.1/x", .follow(url: "http://127.0.0.1/x"), from: "http://127.0.0.1/"),
]

@Suite("Redirects")
struct RedirectTests {
    @Test("a redirect is followed to the same server alone", arguments: redirects)
    func decision(_ row: RedirectRow) {
        var answer = HTTPAnswer(status: row.status)
        let line = "Location: \(row.to)\r\n"
        Array(line.utf8).withUnsafeBytes { answer.fields.read($0) }
        let decision = Redirect.decide(answer, from: row.from, followed: row.followed)
        #expect(decision == row.decision)
    }

    @Test("a followed redirect posts the same again", arguments: [301, 302, 307, 308])
    func followed(status: Int) async throws {
        let server = try ScriptedHTTPServer([
            .answer(http(status, "", ["Location: /graphql/"])), .answer(http(200, unknownTag)),
        ])
        defer { server.stop() }
        let client = try client(of: server)
        _ = try await client.resolve(scan(), idempotencyKey: "scan-1")
        let requests = server.requests
        #expect(
            requests.map { $0.head.prefix { $0 != "\r\n" } } == [
                "POST /graphql HTTP/1.1", "POST /graphql/ HTTP/1.1",
            ])
        #expect(requests.first?.body == requests.last?.body)
        #expect(requests.last?.header("idempotency-key") == "scan-1")
        #expect(requests.map(\.connection) == [0, 0])
    }

    @Test("a circle of redirects ends")
    func circle() async throws {
        let again = http(307, "", ["Location: /graphql"])
        let server = try ScriptedHTTPServer(Array(repeating: .answer(again), count: 9))
        defer { server.stop() }
        let client = try client(of: server)
        let failure = try await failure { try await client.probe() }
        let reason = "the API redirected more than 3 times"
        #expect(failure == .unanswered(reason: reason))
        #expect(server.requests.count == 4)
    }

    @Test("another server gets no request, and its name is shown")
    func otherServer() async throws {
        let other = try ScriptedHTTPServer([.answer(probed)])
        defer { other.stop() }
        let target = "http://127.0.0.2:\(other.port)/"
        let server = try ScriptedHTTPServer([.answer(http(307, "", ["Location: \(target)"]))])
        defer { server.stop() }
        let client = try client(of: server)
        let failure = try await failure { try await client.probe() }
        let reason = "the API redirected to another host (127.0.0.2): not followed"
        #expect(failure == .unanswered(reason: reason))
        #expect(other.requests.isEmpty)
    }

    @Test("all hops together have the one timeout")
    func timeout() async throws {
        let server = try ScriptedHTTPServer([
            .answer(http(307, "", ["Location: /graphql/"])), .hold(probed),
        ])
        defer { server.stop() }
        let client = try client(of: server, timeout: .milliseconds(200))
        let failure = try await failure { try await client.probe() }
        #expect(
            failure == .unanswered(reason: "127.0.0.1 did not answer in time"))
    }
}
