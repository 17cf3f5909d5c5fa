internal import Glibc
internal import Platform

/// Asks a person at the terminal, or takes what standard input holds.
///
/// Signals that end the program end the question too, and the terminal shows again what is typed.
struct SecretPrompt {
    /// The longest answer, in bytes.
    static let limit = 4096

    private let waiter: Waiter
    private let isTerminal: Bool

    init() throws {
        let endings = [SIGINT, SIGTERM, SIGHUP]
        Signals.block(endings)
        waiter = Waiter(signals: try Signals.open(endings), output: -1)
        isTerminal = isatty(STDIN_FILENO) == 1
    }

    /// Asks for a line; nil where nobody can be asked.
    func line(_ question: String) throws -> String? {
        guard isTerminal else { return nil }
        show(question)
        let answer = try read(untilLineEnd: true).trimmed
        guard !answer.isEmpty else { throw CommandRefusal("nothing was entered") }
        return answer
    }

    /// Asks for something that is not shown, or reads the whole standard input.
    func secret(_ question: String) throws -> String {
        guard isTerminal else { return try read(untilLineEnd: false).withoutLineEnd }
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { throw SystemError("tcgetattr") }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        // What was typed before the question is no answer to it.
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else {
            throw SystemError("tcsetattr")
        }
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            show("\n")
        }
        show(question)
        return try read(untilLineEnd: true).withoutLineEnd
    }

    private func awaitInput() throws {
        do {
            _ = try waiter.wait(for: STDIN_FILENO, until: nil)
        } catch is Waiter.Interruption {
            throw CommandRefusal("given up; nothing has changed")
        }
    }

    private func show(_ text: String) {
        Notices().write(text)
    }

    private func read(untilLineEnd: Bool) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1024)
        while !(untilLineEnd && bytes.contains(UInt8(ascii: "\n"))) {
            try awaitInput()
            let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
            guard count >= 0 else {
                if errno == EINTR || errno == EAGAIN { continue }
                throw SystemError("read", "from standard input")
            }
            guard count > 0 else { break }
            bytes += chunk[..<count]
            guard bytes.count <= Self.limit else {
                throw CommandRefusal("the answer is longer than \(Self.limit) bytes")
            }
        }
        return bytes
    }
}

extension [UInt8] {
    /// The text without the line end at its end.
    fileprivate var withoutLineEnd: String {
        var bytes = self[...]
        if bytes.last == UInt8(ascii: "\n") { bytes = bytes.dropLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text without blanks around it.
    fileprivate var trimmed: String {
        let isBlank: (UInt8) -> Bool = { $0 <= 0x20 }
        let rest = drop(while: isBlank)
        let end = rest.lastIndex { !isBlank($0) }.map { rest.index(after: $0) }
        return String(decoding: rest[..<(end ?? rest.startIndex)], as: UTF8.self)
    }
}
