internal import LineProtocols
internal import Platform
internal import PlingsAPI
internal import ServiceManager

/// Logging in and out, as programs ask for it.
extension SessionKeeper {
    private static let unreachable = "the auth server can't be asked"

    /// Begins a session in place of the one there is.
    ///
    /// The session before is revoked at the server as far as that can be reached.
    ///
    /// - Returns: Whose session it is, and until when its first token is good.
    /// - Throws: `RequestError` with a sentence for the person.
    func login(email: String, password: Secret) async throws(RequestError) -> LoginResult {
        try begin()
        defer { isBusy = false }
        let asked = instant
        let issued: IssuedSession
        do throws(AuthFailure) {
            issued = try await client.login(email: email, password: password)
        } catch {
            throw Self.requestError(error)
        }
        let before = session
        let begun = Session(issued, from: server, asked: asked)
        try await store(begun)
        log.info("logged in", ["account": begun.account ?? "unnamed"])
        if let before { Task { try? await client.logout(before.access) } }
        return LoginResult(account: begun.account, expiresAt: begun.expiresAt)
    }

    private func store(_ begun: Session) async throws(RequestError) {
        beginAnew()
        do throws(SystemError) {
            try await file.write(begun)
        } catch {
            resumeRenewing()
            // Nobody will use it.
            Task { try? await client.logout(begun.access) }
            throw .station(.full, "logged in, but the session can't be stored: \(error)")
        }
        adopt(begun)
    }

    /// Forgets the session at once and for good, then revokes it at the server.
    ///
    /// - Returns: With a sentence where the server could not be told.
    /// - Throws: `RequestError` where another login or logout is under way, or the file stays.
    func logout() async throws(RequestError) -> LogoutResult {
        try begin()
        defer { isBusy = false }
        let before = session
        forget()
        do throws(SystemError) {
            try await file.remove()
        } catch {
            throw .station(
                .full, "logged out for now, but the session's file can't be removed: \(error)")
        }
        log.info("logged out")
        guard let before else { return LogoutResult(notRevoked: nil) }
        do throws(AuthFailure) {
            try await revoke(before)
            return LogoutResult(notRevoked: nil)
        } catch {
            return LogoutResult(notRevoked: Self.sentence(error))
        }
    }

    /// Revokes a session, with a new access token where the server takes the old one no more.
    private func revoke(_ before: Session) async throws(AuthFailure) {
        do throws(AuthFailure) {
            return try await client.logout(before.access)
        } catch {
            switch error {
            // The session is gone already, by the server's own words.
            case .refused: return
            case .key: break
            case .limited, .unclear, .unanswered, .aborted: throw error
            }
        }
        do throws(AuthFailure) {
            let renewed = try await client.refresh(before.refreshToken)
            try await client.logout(renewed.access)
        } catch {
            if case .refused = error { return }
            throw error
        }
    }

    private func begin() throws(RequestError) {
        guard !isBusy else {
            throw .station(.busy, "another login or logout is under way")
        }
        isBusy = true
    }

    private static func requestError(_ failure: AuthFailure) -> RequestError {
        switch failure {
        case .refused: .station(.refused, sentence(failure))
        case .key: .station(.refused, sentence(failure))
        case .limited, .unclear, .unanswered, .aborted: .station(.unreachable, sentence(failure))
        }
    }

    private static func sentence(_ failure: AuthFailure) -> String {
        switch failure {
        case .refused("invalid_credentials"), .refused("invalid_grant"):
            "the auth server refuses this e-mail address and password"
        case .refused("email_not_confirmed"): "the e-mail address is not confirmed yet"
        case .refused("user_banned"): "the account is banned"
        case .limited(let reason, let after?):
            "\(reason); try again in \(after.components.seconds) s"
        case .limited(let reason, nil): "\(reason); try again later"
        case .unanswered(let reason): "\(unreachable): \(reason)"
        case .refused, .key, .unclear, .aborted: failure.description
        }
    }
}
