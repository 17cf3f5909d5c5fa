import Glibc
import LineProtocols
import Platform
import Synchronization

@testable import StationClient

/// A station played from a script over a real socket, byte for byte, on a thread of its own.
///
/// It takes one connection after the other; after the last it stops listening and leaves the
/// socket file behind, as a daemon does that was killed.
final class ScriptedStation: Sendable {
    /// What the station does next on a connection.
    enum Step: Sendable {
        /// Sends a line, its LF added.
        case send(String)
        case sendBytes([UInt8])
        /// Sends a byte now and then until the client closes.
        case drip(UInt8)
        /// Sends nothing but a byte, as fast as it is taken, until the client closes.
        case flood(UInt8)
        /// The client must send exactly this line next.
        case expect(String)
        /// Waits until the client closes.
        case awaitClose
        /// Lets no more happen before the test says so.
        case awaitRelease
    }

    /// How long the script may take before the test gives it up.
    static let patience = Duration.seconds(30)

    let path: String
    private let state = Mutex(State())
    private let finished: Platform.Pipe
    private let release: Platform.Pipe

    private struct State {
        var problems: [String] = []
    }

    /// Listens and starts the thread.
    ///
    /// - Parameters:
    ///   - path: Where the socket shall be.
    ///   - connections: The steps of one connection after the other; each is closed at its end.
    /// - Throws: `UnixSocket.ListenError`; `SystemError`.
    init(at path: String, _ connections: [Step]...) throws {
        self.path = path
        // A client that closed is an error of the write and not the end of all tests.
        signal(SIGPIPE, SIG_IGN)
        finished = try Descriptor.pipe()
        release = try Descriptor.pipe()
        let listener = try UnixSocket.listen(at: path, mode: 0o600, group: nil).release()
        Threads.start(name: "station") { [self] in
            play(connections, listener)
            close(listener)
            _ = [UInt8(1)].withUnsafeBytes { finished.write.write($0) }
        }
    }

    private func play(_ connections: [[Step]], _ listener: Int32) {
        do {
            for steps in connections {
                _ = try Waiter().wait(for: listener, until: Deadline.after(Self.patience))
                guard let socket = try UnixSocket.accept(listener) else {
                    return complain("nobody connected")
                }
                var player = Player(socket, release: release.read.number)
                for step in steps { try player.play(step) }
            }
        } catch {
            complain("\(error)")
        }
    }

    private func complain(_ problem: String) {
        state.withLock { $0.problems.append(problem) }
    }

    /// Lets the script pass its `awaitRelease`.
    func proceed() {
        _ = [UInt8(1)].withUnsafeBytes { release.write.write($0) }
    }

    /// Waits for the script's end; blocks.
    ///
    /// - Returns: What the client did otherwise than the script has it.
    func problems() -> [String] {
        let outcome = try? Waiter().wait(
            for: finished.read.number, until: Deadline.after(Self.patience))
        if outcome != .ready { complain("the script did not end") }
        return state.withLock { $0.problems }
    }
}

/// The station's side of one connection.
private struct Player: ~Copyable {
    struct Surprise: Error, CustomStringConvertible {
        let description: String
    }

    private let socket: Descriptor
    private let release: Int32
    private var splitter = LineSplitter(limit: LineChannel.lineLimit)
    private var lines: [[UInt8]] = []

    init(_ socket: consuming Descriptor, release: Int32) {
        self.socket = socket
        self.release = release
    }

    mutating func play(_ step: ScriptedStation.Step) throws {
        switch step {
        case .send(let line): try send(Array("\(line)\n".utf8))
        case .sendBytes(let bytes): try send(bytes)
        case .drip(let byte): try drip(byte)
        case .flood(let byte): try flood(byte)
        case .expect(let line): try expect(line)
        case .awaitClose:
            while let extra = try nextLine() {
                throw Surprise(description: "unexpected: \(String(decoding: extra, as: UTF8.self))")
            }
        case .awaitRelease: try wait(for: release, POLLIN)
        }
    }

    private func wait(for descriptor: Int32, _ readiness: Int32) throws {
        let deadline = Deadline.after(ScriptedStation.patience)
        guard try Waiter().wait(for: descriptor, readiness, until: deadline) == .ready else {
            throw Surprise(description: "nothing happened for \(ScriptedStation.patience)")
        }
    }

    private func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try wait(for: socket.number, POLLOUT)
            guard let count = rest.withUnsafeBytes({ socket.write($0) }) else {
                throw SystemError("write")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends where the client has closed, which is what is waited for.
    private func drip(_ byte: UInt8) throws {
        let pause = Duration.milliseconds(5)
        while [byte].withUnsafeBytes({ socket.write($0) }) != nil {
            _ = try Waiter().wait(until: Deadline.after(pause))
        }
    }

    /// Ends as `drip` does.
    private func flood(_ byte: UInt8) throws {
        let bytes = [UInt8](repeating: byte, count: 65_536)
        do {
            while true { try send(bytes) }
        } catch let error as SystemError where error.code == EPIPE || error.code == ECONNRESET {
            return
        }
    }

    private mutating func expect(_ line: String) throws {
        let received = try nextLine().map { String(decoding: $0, as: UTF8.self) }
        guard received == line else {
            throw Surprise(description: "expected \(line), got \(received ?? "the end")")
        }
    }

    private mutating func nextLine() throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while lines.isEmpty {
            try wait(for: socket.number, POLLIN)
            switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
            case .bytes(let count): lines += splitter.append(buffer[..<count])
            case .end, .failed: return nil
            case .wouldBlock: break
            }
        }
        return lines.removeFirst()
    }
}
