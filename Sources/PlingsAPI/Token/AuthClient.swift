internal import FoundationEssentials
internal import Platform

/// The auth server as the station uses it: sessions begin, are renewed and end here.
///
/// It shares the transport, and so the thread and its rules, of the API's client. Every call is
/// answered on the caller's own executor. Nothing is retried here, but what `HTTPTransport` says of
/// dead connections.
package final class AuthClient: Sendable {
    private let transport: HTTPTransport
    private let server: AuthServer
    private let apiKeyFile: String?
    private let timeout: Duration

    /// The longest answer that is taken, in bytes.
    private static let answerLimit = 256 << 10

    /// Makes a client; connects to nothing yet.
    ///
    /// - Parameters:
    ///   - url: The server's URL: https, or http to this machine.
    ///   - apiKeyFile: The file of the key in the `apikey` header; nil sends none. It is read for
    ///     each request, so that another key needs no restart.
    ///   - timeout: For each whole request.
    ///   - client: Whose transport is shared.
    /// - Throws: `EndpointError`, which says what to change in the configuration.
    package init(
        url: String, apiKeyFile: String?, timeout: Duration, sharing client: PlingsClient
    ) throws(EndpointError) {
        server = try AuthServer(url)
        transport = client.transport
        self.apiKeyFile = apiKeyFile
        self.timeout = timeout
    }

    /// Begins a session with a password.
    ///
    /// - Throws: `AuthFailure`.
    package func login(
        email: String, password: Secret, isolation: isolated (any Actor)? = #isolation
    ) async throws(AuthFailure) -> IssuedSession {
        let body = password.reveal { Self.body(["email": email, "password": $0]) }
        let request = try request(to: server.password, body)
        return try await session(request, hiding: [password])
    }

    /// Renews a session; the refresh token is used up whether or not the answer gets here.
    ///
    /// - Throws: `AuthFailure`.
    package func refresh(
        _ refreshToken: Secret, isolation: isolated (any Actor)? = #isolation
    ) async throws(AuthFailure) -> IssuedSession {
        let body = refreshToken.reveal { Self.body(["refresh_token": $0]) }
        let request = try request(to: server.refresh, body)
        return try await session(request, hiding: [refreshToken])
    }

    /// Revokes the session that an access token belongs to.
    ///
    /// - Throws: `AuthFailure`.
    package func logout(
        _ access: BearerToken, isolation: isolated (any Actor)? = #isolation
    ) async throws(AuthFailure) {
        let request = try request(to: server.logout, [], access.secret)
        let secrets = [access.secret, request.apiKey].compactMap { $0 }
        let result = await transport.perform(request) { result in
            Self.read(result) { answer throws(AuthFailure) in
                try AuthAnswer.check(answer, now: Self.now, hasKey: request.apiKey != nil)
            }.mapError { $0.masking(secrets) }
        }
        try result.get()
    }

    private func session(
        _ request: HTTPRequest, hiding secrets: [Secret],
        isolation: isolated (any Actor)? = #isolation
    ) async throws(AuthFailure) -> IssuedSession {
        let secrets = secrets + [request.apiKey].compactMap { $0 }
        let result = await transport.perform(request) { result in
            Self.read(result) { answer throws(AuthFailure) in
                try AuthAnswer.session(
                    in: answer, now: Self.now, hasKey: request.apiKey != nil)
            }.mapError { $0.masking(secrets) }
        }
        return try result.get()
    }

    private static func read<Value>(
        _ result: TransportResult, _ body: (HTTPAnswer) throws(AuthFailure) -> Value
    ) -> Result<Value, AuthFailure> {
        do throws(AuthFailure) {
            switch result {
            case .failure(let error): throw AuthFailure(error)
            case .success(let answer): return .success(try body(answer))
            }
        } catch {
            return .failure(error)
        }
    }

    private static var now: Int64 { Clocks.realMilliseconds() / 1000 }

    private func request(
        to endpoint: Endpoint, _ body: [UInt8], _ token: Secret? = nil
    ) throws(AuthFailure) -> HTTPRequest {
        var request = HTTPRequest(
            endpoint: endpoint, token: token, headers: Self.headers, body: body,
            answerLimit: Self.answerLimit, timeout: timeout)
        if let apiKeyFile { request.apiKey = try APIKeyFile.read(apiKeyFile).key }
        return request
    }

    private static let headers = [
        HTTPHeader(name: "Content-Type", value: "application/json"),
        HTTPHeader(name: "Accept", value: "application/json"),
    ]

    private static func body(_ members: [String: String]) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings alone always have a JSON form.
        return (try? encoder.encode(members)).map(Array.init) ?? []
    }
}
