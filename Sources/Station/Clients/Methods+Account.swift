internal import LineProtocols
internal import PlingsAPI

/// The methods that begin and end the station's session.
extension Methods {
    /// Carries out `account.login`.
    func login(
        _ request: StationRequest, _ client: ClientConnection
    ) async throws(RequestError) -> LoginResult {
        try mayAct(client)
        let parameters = try request.parameters(LoginParameters.self)
        try parameters.check()
        return try await keeper().login(
            email: parameters.email, password: Secret(parameters.password))
    }

    /// Carries out `account.logout`.
    func logout(_ client: ClientConnection) async throws(RequestError) -> LogoutResult {
        try mayAct(client)
        return try await keeper().logout()
    }

    private func keeper() throws(RequestError) -> SessionKeeper {
        guard let keeper = station.session else {
            throw .station(
                .notConfigured, "nobody can log in: [api] endpoint and auth_url are not both set")
        }
        return keeper
    }
}
