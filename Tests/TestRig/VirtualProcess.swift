package import Glibc
internal import Platform
import Synchronization

/// A program that a test runs beside itself, with its lines at hand.
///
/// It is killed with the value that holds it.
package final class VirtualProcess: Sendable {
    package let pid: pid_t
    /// What it has written so far, whole lines.
    package let output: VirtualLines
    package let errors: VirtualLines
    private let input: Mutex<Int32?>
    private let ending = Mutex<Int32?>(nil)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: Its path, or its name in PATH, and its arguments.
    ///   - environment: Added to the test's own.
    /// - Throws: `SystemError` naming it.
    package init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let toChild = try Descriptor.pipe()
        let fromChild = try Descriptor.pipe()
        let complaints = try Descriptor.pipe()
        pid = try Self.spawn(
            arguments, Self.environment(with: environment),
            [toChild.read.number, fromChild.write.number, complaints.write.number])
        input = Mutex(dup(toChild.write.number, closeOnExec: true))
        output = VirtualLines(reading: dup(fromChild.read.number, closeOnExec: true))
        errors = VirtualLines(reading: dup(complaints.read.number, closeOnExec: true))
    }

    deinit {
        closeInput()
        guard status() == nil else { return }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    /// Writes to its standard input.
    package func write(_ text: String) {
        input.withLock { number in
            guard let number else { return }
            var text = text
            text.withUTF8 { _ = Glibc.write(number, $0.baseAddress, $0.count) }
        }
    }

    /// Ends its standard input.
    package func closeInput() {
        input.withLock { number in
            if let number { close(number) }
            number = nil
        }
    }

    /// Sends it a signal.
    package func signal(_ number: Int32) {
        if status() == nil { kill(pid, number) }
    }

    /// The status it ended with (128 and the number after a signal), or nil while it runs.
    package func status() -> Int32? {
        ending.withLock { ending in
            if ending != nil { return ending }
            var status: Int32 = 0
            guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
            let signal = status & 0x7F
            ending = signal == 0 ? status >> 8 & 0xFF : 128 + signal
            return ending
        }
    }

    /// Waits for its end.
    ///
    /// - Returns: Its status, or nil where it has not ended within the time.
    package func waitForEnd(within limit: Duration = .seconds(20)) async -> Int32? {
        await VirtualLines.poll(within: limit) { self.status() }
    }

    private static func environment(with added: [String: String]) -> [String] {
        var entries: [String] = []
        var entry = environ
        while let text = entry.pointee {
            entries.append(String(cString: text))
            entry += 1
        }
        entries.removeAll { old in added.keys.contains { old.hasPrefix("\($0)=") } }
        return entries + added.map { "\($0.key)=\($0.value)" }
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String], _ streams: [Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, stream) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, stream, Int32(target))
        }
        // A test's thread may have all signals blocked, which a child would inherit.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, arguments[0], &actions, &attributes, argv, envp)
        guard code == 0 else { throw SystemError("posix_spawn", arguments[0], code: code) }
        return pid
    }
}

/// A second number for an open file, which outlives the first.
private func dup(_ number: Int32, closeOnExec: Bool) -> Int32 {
    // fcntl is variadic in C and has fixed forms in Swift's overlay.
    fcntl(number, closeOnExec ? F_DUPFD_CLOEXEC : F_DUPFD, 3)
}
