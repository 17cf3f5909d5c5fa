internal import CLinux
internal import Glibc

/// A program that runs as our child, with pipes to its three standard streams.
package struct ChildProcess: ~Copyable, Sendable {
    package let pid: Int32
    /// Our end of its standard input.
    package let input: Descriptor
    package let output: Descriptor
    package let errors: Descriptor
    /// Readable once the program has ended.
    ///
    /// Source: pidfd_open(2).
    package let ending: Descriptor

    /// Starts a program with the signals' defaults, in a process group of its own.
    ///
    /// Nothing but the three streams is inherited. The group keeps a terminal's Ctrl-C from
    /// reaching it: whoever started it ends it.
    ///
    /// - Parameters:
    ///   - arguments: The program, as a path or as a name to be found in PATH, and its arguments.
    ///   - environment: `NAME=value` entries; nil passes ours on.
    /// - Throws: `SystemError` naming the program.
    package init(
        _ arguments: [String], environment: [String]? = nil
    ) throws(SystemError) {
        let program = arguments.first ?? ""
        let toChild = try Descriptor.pipe()
        let fromChild = try Descriptor.pipe()
        let complaints = try Descriptor.pipe()
        let streams = [toChild.read.number, fromChild.write.number, complaints.write.number]
        let child = try Self.spawn(program, arguments, environment ?? Self.environment(), streams)
        try self.init(
            pid: child, ending: Self.openEnding(of: child, program), input: toChild.write,
            output: fromChild.read, errors: complaints.read)
    }

    private init(
        pid: Int32, ending: consuming Descriptor, input: consuming Descriptor,
        output: consuming Descriptor, errors: consuming Descriptor
    ) {
        self.pid = pid
        self.ending = ending
        self.input = input
        self.output = output
        self.errors = errors
    }

    private static func openEnding(
        of pid: Int32, _ program: String
    ) throws(SystemError) -> Descriptor {
        let number = plings_pidfd_open(pid)
        if number >= 0 { return Descriptor(owning: number) }
        let failure = SystemError("pidfd_open", program)
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        throw failure
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String], _ streams: [Int32]
    ) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, stream) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, stream, Int32(target))
        }
        plings_spawn_close_from(&actions, 3)
        var attributes = cleanAttributes()
        defer { posix_spawnattr_destroy(&attributes) }
        var pid: pid_t = 0
        let code = withCStrings(arguments) { argv in
            withCStrings(environment) { envp in
                posix_spawnp(&pid, program, &actions, &attributes, argv, envp)
            }
        }
        guard code == 0 else { throw SystemError("posix_spawn", program, code: code) }
        return pid
    }

    private static func cleanAttributes() -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags =
            Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
            | Int32(POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        return attributes
    }

    /// This process's environment as `NAME=value` entries.
    package static func environment() -> [String] {
        var entries: [String] = []
        var entry = environ
        while let text = entry.pointee {
            entries.append(String(cString: text))
            entry += 1
        }
        return entries
    }

    /// Ends the program's input, which tells a reader program to stop.
    ///
    /// Our end of the pipe is replaced by /dev/null, which closes the pipe while the number stays
    /// this descriptor's own.
    package borrowing func closeInput() {
        guard let nowhere = try? Descriptor.open("/dev/null", O_WRONLY) else { return }
        _ = plings_dup3(nowhere.number, input.number, O_CLOEXEC)
    }

    /// Sends a signal to the program.
    package borrowing func signal(_ number: Int32) {
        kill(pid, number)
    }

    /// How a program ended.
    package enum Ending: Sendable, Equatable, CustomStringConvertible {
        case exit(Int32)
        case signal(Int32)

        package var description: String {
            switch self {
            case .exit(let status): "exit status \(status)"
            case .signal(let number): "signal \(number)"
            }
        }
    }

    /// Takes the ending of a program that has ended; nil while it runs.
    package borrowing func reap(blocking: Bool = false) -> Ending? {
        var status: Int32 = 0
        guard waitpid(pid, &status, blocking ? 0 : WNOHANG) == pid else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
    }
}

private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
}
