import PlingsAPI
import TestRig
import Testing

@Suite("The transport")
struct TransportTests {
    @Test("a second request goes out on the same connection")
    func keepAlive() async throws {
        let server = try ScriptedHTTPServer([.answer(probed), .answer(probed)])
        defer { server.stop() }
        let client = try client(of: server)
        try await client.probe()
        try await client.probe()
        #expect(server.requests.map(\.connection) == [0, 0])
    }

    @Test("a connection that the server closed while it lay unused costs no request")
    func staleConnection() async throws {
        let server = try ScriptedHTTPServer([.answerThenClose(probed), .answer(probed)])
        defer { server.stop() }
        let client = try client(of: server)
        try await client.probe()
        try await client.probe()
        #expect(server.requests.map(\.connection) == [0, 1])
    }

    @Test("a request whose kept connection dies before any answer is sent once more")
    func lostOnKeptConnection() async throws {
        let server = try ScriptedHTTPServer([
            .answer(probed), .answerThenClose([]), .answer(http(200, unknownTag)),
        ])
        defer { server.stop() }
        let client = try client(of: server)
        try await client.probe()
        _ = try await client.resolve(scan(), idempotencyKey: "scan-1")
        let requests = server.requests
        #expect(requests.map(\.connection) == [0, 0, 1])
        #expect(requests.dropFirst().map { $0.header("idempotency-key") } == ["scan-1", "scan-1"])
    }

    @Test("six requests run at once, each on a connection of its own")
    func severalAtOnce() async throws {
        let server = try ScriptedHTTPServer(Array(repeating: .hold(probed), count: 6))
        defer { server.stop() }
        let client = try client(of: server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { try await client.probe() } }
            let requests = await server.waitForRequests(6)
            #expect(Set(requests.map(\.connection)).count == 6)
            server.release()
            try await group.waitForAll()
        }
    }

    @Test("the request says what it must and nothing that was not asked for")
    func headers() async throws {
        let server = try ScriptedHTTPServer([.answer(http(200, unknownTag))])
        defer { server.stop() }
        let client = try client(of: server)
        _ = try await client.resolve(scan(), idempotencyKey: "id-1\r\nX-Smuggled: yes")
        let request = try #require(server.requests.first)
        #expect(request.head.hasPrefix("POST /graphql HTTP/1.1\r\n"))
        #expect(request.header("authorization") == "Bearer \(tokenText)")
        #expect(request.header("idempotency-key") == "id-1X-Smuggled: yes")
        #expect(request.header("content-type") == "application/json")
        #expect(request.header("user-agent") == "plingsd/test")
        for name in ["cookie", "expect", "referer", "x-smuggled"] {
            #expect(request.header(name) == nil)
        }
    }

    @Test("cookies are not kept")
    func cookies() async throws {
        let body = #"{"data":{"__typename":"Query"}}"#
        let server = try ScriptedHTTPServer([
            .answer(http(200, body, ["Set-Cookie: a=b; Path=/"])), .answer(probed),
        ])
        defer { server.stop() }
        let client = try client(of: server)
        try await client.probe()
        try await client.probe()
        #expect(server.requests.last?.header("cookie") == nil)
    }

    @Test("a compressed answer is read")
    func compressed() async throws {
        // printf '{"data":{"__typename":"Query"}}' | gzip -n
        let body: [UInt8] = [
            0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xab, 0x56, 0x4a, 0x49, 0x2c, 0x49, 0x54,
            0xb2,
            0xaa, 0x56, 0x8a, 0x8f, 0x2f, 0xa9, 0x2c, 0x48, 0xcd, 0x4b, 0xcc, 0x4d, 0x55, 0xb2,
            0x52,
            0x0a, 0x2c, 0x4d, 0x2d, 0xaa, 0x54, 0xaa, 0xad, 0x05, 0x00, 0x8c, 0x25, 0xac, 0xdc,
            0x1f,
            0, 0, 0,
        ]
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        let server = try ScriptedHTTPServer([.answer(Array(head.utf8) + body)])
        defer { server.stop() }
        try await client(of: server).probe()
    }

    @Test("an interim answer goes before the one that counts")
    func interim() async throws {
        let interim = Array("HTTP/1.1 103 Early Hints\r\nRetry-After: 5\r\n\r\n".utf8)
        let server = try ScriptedHTTPServer([.answer(interim + http(503, ""))])
        defer { server.stop() }
        let client = try client(of: server)
        let failure = try await failure { try await client.probe() }
        #expect(failure == .transient(reason: "the API answers HTTP 503", retryAfter: nil))
    }
}

/// One way in which an answer can fail to come.
struct BrokenRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let step: ScriptedHTTPServer.Step
    let reason: String
}

private let promised = Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"data\":".utf8)
private let chunked = Array(
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{\"data\":\r\n".utf8)
private let badGzip = Array(
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope".utf8)
private let long = String(repeating: "x", count: 70_000)
private let lost = "127.0.0.1 closed the connection without an answer"
private let half = "127.0.0.1 closed the connection within the answer"

private let broken: [BrokenRow] = [
    .init(testDescription: "closed", step: .answerThenClose([]), reason: lost),
    .init(testDescription: "reset", step: .answerThenReset([]), reason: lost),
    .init(testDescription: "half, then closed", step: .answerThenClose(promised), reason: half),
    .init(testDescription: "half a chunk", step: .answerThenClose(chunked), reason: half),
    .init(testDescription: "broken compression", step: .answerThenClose(badGzip), reason: half),
    .init(
        testDescription: "no HTTP", step: .answerThenClose(Array("SSH-2.0-OpenSSH\r\n".utf8)),
        reason: "127.0.0.1 does not answer as a web server does"),
    .init(
        testDescription: "a body over the limit, announced", step: .answer(http(200, long)),
        reason: "the answer is larger than 65536 bytes"),
    .init(
        testDescription: "a body over the limit, not announced",
        step: .answerThenClose(Array("HTTP/1.1 200 OK\r\n\r\n\(long)".utf8)),
        reason: "the answer is larger than 65536 bytes"),
    .init(
        testDescription: "a head over the limit",
        step: .answer(http(200, "", (0..<70).map { "X-\($0): \(long.prefix(1000))" })),
        reason: "the answer is larger than 65536 bytes"),
]

@Suite("Answers that don't come")
struct BrokenAnswerTests {
    @Test("a broken answer is transient and says what broke", arguments: broken)
    func failing(_ row: BrokenRow) async throws {
        let server = try ScriptedHTTPServer([row.step])
        defer { server.stop() }
        let client = try client(of: server)
        let failure = try await failure { try await client.probe() }
        #expect(failure == .unanswered(reason: row.reason))
    }

    @Test("an answer cut by a reset is transient")
    func resetWithin() async throws {
        // Whether the bytes before the reset are seen is the kernel's choice.
        let server = try ScriptedHTTPServer([.answerThenReset(promised)])
        defer { server.stop() }
        let client = try client(of: server)
        let failure = try await failure { try await client.probe() }
        let reasons = [lost, half].map { APIFailure.unanswered(reason: $0) }
        #expect(reasons.contains(failure))
    }

    @Test("an answer that takes too long is given up")
    func timeout() async throws {
        let server = try ScriptedHTTPServer([.hold(probed)])
        defer { server.stop() }
        let client = try client(of: server, timeout: .milliseconds(100))
        let failure = try await failure { try await client.probe() }
        #expect(
            failure == .unanswered(reason: "127.0.0.1 did not answer in time"))
        await server.waitForDepartures(1)
    }

    @Test("a port that nobody listens on is named as refused")
    func refused() async throws {
        let nobody = try RefusingPort()
        let client = try client(at: "http://127.0.0.1:\(nobody.port)/")
        let failure = try await failure { try await client.probe() }
        #expect(
            failure == .unanswered(reason: "127.0.0.1 refused the connection"))
        withExtendedLifetime(nobody) {}
    }

    @Test("a host that is silent is told apart from one that does not answer a request")
    func silent() async throws {
        let nobody = try SilentPort()
        let client = try client(
            at: "http://127.0.0.1:\(nobody.port)/", timeout: .milliseconds(200))
        let failure = try await failure { try await client.probe() }
        #expect(
            failure == .unanswered(reason: "no connection to 127.0.0.1 in time"))
        withExtendedLifetime(nobody) {}
    }

    @Test("a name that does not exist is named")
    func unknownName() async throws {
        // A label over 63 bytes is refused before any name server is asked.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let client = try client(at: "https://\(host)/graphql")
        let failure = try await failure { try await client.probe() }
        let reason = "the name \(host) can't be resolved"
        #expect(failure == .unanswered(reason: reason))
    }
}
