internal import Configuration
internal import LineProtocols
internal import Platform
internal import Scanning
internal import ServiceManager
internal import Storage

/// What the station does for the programs at its socket.
extension Station {
    /// Greets a program that has connected.
    ///
    /// - Returns: Its connection; nil where it could not be taken.
    func connect(_ socket: consuming Descriptor) -> ClientConnection? {
        let peer = UnixSocket.Peer(of: socket)
        let permissions = Permissions(
            of: peer, daemonUser: SystemUsers.effectiveUser, controlGroup: self.socket.controlGroup,
            readers: Set((supervisors + retiring).compactMap(\.pid)))
        let methods = Methods(station: self)
        let connection = ClientConnection(
            socket: socket, peer: peer, permissions: permissions, hub: hub, store: store,
            onClose: { [weak self] connection in self?.server?.forget(connection) },
            answer: { request, client in await methods.answer(request, from: client) })
        let hello = Hello(
            version: ProductVersion.current, station: name, log: store.log, first: hub.first,
            last: hub.last, may: permissions.words)
        do {
            try connection.start(hello: hello)
            return connection
        } catch {
            log.warning("a connection could not be taken", ["cause": error.description])
            return nil
        }
    }

    /// What programs may do with the outbox.
    var outbox: OutboxMethods {
        OutboxMethods(store: store, journal: journal, forwarder: forwarder, recorder: recorder)
    }

    /// Why a program may not add to what waits for delivery; nil where it may.
    ///
    /// The last of the disk is for scans of readers, which can't be asked to come later.
    func refusalOfWork() async -> String? {
        if let failure = journal.failure { return "nothing can be stored now: \(failure)" }
        // What can't be told now shows in the commit, which refuses an order that it can't store.
        guard let room = try? await store.room() else { return nil }
        guard room.isThere else {
            return "the disk of the store has less than 64 MiB left, which are kept for tags"
        }
        guard room.waiting >= configuration.store.maxJobs else { return nil }
        return "too many deliveries wait: [store] max_jobs is reached"
    }
}
