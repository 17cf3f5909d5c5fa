internal import Glibc
internal import Synchronization

/// A stream of log lines that never waits for whoever reads it.
///
/// A pipe that nobody reads, or a terminal that was stopped, must not hold up a tag: lines that
/// don't fit are left out, counted, and told when there is room again.
final class LogStream: Sendable {
    /// What a pipe takes without waiting once it says that it can be written.
    ///
    /// Source: pipe(7), PIPE_BUF.
    private static let pieceSize = 4096

    private let descriptor: CInt
    private let leftOut = Mutex(0)

    init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// Writes a whole line, or leaves it out; never waits, but for a disk.
    func write(_ line: String) {
        leftOut.withLock { count in
            guard hasRoom else {
                count += 1
                return
            }
            if count > 0 {
                put("warning: nobody read the log: lines were left out count=\(count)\n")
                count = 0
            }
            put(line)
        }
    }

    /// The rest of a line that stops fitting is left out: half a line tells more than none.
    private func put(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, hasRoom {
            let piece = rest.prefix(Self.pieceSize)
            let written = piece.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    private var hasRoom: Bool {
        var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // A file that can't be polled, or none at all, is written to, and says itself what is wrong.
        return poll(&look, 1, 0) != 0
    }
}
