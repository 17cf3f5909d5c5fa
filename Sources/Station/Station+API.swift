internal import Configuration
internal import Platform
internal import PlingsAPI
internal import Scanning
internal import ServiceManager

/// The station's way to the API, and what it shows there.
extension Station {
    /// The longest wait for an answer of the auth server: somebody at a terminal waits too.
    private static let authPatience = Duration.seconds(20)

    /// The client of the API; nil where none is configured.
    ///
    /// - Throws: `StartError` naming what can't be used.
    static func client(
        _ api: StationConfiguration.API
    ) throws(StartError) -> PlingsClient? {
        guard let endpoint = api.endpoint else { return nil }
        do {
            return try PlingsClient(
                endpoint: endpoint, caFile: api.caFile, timeout: api.timeout,
                userAgent: "plingsd/\(ProductVersion.current)")
        } catch {
            throw StartError("[api] endpoint: \(error)")
        }
    }

    /// What keeps the session; nil where no auth server is configured.
    ///
    /// - Throws: `StartError` naming what can't be used.
    static func session(
        _ api: StationConfiguration.API, _ client: PlingsClient?, _ directory: String, _ log: Log
    ) throws(StartError) -> SessionKeeper? {
        guard let client, let url = api.authURL else { return nil }
        if let file = api.apiKeyFile, let warning = try? APIKeyFile.read(file).warning {
            log.warning("others can read the API key", ["cause": warning])
        }
        do {
            let auth = try AuthClient(
                url: url, apiKeyFile: api.apiKeyFile, timeout: min(api.timeout, authPatience),
                sharing: client)
            return SessionKeeper(
                client: auth, file: SessionFile(path: "\(directory)/session.json"), server: url,
                log: log)
        } catch {
            throw StartError("[api] auth_url: \(error)")
        }
    }

    /// Begins to have a token, from a session or else from a file.
    func startAuthorising() async {
        guard let session else {
            forwarder.onTokenRefused = { [token] in token.read() }
            token.onChange = { [forwarder] token, problem in
                forwarder.tokenChanged(token, problem: problem)
            }
            if configuration.api.endpoint != nil { token.start() }
            return
        }
        session.onChange = { [forwarder] credential in forwarder.take(credential) }
        forwarder.renewsToken = { [session] in session.tokenRefused() }
        forwarder.onScan = { [session] in session.scanned() }
        await session.start()
    }

    /// Reads the token file again.
    package func readToken() {
        // A station without an API has no use for a token, and misses none.
        if session == nil, configuration.api.endpoint != nil { token.read() }
    }
}
