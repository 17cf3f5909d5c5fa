internal import Configuration
internal import Platform
internal import ServiceManager

/// Where the socket is and who may use it, with the groups looked up.
struct StationSocket {
    let path: String
    let mode: UInt32
    let group: UInt32?
    let controlGroup: UInt32?
    /// The socket that systemd has made, where it has.
    private let handed: HandedSocket?

    /// Looks up the groups.
    ///
    /// Where systemd has made the socket, path, mode and group are its own; where the configuration
    /// says otherwise, that is said once.
    ///
    /// A group that the operator named must exist. Without the default one the socket is for the
    /// station's own user alone, which is said once.
    ///
    /// - Throws: `StartError` naming the group that is missing.
    init(
        _ configuration: StationConfiguration.Socket, path: String, handed: HandedSocket? = nil,
        log: Log
    ) throws(StartError) {
        self.path = handed?.path ?? path
        self.handed = handed
        controlGroup = try Self.find(configuration.controlGroup)
        group = try Self.find(configuration.group)
        mode = group == nil ? 0o600 : configuration.mode
        if let handed {
            let difference = handed.difference(
                path: configuration.path, mode: configuration.mode, group: group)
            if let difference {
                log.warning(
                    "systemd's socket is used as its unit has it, not as [socket] says",
                    ["difference": difference])
            } else {
                log.info("systemd's socket is used", ["path": handed.path])
            }
        } else if group == nil {
            log.warning(
                "the group does not exist: only the station's own user can connect",
                ["group": configuration.group.name])
        }
    }

    /// Listens, or takes over what systemd has made.
    ///
    /// - Throws: `UnixSocket.ListenError`, also where another station listens there.
    func listener() throws(UnixSocket.ListenError) -> StationListener {
        if let handed { return StationListener(Descriptor(owning: handed.number), file: nil) }
        return StationListener(
            try UnixSocket.listen(at: path, mode: mode, group: group), file: path)
    }

    private static func find(
        _ group: StationConfiguration.Socket.Group
    ) throws(StartError) -> UInt32? {
        let id = SystemUsers.groupID(group.name)
        if id == nil && group.isConfigured {
            throw StartError("[socket]: there is no group \(group.name) on this machine")
        }
        return id
    }
}

/// A socket that is listened on.
struct StationListener: ~Copyable {
    let socket: Descriptor
    /// The file to remove at the end; nil where it is another's.
    let file: String?

    init(_ socket: consuming Descriptor, file: String?) {
        self.socket = socket
        self.file = file
    }

    /// Gives the socket away.
    consuming func release() -> Descriptor { socket }
}
