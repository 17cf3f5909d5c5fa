internal import Glibc
internal import Platform

/// Which socket a command talks to.
enum StationSocket {
    /// Chooses the path.
    ///
    /// - Parameters:
    ///   - named: The value of `--socket`.
    ///   - environment: The environment variables by name.
    ///   - exists: Whether something stands at a path.
    /// - Returns: What the person named, else the environment, else the first that exists.
    /// - Throws: `ConnectionError.noSocket` where nothing was named and nothing exists.
    static func path(
        named: String?, environment: [String: String], exists: (String) -> Bool = Self.exists
    ) throws -> String {
        if let named { return named }
        if let named = environment["PLINGSD_SOCKET"], !named.isEmpty { return named }
        let candidates = StationPaths.clientSockets(environment: environment)
        guard let path = candidates.first(where: exists) else {
            throw ConnectionError.noSocket(paths: candidates)
        }
        return path
    }

    /// Whether something stands there, or stands where we may not look.
    private static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0 || errno == EACCES
    }
}
