/// Where a station keeps its state and its socket, unless it is configured otherwise.
///
/// Three cases: systemd names the folders; root without systemd uses the system's; a person uses
/// the folders of the XDG Base Directory Specification. Nothing here looks at the file system.
package enum StationPaths {
    private static let folder = "plingsd"
    private static let socketName = "plingsd.sock"

    /// The folder for what must survive a restart.
    ///
    /// Source: systemd.exec(5), STATE_DIRECTORY; XDG Base Directory Specification 0.8,
    /// XDG_STATE_HOME.
    ///
    /// - Parameters:
    ///   - environment: The environment variables by name.
    ///   - uid: The user the station runs as.
    /// - Returns: An absolute path; the system's folder for a person without a home.
    package static func stateDirectory(environment: [String: String], uid: UInt32) -> String {
        if let given = first(in: environment["STATE_DIRECTORY"]) { return given }
        guard uid != 0 else { return "/var/lib/\(folder)" }
        return personalState(environment) ?? "/var/lib/\(folder)"
    }

    /// The folder for the socket.
    ///
    /// Source: systemd.exec(5), RUNTIME_DIRECTORY; XDG Base Directory Specification 0.8,
    /// XDG_RUNTIME_DIR.
    ///
    /// - Parameters:
    ///   - environment: The environment variables by name.
    ///   - uid: The user the station runs as.
    /// - Returns: An absolute path; the state folder for a person without a runtime folder.
    package static func runtimeDirectory(environment: [String: String], uid: UInt32) -> String {
        if let given = first(in: environment["RUNTIME_DIRECTORY"]) { return given }
        guard uid != 0 else { return "/run/\(folder)" }
        return personalRuntime(environment) ?? stateDirectory(environment: environment, uid: uid)
    }

    /// The socket that a station listens on.
    package static func defaultSocket(environment: [String: String], uid: UInt32) -> String {
        "\(runtimeDirectory(environment: environment, uid: uid))/\(socketName)"
    }

    /// The sockets that a client looks for.
    ///
    /// A client's own RUNTIME_DIRECTORY and STATE_DIRECTORY belong to its service, not to the
    /// station's, and are not asked.
    ///
    /// - Parameter environment: The client's environment variables by name.
    /// - Returns: Paths, the system's station first.
    package static func clientSockets(environment: [String: String]) -> [String] {
        let folders = [
            "/run/\(folder)", personalRuntime(environment), personalState(environment),
        ]
        return folders.compactMap { $0 }.map { "\($0)/\(socketName)" }
    }

    private static func personalRuntime(_ environment: [String: String]) -> String? {
        absolute(environment["XDG_RUNTIME_DIR"]).map { "\($0)/\(folder)" }
    }

    private static func personalState(_ environment: [String: String]) -> String? {
        let home = absolute(environment["HOME"]).map { "\($0)/.local/state" }
        return (absolute(environment["XDG_STATE_HOME"]) ?? home).map { "\($0)/\(folder)" }
    }

    /// The first path of a list divided by colons.
    private static func first(in list: String?) -> String? {
        list?.split(separator: ":").first.map(String.init)
    }

    /// A path that counts: the specification has relative ones ignored, and empty means unset.
    private static func absolute(_ path: String?) -> String? {
        guard let path, path.hasPrefix("/") else { return nil }
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
