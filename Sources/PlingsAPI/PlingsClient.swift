internal import Platform
internal import Synchronization

/// The Plings GraphQL API as the station uses it.
///
/// Every call is answered on the caller's own executor and never runs on Swift's cooperative pool:
/// waiting is the transport's thread's. Nothing is retried here, but what `HTTPTransport` says of
/// dead connections; the caller decides by `APIFailure`.
package final class PlingsClient: Sendable {
    /// Where the API is.
    package let endpoint: Endpoint
    let transport: HTTPTransport
    private let timeout: Duration
    private let token = Mutex<BearerToken?>(nil)

    /// Starts the transport; connects to nothing yet.
    ///
    /// - Parameters:
    ///   - endpoint: The API's URL: https, or http to this machine.
    ///   - caFile: A PEM file of the certificate authorities to trust in place of the system's.
    ///   - timeout: For each whole request.
    ///   - userAgent: What the API sees as `User-Agent`.
    /// - Throws: `EndpointError`, which says what to change in the configuration.
    package init(
        endpoint: String, caFile: String?, timeout: Duration, userAgent: String
    ) throws(EndpointError) {
        self.endpoint = try Endpoint(endpoint)
        self.timeout = timeout
        transport = try HTTPTransport(TransportSettings(caFile: caFile, userAgent: userAgent))
    }

    /// Replaces the token for the requests that begin from now on; nil where there is none.
    package func setToken(_ token: BearerToken?) {
        self.token.withLock { $0 = token }
    }

    /// Delivers a scan and reads what it resolves to.
    ///
    /// - Parameters:
    ///   - request: The scan.
    ///   - idempotencyKey: The scan's id, the same at every attempt.
    ///   - isolation: The caller's own actor, filled in by the compiler.
    /// - Returns: The answer, which also is the proof of delivery.
    /// - Throws: `APIFailure`. `aborted` where the task is cancelled or the client stopped.
    package func resolve(
        _ request: ResolveRequest, idempotencyKey: String,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(APIFailure) -> ResolveAnswer {
        let (payload, secret) = try await execute(
            ResolveIdentifier(request),
            headers: [HTTPHeader(name: "Idempotency-Key", value: idempotencyKey)])
        return ResolveAnswer(payload).masking(secret)
    }

    /// Asks whether the API is there and takes the token.
    ///
    /// - Throws: `APIFailure`.
    package func probe(isolation: isolated (any Actor)? = #isolation) async throws(APIFailure) {
        _ = try await execute(Probe(), headers: [])
    }

    /// Gives up every request on its way; each ends with `aborted`.
    package func cancelAll() {
        transport.cancelAll()
    }

    /// Gives up every request and takes no more; returns at once.
    package func stop() {
        transport.stop()
    }

    /// Waits, after `stop`, for the transport's thread to end; before the process exits.
    ///
    /// - Parameter limit: How long this may block; some milliseconds do.
    /// - Returns: Whether it has ended.
    @discardableResult
    package func join(within limit: Duration) -> Bool {
        transport.join(within: limit)
    }

    private func execute<Operation: GraphQLOperation>(
        _ operation: Operation, headers: [HTTPHeader],
        isolation: isolated (any Actor)? = #isolation
    ) async throws(APIFailure) -> (Operation.Payload, Secret) {
        guard let secret = token.withLock({ $0?.secret }) else {
            throw .token(reason: "there is no token")
        }
        let request = try request(for: operation, headers, secret)
        let result = await transport.perform(request) { result in
            Self.read(Operation.self, result).mapError { $0.masking(secret) }
        }
        return (try result.get(), secret)
    }

    /// Reads what a request came to; on the transport's thread.
    private static func read<Operation: GraphQLOperation>(
        _ operation: Operation.Type, _ result: TransportResult
    ) -> Result<Operation.Payload, APIFailure> {
        do throws(APIFailure) {
            switch result {
            case .failure(let error): throw APIFailure(error)
            case .success(let answer): return .success(try payload(of: operation, in: answer))
            }
        } catch {
            return .failure(error)
        }
    }

    private func request<Operation: GraphQLOperation>(
        for operation: Operation, _ headers: [HTTPHeader], _ secret: Secret
    ) throws(APIFailure) -> HTTPRequest {
        let body: [UInt8]
        do {
            body = try operation.body()
        } catch {
            // Only a number without a JSON form gets here: the same request will never do better.
            throw .permanent(code: "UNENCODABLE", message: "The request can't be written as JSON.")
        }
        return HTTPRequest(
            endpoint: endpoint, token: secret, headers: Self.jsonHeaders + headers, body: body,
            answerLimit: Operation.answerLimit, timeout: timeout)
    }

    private static let jsonHeaders = [
        HTTPHeader(name: "Content-Type", value: "application/json"),
        HTTPHeader(name: "Accept", value: "application/json"),
    ]

    /// Reads an answer.
    ///
    /// - Throws: What `Refusal` says of it.
    static func payload<Operation: GraphQLOperation>(
        of operation: Operation.Type, in answer: HTTPAnswer
    ) throws(APIFailure) -> Operation.Payload {
        let reply = GraphQLReply<Operation.Payload>.read(answer.body)
        let isSuccess = (200..<300).contains(answer.status)
        if isSuccess, let payload = reply?.payload, payload.standsDespiteErrors { return payload }
        let now = Clocks.realMilliseconds() / 1000
        let refusal = Refusal.judge(
            Refusal.Case(
                status: answer.status, contentType: answer.fields.contentType,
                evidence: reply?.evidence,
                retryAfter: RetryAfter.read(answer.fields, now: now)))
        if let refusal { throw refusal }
        guard let payload = reply?.payload else {
            throw .transient(
                reason: "the API's answer has no \(Operation.Payload.field)", retryAfter: nil)
        }
        return payload
    }
}
