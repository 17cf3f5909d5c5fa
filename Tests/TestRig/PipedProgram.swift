internal import Glibc
internal import Platform

/// A program that a test runs; it is killed with this value.
final class PipedProgram {
    private let process: pid_t
    private let output: Descriptor
    /// Closed with this value, so that a program that reads it ends even if it is not killed.
    private let input: Descriptor

    /// Starts a program of the search path, its output readable here.
    ///
    /// - Throws: `Missing` where it is not installed; `SystemError`.
    init(_ arguments: [String]) throws {
        let toProgram = try Descriptor.pipe()
        let fromProgram = try Descriptor.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toProgram.read.number, 0)
        posix_spawn_file_actions_adddup2(&actions, fromProgram.write.number, 1)
        posix_spawn_file_actions_adddup2(&actions, fromProgram.write.number, 2)
        var process = pid_t()
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let code = posix_spawnp(&process, arguments[0], &actions, nil, words, environ)
        guard code != ENOENT else { throw Missing(program: arguments[0]) }
        guard code == 0 else { throw SystemError("posix_spawn", arguments[0], code: code) }
        self.process = process
        input = Descriptor(owning: fcntl(toProgram.write.number, F_DUPFD_CLOEXEC, 0))
        output = Descriptor(owning: fcntl(fromProgram.read.number, F_DUPFD_CLOEXEC, 0))
    }

    deinit {
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    /// What it wrote up to the end of a line, or to the end.
    func line() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(output.number, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Runs a program to its end.
    ///
    /// - Throws: `Failed` with what it wrote, where its status is not 0.
    static func run(_ arguments: [String]) throws {
        let program = try PipedProgram(arguments)
        var text = ""
        while true {
            let line = program.line()
            if line.isEmpty { break }
            text += line + "\n"
        }
        var status: Int32 = 0
        waitpid(program.process, &status, 0)
        guard status == 0 else { throw Failed(arguments: arguments, text: text) }
    }

    struct Missing: Error, CustomStringConvertible {
        let program: String
        var description: String { "\(program) is needed for this test: apt install \(program)" }
    }

    struct Failed: Error, CustomStringConvertible {
        let arguments: [String]
        let text: String
        var description: String { "\(arguments.joined(separator: " ")): \(text)" }
    }
}
