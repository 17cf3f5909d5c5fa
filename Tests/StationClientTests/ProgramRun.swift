import Glibc
import Platform
import enum TestRig.Repository

@testable import StationClient

/// The built plingsctl, run as a process of its own.
struct ProgramRun: ~Copyable {
    /// How a run ended and what it printed.
    struct Result: Sendable, Equatable {
        let ending: ChildProcess.Ending
        let output: String
        let errors: String

        init(_ status: Int32, _ output: String, _ errors: String) {
            ending = .exit(status)
            self.output = output
            self.errors = errors
        }

        fileprivate init(_ ending: ChildProcess.Ending, _ output: [UInt8], _ errors: [UInt8]) {
            self.ending = ending
            self.output = String(decoding: output, as: UTF8.self)
            self.errors = String(decoding: errors, as: UTF8.self)
        }
    }

    /// The program is expected to do something within this time.
    static let patience = Duration.seconds(30)

    enum Failure: Error {
        case nothingHappened(output: String, errors: String)
    }

    private let child: ChildProcess
    private var output = Stream()
    private var errors = Stream()

    private struct Stream {
        var bytes: [UInt8] = []
        var isOpen = true
        var text: String { String(decoding: bytes, as: UTF8.self) }

        mutating func read(from descriptor: borrowing Descriptor) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            switch buffer.withUnsafeMutableBytes({ descriptor.read(into: $0) }) {
            case .bytes(let count): bytes += buffer[..<count]
            case .wouldBlock: break
            case .end, .failed: isOpen = false
            }
        }
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The program's path and its arguments.
    ///   - environment: Added to a plain one: an hour east of Greenwich, no socket, no colours.
    /// - Throws: `SystemError` where it can't be started.
    init(program arguments: [String], environment: [String: String] = [:]) throws {
        // POSIX's form needs no time zone files.
        let plain = [
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TZ": "CET-1", "HOME": "/nonexistent",
        ]
        let entries = plain.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
        let child = try ChildProcess(arguments, environment: entries)
        try child.output.setNonBlocking()
        try child.errors.setNonBlocking()
        self.init(child)
    }

    private init(_ child: consuming ChildProcess) {
        self.child = child
    }

    /// Starts plingsctl.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        try self.init(program: [Self.plingsctl] + arguments, environment: environment)
    }

    /// The plingsctl that was built with the tests.
    static let plingsctl = Repository.program("plingsctl")

    /// Waits until standard output contains the text.
    mutating func awaitOutput(_ text: String) throws {
        try advance { $0.output.text.contains(text) }
    }

    /// Waits until standard error contains the text.
    mutating func awaitErrors(_ text: String) throws {
        try advance { $0.errors.text.contains(text) }
    }

    /// Writes to its standard input.
    func type(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { child.input.write($0) }
    }

    func signal(_ number: Int32) {
        child.signal(number)
    }

    /// Reads no more of its output, which is closed for the program.
    func closeOutput() throws {
        let null = try Descriptor.open("/dev/null", O_RDONLY)
        // The number stays the child's stream, so that it is closed once.
        dup2(null.number, child.output.number)
    }

    /// Waits for the end.
    mutating func finish() throws -> Result {
        try advance { !$0.output.isOpen && !$0.errors.isOpen }
        _ = try Waiter().wait(for: child.ending.number, until: Deadline.after(Self.patience))
        guard let ending = child.reap() else { throw stuck() }
        return Result(ending, output.bytes, errors.bytes)
    }

    private mutating func advance(until isReached: (borrowing ProgramRun) -> Bool) throws {
        let deadline = Deadline.after(Self.patience)
        while !isReached(self) {
            guard Clocks.monotonicNanoseconds() < deadline, output.isOpen || errors.isOpen else {
                throw stuck()
            }
            // poll(2) passes over negative numbers.
            let numbers = [
                output.isOpen ? child.output.number : -1, errors.isOpen ? child.errors.number : -1,
            ]
            var polled = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = poll(&polled, 2, 1000)
            if polled[0].revents != 0 { output.read(from: child.output) }
            if polled[1].revents != 0 { errors.read(from: child.errors) }
        }
    }

    private func stuck() -> Failure {
        child.signal(SIGKILL)
        _ = child.reap(blocking: true)
        return .nothingHappened(output: output.text, errors: errors.text)
    }
}

/// Runs what blocks on a thread of its own, away from the pool that the tests share.
func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Threads.start(name: "test") {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}

/// Runs plingsctl to its end.
func plingsctl(
    _ arguments: String..., environment: [String: String] = [:]
) async throws -> ProgramRun.Result {
    try await onOwnThread {
        var run = try ProgramRun(arguments, environment: environment)
        return try run.finish()
    }
}
