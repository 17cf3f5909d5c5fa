import LineProtocols
import Platform
import Scanning
import TestRig

@testable import Station
@testable import Storage

/// The station's socket on a real journal, with methods of the test's own.
@LoopActor
final class SocketBench {
    let bench: Bench
    let server: SocketServer
    let path: String
    private let connections: Connections
    private var slow: [CheckedContinuation<Void, Never>] = []

    /// Those who connected, to be looked at.
    @LoopActor
    private final class Connections {
        var all: [ClientConnection] = []
        weak var bench: SocketBench?

        nonisolated init() {}
    }

    init(patience: Duration = ClientConnection.patience) throws {
        // As the daemon does first of all: it ignores SIGPIPE.
        Signals.block([])
        let bench = try Bench()
        let path = "\(bench.folder.path)/s"
        let connections = Connections()
        let late = Late()
        let listener = StationListener(
            try UnixSocket.listen(at: path, mode: 0o600, group: nil), file: path)
        server = SocketServer(listener, log: .quiet) {
            (socket: consuming Descriptor) in
            let connection = ClientConnection(
                socket: socket, peer: nil,
                permissions: Permissions(
                    of: UnixSocket.Peer(pid: 1, uid: 0, groups: []), daemonUser: 0,
                    controlGroup: nil, readers: []),
                hub: bench.hub, store: bench.store, patience: patience,
                onClose: { late.server?.forget($0) },
                answer: { await connections.bench?.answer($0, $1) ?? [] })
            connections.all.append(connection)
            let hello = Hello(
                version: "0", station: "test", log: bench.store.log, first: bench.hub.first,
                last: bench.hub.last, may: ["watch"])
            try? connection.start(hello: hello)
            return connection
        }
        late.server = server
        self.bench = bench
        self.path = path
        self.connections = connections
        connections.bench = self
        try server.start()
    }

    private final class Late {
        weak var server: SocketServer?
    }

    /// A client that has read its hello.
    func connect() async throws -> SocketClient {
        let client = try SocketClient(path)
        _ = await client.line()
        return client
    }

    /// A client that has subscribed and read the reply.
    func subscriber(_ parameters: String = "{}") async throws -> SocketClient {
        let client = try await connect()
        await client.request("subscribe", parameters)
        _ = await client.line()
        return client
    }

    /// Records so many events and waits until they are published.
    func record(_ count: Int, type: String = "scan", size: Int = 0) async {
        for number in 1...count {
            bench.journal.record(
                Change(events: [Sample.draft("\(number)", type: type, size: size)]),
                completion: nil)
        }
        await bench.journal.settle()
    }

    /// Ends everything.
    func stop() {
        letGo()
        server.stop()
    }

    // MARK: Methods

    /// How many calls of `fast` were answered.
    private(set) var answered = 0
    /// How many of them before `last`.
    private(set) var answeredBeforeLast = Int.max

    /// How many calls of `slow` wait.
    var slowCalls: Int { slow.count }

    /// Lets the calls of `slow` be answered.
    func letGo() {
        for waiter in slow { waiter.resume() }
        slow = []
    }

    private func answer(_ request: StationRequest, _ client: ClientConnection) async -> [UInt8] {
        do {
            switch request.method {
            case "subscribe":
                return StationLine.reply(
                    request.id,
                    client.subscribe(
                        try request.parameters(SubscribeParameters.self),
                        knownReaders: ["usb-1", "door"]))
            case "unsubscribe":
                client.unsubscribe()
                return StationLine.reply(request.id, EmptyObject())
            case "slow":
                await withCheckedContinuation { slow.append($0) }
                return StationLine.reply(request.id, EmptyObject())
            case "fast":
                answered += 1
                return StationLine.reply(request.id, EmptyObject())
            case "last":
                answeredBeforeLast = answered
                return StationLine.reply(request.id, EmptyObject())
            default: throw RequestError.unknownMethod(request.method)
            }
        } catch let error as RequestError {
            return StationLine.error(error, id: request.id)
        } catch {
            preconditionFailure("methods throw RequestError alone")
        }
    }
}
