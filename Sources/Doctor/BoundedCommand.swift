internal import Glibc
internal import Platform

/// A program that is asked something and may take only so long.
enum BoundedCommand {
    /// How it went.
    enum Outcome: Sendable, Equatable {
        case ended(ChildProcess.Ending, output: String)
        case notFound
        /// It was killed; what it had written until then.
        case timedOut(output: String)

        /// What it wrote, if it succeeded.
        var success: String? {
            guard case .ended(.exit(0), let output) = self else { return nil }
            return output
        }
    }

    /// The most that is kept of the output, in bytes; the rest is read and dropped.
    private static let outputLimit = 256 * 1024

    /// Runs a program without input; blocks until it ends, at most so long.
    ///
    /// - Parameters:
    ///   - arguments: The program's name or path, and its arguments.
    ///   - environment: The whole environment by name.
    ///   - limit: After it the program is killed, and what it has started.
    /// - Returns: How it went.
    static func run(
        _ arguments: [String], environment: [String: String], within limit: Duration
    ) -> Outcome {
        let entries = environment.merging(plain) { $1 }.map { "\($0.key)=\($0.value)" }
        let deadline = Clocks.monotonicNanoseconds() + UInt64(max(0, limit / .nanoseconds(1)))
        let child: ChildProcess
        do {
            child = try ChildProcess(arguments, environment: entries)
        } catch {
            return .notFound
        }
        child.closeInput()
        return gather(child, until: deadline)
    }

    /// What makes other programs talk to a program.
    private static let plain = ["LC_ALL": "C", "SYSTEMD_PAGER": "", "SYSTEMD_COLORS": "0"]

    private static func gather(
        _ child: borrowing ChildProcess, until deadline: UInt64
    ) -> Outcome {
        try? child.output.setNonBlocking()
        try? child.errors.setNonBlocking()
        var output = Stream()
        var complaints = Stream()
        var hasEnded = false
        while !hasEnded {
            let now = Clocks.monotonicNanoseconds()
            guard now < deadline else {
                // The whole group: the program may have started others.
                kill(-child.pid, SIGKILL)
                _ = child.reap(blocking: true)
                return .timedOut(output: output.text)
            }
            // poll(2) passes over negative numbers.
            let numbers = [
                child.ending.number, output.isOpen ? child.output.number : -1,
                complaints.isOpen ? child.errors.number : -1,
            ]
            var polled = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = poll(&polled, 3, Int32(clamping: (deadline - now) / 1_000_000 + 1))
            hasEnded = polled[0].revents != 0
            output.take(from: child.output)
            complaints.take(from: child.errors)
        }
        guard let ending = child.reap(blocking: true) else { return .notFound }
        return .ended(ending, output: output.text)
    }

    /// What came from one of the program's streams.
    private struct Stream {
        private var bytes: [UInt8] = []
        private(set) var isOpen = true

        var text: String { String(decoding: bytes, as: UTF8.self) }

        mutating func take(from stream: borrowing Descriptor) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while isOpen {
                switch buffer.withUnsafeMutableBytes({ stream.read(into: $0) }) {
                case .bytes(let count):
                    bytes += buffer[..<count].prefix(max(0, outputLimit - bytes.count))
                case .wouldBlock: return
                case .end, .failed: isOpen = false
                }
            }
        }
    }
}
