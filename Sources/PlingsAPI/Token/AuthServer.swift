/// The addresses of an auth server of Supabase's kind.
///
/// Source: Supabase Auth (GoTrue), POST /token and POST /logout below /auth/v1.
struct AuthServer: Sendable, Equatable {
    /// Where an e-mail address and a password become a session.
    let password: Endpoint
    /// Where a refresh token becomes the next session.
    let refresh: Endpoint
    /// Where this one session is revoked, and no other of the account.
    let logout: Endpoint

    /// Takes the address that is configured, with or without `/auth/v1` at its end.
    ///
    /// - Throws: `EndpointError`, which says what to change.
    init(_ text: String) throws(EndpointError) {
        let base = Self.base(text)
        password = try Endpoint(base + "/token?grant_type=password")
        refresh = try Endpoint(base + "/token?grant_type=refresh_token")
        logout = try Endpoint(base + "/logout?scope=local")
    }

    private static let path = "/auth/v1"

    private static func base(_ text: String) -> String {
        var base = text[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        return base.hasSuffix(path) ? String(base) : base + path
    }
}
