internal import Platform

/// A program that a test runs to its end.
package enum Command {
    /// What a program wrote to both streams, and how it ended.
    package struct Result: Sendable {
        package let output: String
        /// The exit status; as in a shell, 128 and more is a signal.
        package let status: Int32
    }

    /// Runs a program with our environment and no input; waits on a thread of its own.
    ///
    /// - Parameter arguments: The program's name or path, and its arguments.
    /// - Returns: Its output and status, whether it succeeded or not.
    /// - Throws: `SystemError` where no process can be had.
    package static func run(_ arguments: [String]) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Threads.start(name: "command") {
                continuation.resume(with: Swift.Result { try wait(for: arguments) })
            }
        }
    }

    /// What a program wrote, if it succeeded.
    ///
    /// - Throws: `CommandFailure`, `SystemError`.
    package static func output(_ arguments: String...) async throws -> String {
        let result = try await run(arguments)
        guard result.status == 0 else { throw CommandFailure(arguments, result) }
        return result.output
    }

    private static func wait(for arguments: [String]) throws -> Result {
        let child = try ChildProcess(
            ["/bin/sh", "-c", #"exec "$@" 2>&1 </dev/null"#, "sh"] + arguments)
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { buffer.deallocate() }
        while case .bytes(let count) = child.output.read(into: buffer) {
            bytes += buffer.prefix(count)
        }
        return Result(output: String(decoding: bytes, as: UTF8.self), status: status(of: child))
    }

    private static func status(of child: borrowing ChildProcess) -> Int32 {
        switch child.reap(blocking: true) {
        case .exit(let status)?: status
        case .signal(let number)?: 128 + number
        case nil: -1
        }
    }
}

/// A program that did not succeed.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ arguments: [String], _ result: Command.Result) {
        description =
            "\(arguments.joined(separator: " ")): exit status \(result.status)\n\(result.output)"
    }
}
