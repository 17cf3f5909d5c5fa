internal import CCurl

/// What one question to the API's address brought to light, for whoever looks for what is wrong.
package struct APIExamination: Sendable, Equatable {
    package let verdict: Verdict
    /// The server's own clock by its `Date` header, in seconds since 1970-01-01T00:00:00Z; nil where
    /// it gave none.
    package let date: Int64?

    package init(_ verdict: Verdict, date: Int64? = nil) {
        self.verdict = verdict
        self.date = date
    }

    /// What answers there, and how.
    package enum Verdict: Sendable, Equatable {
        /// The API, and it takes the token.
        case welcome
        /// The API, and it refuses the token, or that there is none.
        case unauthorised
        /// The API, which refuses the question itself; a code of its own.
        case refused(code: String)
        /// A server that is in trouble.
        case trouble(status: Int)
        /// A page in place of an API's answer.
        case page(status: Int)
        /// A server that has nothing at this path.
        case nothingThere(status: Int)
        /// An answer that is no GraphQL and no page.
        case strange(status: Int)
        case unreachable(TransportError)
    }
}

/// Asks the API's address one question and says what came of it, word by word where
/// `PlingsClient` says only whether to try again.
package final class APIExaminer: Sendable {
    package let endpoint: Endpoint
    private let transport: HTTPTransport
    private let timeout: Duration

    /// Starts the transport; connects to nothing yet.
    ///
    /// - Parameters:
    ///   - endpoint: The API's URL.
    ///   - caFile: A PEM file of the certificate authorities to trust in place of the system's.
    ///   - timeout: For the whole question.
    ///   - userAgent: What the API sees as `User-Agent`.
    /// - Throws: `EndpointError`.
    package init(
        endpoint: String, caFile: String?, timeout: Duration, userAgent: String
    ) throws(EndpointError) {
        self.endpoint = try Endpoint(endpoint)
        self.timeout = timeout
        transport = try HTTPTransport(TransportSettings(caFile: caFile, userAgent: userAgent))
    }

    /// Asks once; nothing that is sent changes anything at the API.
    ///
    /// - Parameters:
    ///   - token: Sent along; nil sends none.
    ///   - isolation: The caller's own actor, filled in by the compiler.
    /// - Returns: What came of it, at the latest after the timeout.
    package func examine(
        token: BearerToken?, isolation: isolated (any Actor)? = #isolation
    ) async -> APIExamination {
        guard let body = try? Probe().body() else { return .init(.strange(status: 0)) }
        let request = HTTPRequest(
            endpoint: endpoint, token: token?.secret,
            headers: [
                HTTPHeader(name: "Content-Type", value: "application/json"),
                HTTPHeader(name: "Accept", value: "application/json"),
            ], body: body, answerLimit: Probe.answerLimit, timeout: timeout)
        return await transport.perform(request) { result in
            switch result {
            case .failure(let error):
                APIExamination(.unreachable(token.map { error.masking($0.secret) } ?? error))
            case .success(let answer): APIExamination(answer, masking: token?.secret)
            }
        }
    }

    /// Gives up the question on its way.
    ///
    /// - Parameter limit: How long this may block for the transport's thread to end.
    package func stop(within limit: Duration) {
        transport.stop()
        _ = transport.join(within: limit)
    }
}

extension APIExamination {
    /// Reads an answer.
    init(_ answer: HTTPAnswer, masking secret: Secret?) {
        let date = answer.fields.date.map { Int64(curl_getdate($0, nil)) }
        self.init(
            Self.verdict(on: answer, masking: secret), date: date.flatMap { $0 < 0 ? nil : $0 })
    }

    private static func verdict(on answer: HTTPAnswer, masking secret: Secret?) -> Verdict {
        let status = answer.status
        switch status {
        case 401: return .unauthorised
        case 408, 425, 429, 500...: return .trouble(status: status)
        default: break
        }
        do throws(APIFailure) {
            _ = try PlingsClient.payload(of: Probe.self, in: answer)
            return .welcome
        } catch {
            switch error {
            case .token: return .unauthorised
            case .limited: return .trouble(status: status)
            case .permanent(let code, _):
                return .refused(code: (secret?.masked(in: code) ?? code).shown(limit: 64))
            case .transient, .unanswered, .aborted: return withoutAnswer(answer)
            }
        }
    }

    private static func withoutAnswer(_ answer: HTTPAnswer) -> Verdict {
        let status = answer.status
        if [404, 405, 410].contains(status) { return .nothingThere(status: status) }
        let isPage =
            answer.fields.contentType?.lowercased().hasPrefix("text/html") == true
            || (300..<400).contains(status)
        return isPage ? .page(status: status) : .strange(status: status)
    }
}

extension TransportError {
    /// Masks the token where a server's redirect repeats it, the one part that comes from there.
    fileprivate func masking(_ secret: Secret) -> TransportError {
        guard case .redirect(let problem) = self else { return self }
        return switch problem {
        case .otherHost(let host): .redirect(.otherHost(secret.masked(in: host)))
        case .plainHTTP(let host): .redirect(.plainHTTP(host: secret.masked(in: host)))
        case .otherService(let host): .redirect(.otherService(secret.masked(in: host)))
        case .credentials, .seeOther, .unreadable, .tooMany: self
        }
    }
}
