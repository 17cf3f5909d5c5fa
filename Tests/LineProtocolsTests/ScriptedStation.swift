import Glibc
import LineProtocols
import Platform
import TestRig

/// A socket whose first connections are treated as scripts say, on a thread of its own.
///
/// It plays the station, for tests of those who talk to it, word for word or wrongly.
final class ScriptedStation: Sendable {
    let path: String
    private let folder: TestFolder

    /// Listens; the connection ends with the script.
    convenience init(_ script: @escaping @Sendable (inout Connection) -> Void) throws {
        try self.init(connections: [script])
    }

    /// Listens; one connection after the other ends with its script.
    init(connections: [@Sendable (inout Connection) -> Void]) throws {
        folder = TestFolder()
        path = "\(folder.path)/s.sock"
        let listener = try UnixSocket.listen(at: path, mode: 0o600, group: nil)
        let number = listener.release()
        Threads.start(name: "scripted") {
            let listener = Descriptor(owning: number)
            for script in connections {
                guard Self.isReady(number, POLLIN) else { return }
                do {
                    guard let socket = try UnixSocket.accept(number) else { return }
                    var connection = Connection(socket: socket)
                    script(&connection)
                } catch {
                    fatalError("\(error)")
                }
            }
            _ = listener
        }
    }

    /// Waits until a descriptor is ready, for a time that only a failure needs.
    private static func isReady(_ number: Int32, _ events: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(events), revents: 0)
        return poll(&entry, 1, 20_000) > 0
    }

    /// The station's end of the connection.
    struct Connection: ~Copyable {
        private let socket: Descriptor
        private var splitter = LineSplitter()
        private var lines: [[UInt8]] = []

        init(socket: consuming Descriptor) {
            self.socket = socket
        }

        /// Sends a text as it is, or what the client takes of it.
        func send(_ text: String) {
            send(Array(text.utf8))
        }

        func send(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty, ScriptedStation.isReady(socket.number, POLLOUT),
                let count = rest.withUnsafeBytes({ socket.write($0) })
            {
                rest = rest.dropFirst(count)
            }
        }

        /// The next line of the client; nil once it has ended its sending side.
        mutating func line() -> String? {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while lines.isEmpty, ScriptedStation.isReady(socket.number, POLLIN),
                case .bytes(let count) = buffer.withUnsafeMutableBytes({ socket.read(into: $0) })
            {
                lines += splitter.append(buffer[..<count])
            }
            return lines.isEmpty ? nil : String(decoding: lines.removeFirst(), as: UTF8.self)
        }
    }
}
