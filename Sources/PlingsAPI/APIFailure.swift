/// Why the API did not do what it was asked.
package enum APIFailure: Error, Sendable, Equatable {
    /// It may work later: the network, the server, or something nobody can name.
    ///
    /// Something answered, if not usefully, so that this request itself may be the cause.
    case transient(reason: String, retryAfter: Duration?)
    /// Too many requests, of this station or of its neighbours: the request is not at fault.
    case limited(reason: String, retryAfter: Duration?)
    /// It may work later: the API can't be reached, or gave no whole answer.
    case unanswered(reason: String)
    /// Nothing works until there is another token.
    case token(reason: String)
    /// The API refuses this request and will refuse it again.
    ///
    /// `code` and `message` are the API's own words, bounded but not escaped, and the message may
    /// repeat what was sent: for the job's record, not for a log.
    case permanent(code: String, message: String)
    /// Given up by this process: the task was cancelled, or the client stopped.
    case aborted

    /// Whether trying the same again by itself can help.
    package var isTransient: Bool {
        switch self {
        case .transient, .limited, .unanswered: true
        case .token, .permanent, .aborted: false
        }
    }
}

extension APIFailure: CustomStringConvertible {
    /// A sentence for the log, with nothing in it that was sent or received but a code.
    package var description: String {
        switch self {
        case .transient(let reason, let retryAfter), .limited(let reason, let retryAfter):
            retryAfter.map { "\(reason); try again in \($0.components.seconds) s" } ?? reason
        case .unanswered(let reason), .token(let reason): reason
        case .permanent(let code, _): "the API refuses: \(code.shown(limit: 64))"
        case .aborted: TransportError.aborted.description
        }
    }
}

extension APIFailure {
    /// What a failure of the transport means to a job: it may work later, unless given up here.
    init(_ error: TransportError) {
        self =
            error == .aborted ? .aborted : .unanswered(reason: error.description)
    }

    /// Masks the token where the API's words repeat it.
    func masking(_ secret: Secret) -> APIFailure {
        switch self {
        case .transient(let reason, let retryAfter):
            .transient(reason: secret.masked(in: reason), retryAfter: retryAfter)
        case .limited(let reason, let retryAfter):
            .limited(reason: secret.masked(in: reason), retryAfter: retryAfter)
        case .unanswered(let reason): .unanswered(reason: secret.masked(in: reason))
        case .token(let reason): .token(reason: secret.masked(in: reason))
        case .permanent(let code, let message):
            .permanent(code: secret.masked(in: code), message: secret.masked(in: message))
        case .aborted: .aborted
        }
    }
}
