internal import Configuration
internal import Platform

/// What a good configuration asks for and this machine can't give, or what its parts can't do alone.
enum ConfigurationAdvice {
    /// Looks at files and programs that are named; blocks for as long as their disks do.
    ///
    /// - Returns: A sentence each; none keeps the station from starting.
    static func sentences(_ configuration: StationConfiguration) -> [String] {
        credentials(configuration.api) + configuration.readerEntries.compactMap(command)
    }

    private static func credentials(_ api: StationConfiguration.API) -> [String] {
        var sentences: [String] = []
        let hasCredential = api.authURL != nil || api.tokenFile != nil
        if api.endpoint != nil, !hasCredential {
            sentences.append(
                "[api] endpoint is set without auth_url or token_file: nothing is delivered "
                    + "without a token")
        }
        if api.endpoint == nil, hasCredential {
            let key = api.authURL == nil ? "token_file" : "auth_url"
            sentences.append("[api] \(key) is set without endpoint: scans go to no API")
        }
        let files = [("api_key_file", api.apiKeyFile), ("ca_file", api.caFile)]
        for case (let key, let path?) in files where !FilePath.exists(path) {
            sentences.append("[api] \(key): \(path) is not there")
        }
        return sentences
    }

    private static func command(_ entry: StationConfiguration.ReaderEntry) -> String? {
        guard case .exec(let command) = entry.kind, let program = command.first,
            let fault = ProgramFault.look(at: program)
        else { return nil }
        let name = entry.name ?? FilePath.lastComponent(program)
        return "the reader \(name) can't be started: \(fault)"
    }
}
