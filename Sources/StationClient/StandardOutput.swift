internal import Glibc
internal import Platform

/// The program's standard output: lines are gathered and written whole where the reader keeps up.
struct StandardOutput {
    /// How much is gathered at most before it is written.
    private static let gathered = 65_536
    /// A pipe that is ready takes this much without blocking.
    ///
    /// Source: pipe(7), PIPE_BUF.
    private static let piece = 4096

    private let waiter: Waiter
    private var buffer: [UInt8] = []

    init(waiter: Waiter) {
        self.waiter = waiter
    }

    /// Whether a person watches.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Gathers bytes.
    ///
    /// - Throws: As `flush`.
    mutating func write(_ bytes: some Collection<UInt8>) throws {
        buffer += bytes
        if buffer.count >= Self.gathered { try flush() }
    }

    /// Writes what was gathered; blocks for as long as the reader takes nothing.
    ///
    /// - Throws: `Waiter.Interruption` where a signal came or the reader is gone; `SystemError`.
    mutating func flush() throws {
        var rest = buffer[...]
        buffer = []
        while !rest.isEmpty {
            _ = try waiter.wait(for: STDOUT_FILENO, POLLOUT, until: nil)
            let count = rest.prefix(Self.piece).withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw Waiter.Interruption.outputClosed
            } else if errno != EINTR && errno != EAGAIN {
                throw SystemError("write", "to standard output")
            }
        }
    }
}

/// What is said to the person beside the output: sentences on standard error.
struct Notices {
    private static let limit = 2000

    /// Says a sentence, made harmless for a terminal.
    func say(_ sentence: String) {
        write("plingsctl: \(TerminalText.escape(sentence, limit: Self.limit))\n")
    }

    /// Writes text of this program's own.
    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            // Nobody can be told that nobody can be told.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// The three streams that every program expects to be open.
enum StandardStreams {
    /// Opens those that are closed, so that no socket takes their number; writing to them fails.
    static func ensureOpen() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
            // The lowest free number is taken, which is this one.
            guard let null = try? Descriptor.open("/dev/null", O_RDONLY) else { return }
            _ = null.release()
        }
    }
}
