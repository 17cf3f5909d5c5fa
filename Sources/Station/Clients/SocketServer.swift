internal import LineProtocols
internal import Platform
internal import ServiceManager

/// The station's socket: takes connections and counts them.
@LoopActor
final class SocketServer {
    /// The most programs that may be connected at once.
    static let connectionLimit = 256

    /// The file to remove at the end; nil where it is another's.
    private let file: String?
    private let listener: Descriptor
    private let log: Log
    private let connect: @LoopActor (consuming Descriptor) -> ClientConnection?
    private var watch: EventLoop.WatchID?
    private var isStopped = false
    private var connections: [ObjectIdentifier: ClientConnection] = [:]

    /// The programs that are connected.
    var count: Int { connections.count }

    /// A server that does not take connections yet.
    init(
        _ listener: consuming StationListener, log: Log,
        connect: @escaping @LoopActor (consuming Descriptor) -> ClientConnection?
    ) {
        file = listener.file
        self.listener = listener.release()
        self.log = log
        self.connect = connect
    }

    /// Begins to take connections.
    func start() throws(SystemError) {
        watch = try LoopActor.watch(listener.number, for: .readable) { [weak self] _ in
            self?.accept()
        }
    }

    /// Takes no more connections, ends those that are there and removes the file if it made it.
    func stop() {
        isStopped = true
        if let watch { LoopActor.loop.unwatch(watch) }
        watch = nil
        for connection in connections.values { connection.close() }
        if let file { UnixSocket.remove(file) }
    }

    func forget(_ connection: ClientConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    private func accept() {
        do {
            while let socket = try UnixSocket.accept(listener.number) { take(socket) }
        } catch {
            // Without descriptors the socket would stay readable: it is left alone for a while.
            log.error("no connection can be taken", ["cause": error.description])
            if let watch { LoopActor.loop.unwatch(watch) }
            watch = nil
            LoopActor.after(.seconds(1)) { [weak self] in
                guard let self, !isStopped else { return }
                try? start()
            }
        }
    }

    private func take(_ socket: consuming Descriptor) {
        guard connections.count < Self.connectionLimit else { return refuse(socket) }
        // One that was gone before it was greeted has been forgotten already.
        guard let connection = connect(socket), connection.isOpen else { return }
        connections[ObjectIdentifier(connection)] = connection
    }

    private func refuse(_ socket: borrowing Descriptor) {
        let text = "the station has \(Self.connectionLimit) connections, which is the most"
        let line = StationLine.error(.station(.busy, text), id: nil)
        _ = line.withUnsafeBytes { socket.write($0) }
        log.warning("a connection was refused: there are too many")
    }
}
