/// Why the auth server gave no session.
///
/// A description holds nothing that was sent or received but a code.
package enum AuthFailure: Error, Sendable, Equatable {
    /// The server refuses what it was given, and will refuse it again: its own word for it.
    case refused(code: String)
    /// The API key is missing, or the server does not take it.
    case key(reason: String)
    /// Too many requests, of this station or of its neighbours.
    case limited(reason: String, retryAfter: Duration?)
    /// An answer that decides nothing: a fault of the server's, or of something in between.
    case unclear(reason: String, retryAfter: Duration?)
    /// No whole answer; the server may have done what it was asked.
    case unanswered(reason: String)
    /// Given up by this process.
    case aborted
}

extension AuthFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let code): "the auth server refuses: \(code.shown(limit: 64))"
        case .key(let reason), .limited(let reason, _), .unclear(let reason, _),
            .unanswered(let reason):
            reason
        case .aborted: TransportError.aborted.description
        }
    }
}

extension AuthFailure {
    init(_ error: TransportError) {
        self = error == .aborted ? .aborted : .unanswered(reason: error.description)
    }

    /// Masks secrets where the server's words repeat them.
    func masking(_ secrets: [Secret]) -> AuthFailure {
        func masked(_ text: String) -> String {
            secrets.reduce(text) { $1.masked(in: $0) }
        }
        return switch self {
        case .refused(let code): .refused(code: masked(code))
        case .key(let reason): .key(reason: masked(reason))
        case .limited(let reason, let after): .limited(reason: masked(reason), retryAfter: after)
        case .unclear(let reason, let after): .unclear(reason: masked(reason), retryAfter: after)
        case .unanswered(let reason): .unanswered(reason: masked(reason))
        case .aborted: .aborted
        }
    }
}
