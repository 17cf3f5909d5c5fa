internal import Glibc
internal import Platform

/// Sockets on 127.0.0.1.
enum Loopback {
    /// A listening socket on a free port.
    static func listen() throws(SystemError) -> Descriptor {
        let listener = try bind()
        guard Glibc.listen(listener.number, 64) == 0 else {
            throw SystemError("listen", "127.0.0.1")
        }
        return listener
    }

    /// A socket that has a free port and does not listen.
    static func bind() throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = socket(AF_INET, type, 0)
        guard number >= 0 else { throw SystemError("socket") }
        let socket = Descriptor(owning: number)
        var address = self.address(0)
        let bound = withPointer(to: &address) { Glibc.bind(number, $0, size) }
        guard bound == 0 else { throw SystemError("bind", "127.0.0.1") }
        return socket
    }

    /// The port that a socket was given.
    static func port(of socket: borrowing Descriptor) throws(SystemError) -> UInt16 {
        var address = sockaddr_in()
        var length = size
        let number = socket.number
        guard withPointer(to: &address, { getsockname(number, $0, &length) }) == 0 else {
            throw SystemError("getsockname")
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// A socket that has begun to connect, whatever becomes of it; the caller closes it.
    static func startConnecting(to port: UInt16) throws(SystemError) -> Int32 {
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let number = socket(AF_INET, Int32(type), 0)
        guard number >= 0 else { throw SystemError("socket") }
        var address = self.address(port)
        _ = withPointer(to: &address) { connect(number, $0, size) }
        return number
    }

    private static let size = socklen_t(MemoryLayout<sockaddr_in>.size)

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func withPointer(
        to address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }

    /// Sends everything; false where the peer is gone.
    static func send(_ bytes: [UInt8], _ number: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.send(
                    number, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Has close(2) send a reset in place of an end.
    ///
    /// Source: socket(7), SO_LINGER.
    static func resetOnClose(_ number: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}

/// A gate that threads wait at until it is opened for good.
final class Gate: Sendable {
    private let pipe: Pipe

    init() throws(SystemError) {
        pipe = try Descriptor.pipe()
    }

    func open() {
        // Never read, so that everybody sees it.
        _ = withUnsafeBytes(of: UInt8(1)) { pipe.write.write($0) }
    }

    /// Waits until the gate is open; false where the peer closes the connection first.
    func wait(orClosed connection: Int32) -> Bool {
        var entries = [
            pollfd(fd: pipe.read.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&entries, 2, -1) < 0 {}
        return entries[0].revents != 0
    }
}

/// Requests read from a connection.
struct ByteStream {
    private let number: Int32
    private var buffer: [UInt8] = []

    init(_ number: Int32) {
        self.number = number
    }

    /// The next whole request, nil at the end of the connection.
    mutating func request(on connection: Int) -> ScriptedHTTPServer.Request? {
        guard let end = headEnd() else { return nil }
        let head = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 4)
        let empty = ScriptedHTTPServer.Request(connection: connection, head: head, body: [])
        let length = empty.header("content-length").flatMap { Int($0) } ?? 0
        while buffer.count < length { guard fill() else { return nil } }
        let body = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return ScriptedHTTPServer.Request(connection: connection, head: head, body: body)
    }

    private mutating func headEnd() -> Int? {
        let blank = Array("\r\n\r\n".utf8)
        while true {
            let starts = buffer.indices.dropLast(3)
            if let end = starts.first(where: { buffer[$0..<$0 + 4].elementsEqual(blank) }) {
                return end
            }
            guard fill() else { return nil }
        }
    }

    private mutating func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = recv(number, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }
}
