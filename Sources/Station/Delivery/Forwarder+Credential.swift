internal import PlingsAPI

/// How the forwarder goes on with and without a token.
extension Forwarder {
    /// The token was read from its file, or could not be.
    func tokenChanged(_ token: BearerToken?, problem: String?) {
        if let token, problem == nil {
            take(.token(token, account: token.account))
        } else {
            take(.missing(problem ?? "there is no token", account: nil))
        }
    }

    /// Goes on with what there is now; requests under way keep what they began with.
    func take(_ credential: Credential) {
        self.credential = credential
        lastToken += 1
        let now = now
        switch credential {
        case .token(let token, _):
            client?.setToken(token)
            lane.withHealth { $0.tokenChanged(now: now) }
            lane.backlogChanged()
        case .missing(let reason, _):
            client?.setToken(nil)
            lane.withHealth { $0.unauthorised(reason: reason, now: now) }
        case .awaited:
            client?.setToken(nil)
        case .unreachable(let reason, _):
            client?.setToken(nil)
            lane.withHealth { $0.lacksToken(reason: reason) }
        }
        turn()
    }

    /// Whether there is a token to send.
    var hasToken: Bool {
        if case .token = credential { true } else { false }
    }

    /// Whether a refused token is being replaced, so that nothing is said of it yet.
    var isAwaitingToken: Bool {
        if case .awaited = credential { true } else { false }
    }
}
