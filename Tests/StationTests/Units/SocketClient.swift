import FoundationEssentials
import Glibc
import LineProtocols
import Platform

/// A program at the station's socket that waits on a thread of its own.
actor SocketClient {
    private let executor = ThreadExecutor(name: "test client")
    private let socket: Descriptor
    private var received: [UInt8] = []
    private var isAtEnd = false

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Connects.
    ///
    /// - Parameter path: The station's socket.
    /// - Throws: `SystemError` where nobody listens.
    init(_ path: String) throws {
        socket = try UnixSocket.connect(to: path)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    }

    deinit {
        executor.stop()
    }

    /// Sends text as it is.
    func send(_ text: String) {
        send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    /// Sends a request.
    func request(_ method: String, id: Int = 1, _ parameters: String = "{}") {
        send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"# + "\n")
    }

    /// Ends sending; reading goes on.
    func finishSending() {
        UnixSocket.finishSending(socket)
    }

    /// Ends reading; the other side's writing then fails, and sending goes on.
    func finishReading() {
        shutdown(socket.number, Int32(SHUT_RD))
    }

    /// Ends the connection.
    func close() {
        UnixSocket.shutDown(socket)
    }

    /// The next line; nil at the end, or where none comes within ten seconds.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeFirst(end + 1)
                return line
            }
            guard readMore() else { return nil }
        }
    }

    func lines(_ count: Int) -> [String] {
        var lines: [String] = []
        while lines.count < count, let line = line() { lines.append(line) }
        return lines
    }

    /// The next line as a message.
    func message() -> Message? {
        line().flatMap(Message.init)
    }

    /// The seqs of so many events.
    func seqs(_ count: Int) -> [Int64?] {
        lines(count).map { PublishedEvent(Array($0.utf8))?.seq }
    }

    /// Whether the server has ended the connection; reads everything before.
    func isClosed() -> Bool {
        while readMore() {}
        return isAtEnd
    }

    private func readMore() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
        case .bytes(let count):
            received += buffer[..<count]
            return true
        case .end:
            isAtEnd = true
            return false
        case .failed(ECONNRESET):
            isAtEnd = true
            return false
        case .wouldBlock, .failed: return false
        }
    }
}

/// A line of the server, as far as tests look at it.
struct Message: Decodable, Sendable {
    let id: RequestID?
    let method: String?
    let error: RequestError?

    init?(_ line: String) {
        guard let read = try? JSONDecoder().decode(Message.self, from: Data(line.utf8)) else {
            return nil
        }
        self = read
    }
}
