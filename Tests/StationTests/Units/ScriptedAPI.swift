import Glibc
import LineProtocols
import Platform

/// An API on this machine that answers when and as a test says: HTTP on a real socket.
@LoopActor
final class ScriptedAPI {
    /// A request that came in.
    struct Request {
        let number: Int
        /// The scan's id; nil for a probe.
        let scan: String?
        let token: String?
        let body: String
        fileprivate let connection: Int
    }

    /// What is answered.
    struct Reply {
        var status = 200
        var headers: [String] = []
        let body: String

        static func object(_ name: String = "Bicycle", ttl: Int = 300) -> Reply {
            let routing = #"{"action":"REDIRECT","cacheTTL":\#(ttl)}"#
            let object = #"{"objectId":"o1","name":"\#(name)","canEdit":true}"#
            return Reply(
                body: #"{"data":{"resolveIdentifier":{"success":true,"routing":\#(routing),"#
                    + #""object":\#(object),"scanEvent":{"id":"e1"}}}}"#)
        }

        static let probed = Reply(body: #"{"data":{"__typename":"Query"}}"#)
        static let broken = Reply(status: 500, body: "oops")
        static let unauthenticated = Reply(status: 401, body: "")

        static func limited(seconds: Int) -> Reply {
            Reply(status: 429, headers: ["Retry-After: \(seconds)"], body: "")
        }

        static func refused(_ code: String, _ message: String) -> Reply {
            let error = #"{"message":"\#(message)","extensions":{"code":"\#(code)"}}"#
            return Reply(body: #"{"data":null,"errors":[\#(error)]}"#)
        }
    }

    let port: UInt16
    private let listener: Descriptor
    private var watch: EventLoop.WatchID?
    private var connections: [Int: Connection] = [:]
    private var lastConnection = 0
    private var lastRequest = 0
    /// Requests that were not answered yet.
    private(set) var waiting: [Request] = []
    /// The scans that were sent, in the order in which their requests came.
    private(set) var sent: [String] = []
    /// Answers requests as they come, by default probes alone; nil leaves one waiting.
    var script: @LoopActor (Request) -> Reply? = { $0.scan == nil ? .probed : nil }

    private final class Connection {
        let socket: Descriptor
        var watch: EventLoop.WatchID?
        var received: [UInt8] = []

        init(_ socket: consuming Descriptor) {
            self.socket = socket
        }
    }

    init() throws {
        let kind = Int32(SOCK_STREAM.rawValue)
        let listener = Descriptor(owning: Glibc.socket(AF_INET, kind, 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener.number, address, size) == 0 && listen(listener.number, 16) == 0
                    && getsockname(listener.number, address, &size) == 0
            }
        }
        guard result else { throw SystemError("bind", "127.0.0.1") }
        port = UInt16(bigEndian: address.sin_port)
        try listener.setNonBlocking()
        self.listener = listener
        watch = try LoopActor.watch(self.listener.number, for: .readable) { [weak self] _ in
            self?.accept()
        }
    }

    var openConnections: Int { connections.count }

    var endpoint: String { "http://127.0.0.1:\(port)/graphql" }

    /// Ends the server: nobody listens any more.
    func stop() {
        if let watch { LoopActor.loop.unwatch(watch) }
        watch = nil
        for number in connections.keys { close(number) }
        _ = shutdown(listener.number, Int32(SHUT_RDWR))
    }

    // MARK: Answering

    /// Waits for the request of a scan.
    func request(of scan: String) async -> Request? {
        _ = await eventually { waiting.contains { $0.scan == scan } }
        return waiting.first { $0.scan == scan }
    }

    /// Waits until so many requests wait for an answer.
    func requests(_ count: Int) async -> [Request] {
        _ = await eventually { waiting.count >= count }
        return waiting
    }

    func answer(_ request: Request, _ reply: Reply) {
        waiting.removeAll { $0.number == request.number }
        guard let connection = connections[request.connection] else { return }
        let head =
            ["HTTP/1.1 \(reply.status) X", "Content-Length: \(reply.body.utf8.count)"]
            + ["Content-Type: application/json"] + reply.headers + ["", reply.body]
        _ = Array(head.joined(separator: "\r\n").utf8).withUnsafeBytes {
            connection.socket.write($0)
        }
    }

    /// Closes the connection in place of an answer.
    func hangUp(on request: Request) {
        waiting.removeAll { $0.number == request.number }
        close(request.connection)
    }

    // MARK: HTTP

    private func accept() {
        while true {
            let socket = Glibc.accept(listener.number, nil, nil)
            guard socket >= 0 else { return }
            let connection = Connection(Descriptor(owning: socket))
            try? connection.socket.setNonBlocking()
            lastConnection += 1
            let number = lastConnection
            connections[number] = connection
            connection.watch = try? LoopActor.watch(socket, for: .readable) { [weak self] _ in
                self?.read(number)
            }
        }
    }

    private func close(_ number: Int) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        if let watch = connection.watch { LoopActor.loop.unwatch(watch) }
        UnixSocket.shutDown(connection.socket)
    }

    private func read(_ number: Int) {
        guard let connection = connections[number] else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        switch buffer.withUnsafeMutableBytes({ connection.socket.read(into: $0) }) {
        case .bytes(let count): connection.received += buffer[..<count]
        case .wouldBlock: return
        case .end, .failed: return close(number)
        }
        while let request = takeRequest(from: connection, number) { take(request) }
    }

    private func take(_ request: Request) {
        if let scan = request.scan { sent.append(scan) }
        waiting.append(request)
        if let reply = script(request) { answer(request, reply) }
    }

    private func takeRequest(from connection: Connection, _ number: Int) -> Request? {
        let text = String(decoding: connection.received, as: UTF8.self)
        guard let end = text.utf8.firstRange(of: "\r\n\r\n".utf8) else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        let length = Self.header("content-length", lines).flatMap { Int($0) } ?? 0
        let start = text.utf8.distance(from: text.startIndex, to: end.upperBound)
        guard connection.received.count >= start + length else { return nil }
        let body = String(decoding: connection.received[start..<start + length], as: UTF8.self)
        connection.received.removeFirst(start + length)
        lastRequest += 1
        return Request(
            number: lastRequest, scan: Self.header("idempotency-key", lines),
            token: Self.header("authorization", lines), body: body, connection: number)
    }

    private static func header(_ name: String, _ lines: [Substring]) -> String? {
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == name else { continue }
            return String(parts[1].drop { $0 == " " })
        }
        return nil
    }
}
