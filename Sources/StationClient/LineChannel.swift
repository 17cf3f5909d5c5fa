internal import Glibc
internal import LineProtocols
internal import Platform

/// A connected socket that carries lines in both directions, each in bounded time and space.
///
/// What is held: the lines of one read of 64 KiB, and one unfinished line of at most 1 MiB.
struct LineChannel: ~Copyable {
    /// The most bytes a line of the daemon may have.
    static let lineLimit = 1_048_576

    /// Why nothing more comes or goes.
    enum Failure: Error {
        case closed
        case lineTooLong
        case system(SystemError)
    }

    private let socket: Descriptor
    private let waiter: Waiter
    private var splitter = LineSplitter(limit: lineLimit)
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var lines: [[UInt8]] = []
    private var taken = 0

    /// Takes over a connected, non-blocking socket.
    init(_ socket: consuming Descriptor, waiter: Waiter) {
        self.socket = socket
        self.waiter = waiter
    }

    /// The next line that was received whole, or nil where more must be received first.
    mutating func receivedLine() throws -> [UInt8]? {
        if taken < lines.count {
            taken += 1
            return lines[taken - 1]
        }
        guard !splitter.overflowed else { throw Failure.lineTooLong }
        return nil
    }

    /// Waits until something comes and reads once.
    ///
    /// Called when every received line was taken. Half a line before the end is dropped.
    ///
    /// - Parameter deadline: CLOCK_MONOTONIC in nanoseconds; nil waits without bound.
    /// - Returns: False where the deadline passed and nothing came.
    /// - Throws: `Failure`; `Waiter.Interruption`.
    mutating func receive(until deadline: UInt64?) throws -> Bool {
        guard try waiter.wait(for: socket.number, until: deadline) == .ready else { return false }
        switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
        case .bytes(let count):
            lines = splitter.append(buffer[..<count])
            taken = 0
        case .wouldBlock: break
        // The daemon's end was closed while something of ours was still unread there.
        case .end, .failed(ECONNRESET): throw Failure.closed
        case .failed(let code): throw Failure.system(SystemError("read", "", code: code))
        }
        return true
    }

    /// The next line, waited for.
    ///
    /// - Returns: Nil where the deadline passed before a whole line came.
    /// - Throws: `Failure`; `Waiter.Interruption`.
    mutating func nextLine(until deadline: UInt64) throws -> [UInt8]? {
        while true {
            if let line = try receivedLine() { return line }
            guard try receive(until: deadline) else { return nil }
            // A peer that sends a byte now and then must not stretch the time.
            if taken == lines.count, Clocks.monotonicNanoseconds() >= deadline { return nil }
        }
    }

    /// Sends bytes.
    ///
    /// - Returns: False where the deadline passed before all were taken.
    /// - Throws: `Failure`; `Waiter.Interruption`.
    func send(_ bytes: [UInt8], until deadline: UInt64) throws -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let count = rest.withUnsafeBytes({ socket.write($0) }) else {
                throw errno == EPIPE ? Failure.closed : Failure.system(SystemError("write"))
            }
            rest = rest.dropFirst(count)
            guard count == 0 else { continue }
            let outcome = try waiter.wait(for: socket.number, POLLOUT, until: deadline)
            if outcome == .timeout { return false }
        }
        return true
    }
}
