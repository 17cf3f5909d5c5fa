import TestRig
import Testing

@testable import PlingsAPI

private let passwordText = "p4ssw0rd-of-n0body"
private let refreshText = "r3fresh-of-n0body"
private let keyText = "k3y-of-n0body"

/// A session as the server gives it.
private func issued(_ more: String = "") -> [UInt8] {
    http(
        200,
        #"{"access_token":"\#(tokenText)","token_type":"bearer","expires_in":3600,"#
            + #""refresh_token":"\#(refreshText)","user":{"id":"user-1"}\#(more)}"#)
}

/// One answer of the auth server and what it means.
struct AuthRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: [UInt8]
    let failure: AuthFailure

    init(_ status: Int, _ body: String, _ failure: AuthFailure, _ headers: [String] = []) {
        testDescription = "HTTP \(status) with \(body)"
        answer = http(status, body, headers)
        self.failure = failure
    }
}

private func unclear(_ reason: String, _ after: Duration? = nil) -> AuthFailure {
    .unclear(reason: reason, retryAfter: after)
}

private let manyRequests = "the auth server asks for fewer requests"

private let rows: [AuthRow] = [
    AuthRow(
        400, #"{"code":400,"error_code":"invalid_credentials","msg":"Invalid login credentials"}"#,
        .refused(code: "invalid_credentials")),
    AuthRow(
        400, #"{"code":"invalid_credentials","message":"Invalid login credentials"}"#,
        .refused(code: "invalid_credentials")),
    AuthRow(
        400, #"{"error":"invalid_grant","error_description":"Invalid Refresh Token"}"#,
        .refused(code: "invalid_grant")),
    AuthRow(
        400, #"{"code":400,"error_code":"refresh_token_not_found","msg":"m"}"#,
        .refused(code: "refresh_token_not_found")),
    AuthRow(
        400, #"{"code":400,"error_code":"refresh_token_already_used","msg":"m"}"#,
        .refused(code: "refresh_token_already_used")),
    AuthRow(
        403, #"{"code":403,"error_code":"session_not_found","msg":"m"}"#,
        .refused(code: "session_not_found")),
    AuthRow(
        401, #"{"message":"Invalid API key"}"#,
        .key(reason: "the auth server refuses the API key (HTTP 401)")),
    AuthRow(
        403, "forbidden", .key(reason: "the auth server refuses the API key (HTTP 403)")),
    AuthRow(429, "", .limited(reason: manyRequests, retryAfter: nil)),
    AuthRow(
        429, #"{"error_code":"over_request_rate_limit"}"#,
        .limited(reason: manyRequests, retryAfter: .seconds(7)), ["Retry-After: 7"]),
    AuthRow(500, "oops", unclear("the auth server answers HTTP 500")),
    AuthRow(
        503, "oops", unclear("the auth server answers HTTP 503", .seconds(9)), ["Retry-After: 9"]),
    AuthRow(
        400, #"{"code":400,"error_code":"validation_failed"}"#,
        unclear("the auth server answers HTTP 400, validation_failed")),
    AuthRow(404, "no such page", unclear("the auth server answers HTTP 404")),
    AuthRow(200, "<html>sign in</html>", unclear("the auth server's answer holds no session")),
    AuthRow(
        200, #"{"access_token":"a b","refresh_token":"r"}"#,
        unclear("the auth server's answer holds no session")),
    AuthRow(
        200, #"{"access_token":"a","refresh_token":""}"#,
        unclear("the auth server's answer holds no session")),
    AuthRow(302, "", unclear("the auth server answers HTTP 302")),
]

@Suite("The auth server")
struct AuthClientTests {
    private let folder: TestFolder

    init() throws {
        folder = TestFolder()
    }

    private func auth(_ server: ScriptedHTTPServer, suffix: String = "") throws -> AuthClient {
        let key = folder.write("key", keyText + "\n")
        return try AuthClient(
            url: "http://127.0.0.1:\(server.port)\(suffix)", apiKeyFile: key, timeout: .seconds(20),
            sharing: try client(of: server))
    }

    private func authFailure(_ call: () async throws -> Void) async -> AuthFailure? {
        do {
            try await call()
            return nil
        } catch {
            return error as? AuthFailure
        }
    }

    private static let suffixes = ["", "/", "/auth/v1", "/auth/v1/"]

    @Test("a login sends the password in the body, with the API key", arguments: suffixes)
    func login(suffix: String) async throws {
        let server = try ScriptedHTTPServer([.answer(issued())])
        defer { server.stop() }
        let session = try await auth(server, suffix: suffix).login(
            email: "a@b", password: Secret(passwordText))
        let request = try #require(server.requests.first)
        #expect(request.head.hasPrefix("POST /auth/v1/token?grant_type=password HTTP/1.1"))
        #expect(request.header("apikey") == keyText)
        #expect(request.header("authorization") == nil)
        let body = String(decoding: request.body, as: UTF8.self)
        let expected = #"{"email":"a@b","password":"\#(passwordText)"}"#
        #expect(body == expected)
        #expect(session.lifetime == .seconds(3600))
        #expect(session.account == "user-1")
    }

    @Test("a renewal sends the refresh token, a logout the access token")
    func others() async throws {
        let server = try ScriptedHTTPServer([
            .answer(issued()), .answer(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)),
        ])
        defer { server.stop() }
        let auth = try auth(server)
        let session = try await auth.refresh(Secret(refreshText))
        try await auth.logout(session.access)
        let requests = server.requests
        #expect(requests[0].head.hasPrefix("POST /auth/v1/token?grant_type=refresh_token HTTP"))
        #expect(String(decoding: requests[0].body, as: UTF8.self).contains(refreshText))
        #expect(requests[1].head.hasPrefix("POST /auth/v1/logout?scope=local HTTP"))
        #expect(requests[1].header("authorization") == "Bearer " + tokenText)
    }

    @Test("every answer means what the table says", arguments: rows)
    func table(_ row: AuthRow) async throws {
        let server = try ScriptedHTTPServer([.answer(row.answer)])
        defer { server.stop() }
        let auth = try auth(server)
        let failure = await authFailure { _ = try await auth.refresh(Secret(refreshText)) }
        #expect(failure == row.failure)
    }

    @Test("no whole answer is told apart from every answer")
    func unanswered() async throws {
        let server = try ScriptedHTTPServer([.answerThenClose([])])
        defer { server.stop() }
        let auth = try auth(server)
        let failure = await authFailure { _ = try await auth.refresh(Secret(refreshText)) }
        #expect(
            failure
                == .unanswered(reason: "127.0.0.1 closed the connection without an answer"))
    }

    @Test("without its key file nothing is sent, and the file is named")
    func noKey() async throws {
        let server = try ScriptedHTTPServer([])
        defer { server.stop() }
        let auth = try AuthClient(
            url: "http://127.0.0.1:\(server.port)", apiKeyFile: "/none/such",
            timeout: .seconds(20), sharing: try client(of: server))
        let failure = await authFailure { _ = try await auth.refresh(Secret(refreshText)) }
        let sentence = "the API key file /none/such: No such file or directory"
        #expect(failure == .key(reason: sentence))
        #expect(server.requests.isEmpty)
    }

    @Test("no failure and no value shows a secret, however the server repeats it")
    func secrecy() async throws {
        let secrets = [passwordText, keyText]
        let codes = secrets + ["X\(passwordText)", "user_banned"]
        let steps = codes.flatMap { code in
            [400, 403, 429, 500].map {
                ScriptedHTTPServer.Step.answer(
                    http($0, #"{"error_code":"\#(code)","msg":"\#(passwordText) \#(keyText)"}"#))
            }
        }
        let server = try ScriptedHTTPServer(steps)
        defer { server.stop() }
        let auth = try auth(server)
        for _ in steps {
            let failure = await authFailure {
                _ = try await auth.login(email: "a@b", password: Secret(passwordText))
            }
            let error = try #require(failure)
            var shown = "\(error) \(String(reflecting: error))"
            dump(error, to: &shown)
            dump(auth, to: &shown)
            for secret in secrets { #expect(!shown.contains(secret)) }
        }
    }

    @Test("how long a token is good is taken within reason")
    func lifetime() {
        let texts = ["1.5", "null", "0", "-1", "0.999", "1e-9", "1e12"]
        let expected: [Duration?] = [
            .milliseconds(1500), .seconds(3600), nil, nil, nil, nil, .seconds(30 * 86_400),
        ]
        for (text, lifetime) in zip(texts, expected) {
            let json = #"{"access_token":"a","refresh_token":"r","expires_in":\#(text)}"#
            #expect(
                IssuedSession(json: Array(json.utf8))?.lifetime == lifetime, Comment(rawValue: text)
            )
        }
    }

    @Test("a user's id that no account can have is none, and the session good all the same")
    func oddUser() {
        for id in ["", String(repeating: "u", count: 100_000)] {
            let json =
                #"{"access_token":"a","refresh_token":"r","user":{"id":"\#(id)"}}"#
            let session = IssuedSession(json: Array(json.utf8))
            #expect(session != nil)
            #expect(session?.account == nil)
        }
    }

    @Test("a code is shown only where it is one: a server may put there what it was sent")
    func oddCodes() {
        let sent = #"{\"email\":\"a@b\",\"password\":\"s3cr\\\"et\"}"#
        let answer = HTTPAnswer(
            status: 400, body: Array(#"{"error_code":"\#(sent)"}"#.utf8))
        var failure: AuthFailure?
        do throws(AuthFailure) {
            try AuthAnswer.check(answer, now: 0, hasKey: true)
        } catch {
            failure = error
        }
        #expect(failure?.description == "the auth server answers HTTP 400")
    }
}
