import Scanning
import TestRig
import Testing

@testable import PlingsAPI

/// Answers of a server that repeats the token wherever it can.
private let echoes: [ScriptedHTTPServer.Step] = {
    let error = #"{"message":"bad \#(tokenText)","extensions":{"code":"CODE"}}"#
    let codes = [
        "FORBIDDEN", "BAD_INPUT", "UNAUTHENTICATED", "RATE_LIMITED", tokenText, "X\(tokenText)",
    ]
    let answers = codes.map { code in
        http(200, #"{"data":null,"errors":[\#(error.replacing("CODE", with: code))]}"#)
    }
    let statuses = [200, 400, 401, 403, 404, 429, 500].flatMap { status in
        [
            http(status, "\(tokenText) is bad", type: "text/\(tokenText)"),
            http(status, #"{"errors":[{"message":"\#(tokenText)"}]}"#),
        ]
    }
    let targets = [
        "https://\(tokenText)/", "http://\(tokenText)/", "https://\(tokenText)@127.0.0.1/",
        "http://127.0.0.1:1/\(tokenText)", "x:\(tokenText)",
    ]
    let redirects = targets.map { http(302, "", ["Location: \($0)"]) }
    let broken = Array("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n\(tokenText)".utf8)
    return (answers + statuses + redirects).map { .answer($0) }
        + [.answerThenClose(broken), .answerThenClose(Array(tokenText.utf8))]
}()

@Suite("The token stays secret")
struct SecrecyTests {
    @Test("no failure shows the token, however the server repeats it")
    func failures() async throws {
        let server = try ScriptedHTTPServer(echoes)
        defer { server.stop() }
        let client = try client(of: server)
        for _ in echoes {
            let failure = try await failure { try await client.probe() }
            var shown = "\(failure) \(String(reflecting: failure))"
            dump(failure, to: &shown)
            #expect(!shown.contains(tokenText))
        }
    }

    @Test("an identifier's error does not show the token")
    func outcome() async throws {
        let error = #"{"code":"\#(tokenText)","message":"what is \#(tokenText)?"}"#
        let body = resolved(#""success":false,"error":\#(error)"#)
        let server = try ScriptedHTTPServer([.answer(http(200, body))])
        defer { server.stop() }
        let answer = try await client(of: server).resolve(scan(), idempotencyKey: "1")
        #expect(answer.resolution.error?.code == "•••")
        #expect(answer.resolution.error?.message == "what is •••?")
    }

    @Test("neither the request nor the client shows the token")
    func values() throws {
        let request = HTTPRequest(
            endpoint: try Endpoint("https://api.plings.io/"), token: Secret(tokenText), headers: [],
            body: [], answerLimit: 1, timeout: .seconds(1))
        let client = try client(at: "https://api.plings.io/")
        var shown = ""
        dump(request, to: &shown)
        dump(client, to: &shown)
        #expect(!shown.contains(tokenText))
    }
}
