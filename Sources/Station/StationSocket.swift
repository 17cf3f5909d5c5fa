internal import Configuration
internal import Platform
internal import ServiceManager

/// Where the socket is and who may use it, with the groups looked up.
struct StationSocket {
    let path: String
    let mode: UInt32
    let group: UInt32?
    let controlGroup: UInt32?

    /// Looks up the groups.
    ///
    /// A group that the operator named must exist. Without the default one the socket is for the
    /// station's own user alone, which is said once.
    ///
    /// - Throws: `StartError` naming the group that is missing.
    init(
        _ configuration: StationConfiguration.Socket, path: String, log: Log
    ) throws(StartError) {
        self.path = path
        controlGroup = try Self.find(configuration.controlGroup)
        group = try Self.find(configuration.group)
        mode = group == nil ? 0o600 : configuration.mode
        if group == nil {
            log.warning(
                "the group does not exist: only the station's own user can connect",
                ["group": configuration.group.name])
        }
    }

    private static func find(
        _ group: StationConfiguration.Socket.Group
    ) throws(StartError) -> UInt32? {
        let id = Accounts.groupID(group.name)
        if id == nil && group.isConfigured {
            throw StartError("[socket]: there is no group \(group.name) on this machine")
        }
        return id
    }
}
