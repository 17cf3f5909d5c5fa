internal import Glibc
internal import Platform

/// What waits to be written to one client, in whole lines.
///
/// A line that was begun is finished before the next begins, so that nothing lands inside it.
struct SendQueue {
    private struct Line {
        var bytes: [UInt8]
        let seq: Int64?
    }

    /// Short replies share one piece of memory of at most so many bytes: one for each would cost more
    /// than it holds.
    private static let shared = 4096

    private var lines: [Line] = []
    /// How much of the first line is written.
    private var written = 0
    /// The bytes that wait.
    private(set) var count = 0
    /// The last seq of a line that was wholly written.
    private(set) var lastSeq: Int64?

    var isEmpty: Bool { lines.isEmpty }

    /// Adds a line, with its seq where it is an event's.
    mutating func append(_ line: [UInt8], seq: Int64? = nil) {
        count += line.count
        if seq == nil, lastTakes(line.count) {
            lines[lines.count - 1].bytes += line
        } else {
            lines.append(Line(bytes: line, seq: seq))
        }
    }

    private func lastTakes(_ more: Int) -> Bool {
        // The first may be begun, and stays as it is.
        guard lines.count > 1, let last = lines.last, last.seq == nil else { return false }
        return last.bytes.count + more <= Self.shared
    }

    /// Forgets the lines of which nothing is written yet.
    mutating func dropUnbegun() {
        let begun = written > 0 ? 1 : 0
        count -= lines.dropFirst(begun).reduce(0) { $0 + $1.bytes.count }
        lines.removeLast(max(0, lines.count - begun))
    }

    /// How the writing went.
    enum Progress: Equatable {
        case empty
        case blocked
        case broken
    }

    /// Writes until nothing is left or the socket takes no more.
    mutating func write(to socket: borrowing Descriptor) -> Progress {
        while !lines.isEmpty {
            guard let sent = gather(into: socket.number) else { return .broken }
            if sent == 0 { return .blocked }
            drop(sent)
        }
        return .empty
    }

    /// One gathered write of up to 64 lines; 0 where it would block, nil where it failed.
    private func gather(into socket: Int32) -> Int? {
        var vectors: [iovec] = []
        let batch = lines.prefix(64)
        return Self.withVectors(batch, skipping: written, &vectors) { vectors in
            var message = msghdr()
            return vectors.withUnsafeMutableBufferPointer { buffer in
                message.msg_iov = buffer.baseAddress
                message.msg_iovlen = buffer.count
                while true {
                    let sent = sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
                    if sent >= 0 { return sent }
                    if errno == EINTR { continue }
                    return errno == EAGAIN ? 0 : nil
                }
            }
        }
    }

    private static func withVectors(
        _ lines: ArraySlice<Line>, skipping written: Int, _ vectors: inout [iovec],
        _ body: (inout [iovec]) -> Int?
    ) -> Int? {
        guard let line = lines.first else { return body(&vectors) }
        return line.bytes.withUnsafeBytes { bytes in
            let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0 + written) }
            vectors.append(iovec(iov_base: start, iov_len: bytes.count - written))
            return withVectors(lines.dropFirst(), skipping: 0, &vectors, body)
        }
    }

    private mutating func drop(_ sent: Int) {
        count -= sent
        var rest = sent + written
        var whole = 0
        while whole < lines.count, rest >= lines[whole].bytes.count {
            rest -= lines[whole].bytes.count
            lastSeq = lines[whole].seq ?? lastSeq
            whole += 1
        }
        lines.removeFirst(whole)
        written = rest
    }
}
