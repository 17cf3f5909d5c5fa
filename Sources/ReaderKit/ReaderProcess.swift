internal import Glibc
internal import LineProtocols
internal import Platform
internal import Scanning

/// What every reader program does around its devices: it dies with its parent, introduces itself,
/// and stops at the end of its input.
package enum ReaderProcess {
    /// The version of the reader programs, which are released together.
    package static let version = ProductVersion.current

    /// Starts a reader program; the first thing that its `main` does.
    ///
    /// Answers `--help` and `--version`, and refuses a command line that makes no sense with a
    /// sentence and status 2; comes back only in a program that is to run.
    ///
    /// - Parameters:
    ///   - program: The program's name.
    ///   - help: What `--help` prints.
    ///   - valued: The options that take a value, without dashes.
    ///   - flags: The options that take none, besides `help` and `version`.
    ///   - readsInput: Whether the end of its input ends the program.
    ///   - settings: Makes the program's settings of them.
    /// - Returns: The settings, and where the messages go.
    package static func start<Settings>(
        program: String, help: String, valued: Set<String>, flags: Set<String> = [],
        readsInput: (Settings) -> Bool = { _ in true },
        _ settings: (CommandLineOptions) throws(UsageError) -> Settings
    ) -> (Settings, ReaderOutput) {
        ParentDeath.kill()
        signal(SIGPIPE, SIG_IGN)
        let settings = read(program, help, valued, flags, settings)
        let output = ReaderOutput(descriptor: STDOUT_FILENO) { stop() }
        output.send(.reader(.init(program: program, version: version)))
        if readsInput(settings) {
            Threads.start(name: "input") { readToTheEnd(STDIN_FILENO) }
        }
        return (settings, output)
    }

    private static func read<Settings>(
        _ program: String, _ help: String, _ valued: Set<String>, _ flags: Set<String>,
        _ settings: (CommandLineOptions) throws(UsageError) -> Settings
    ) -> Settings {
        do {
            let options = try CommandLineOptions(
                Array(CommandLine.arguments.dropFirst()), valued: valued,
                flags: flags.union(["help", "version"]))
            if options.flags.contains("help") { print(help) }
            if options.flags.contains("version") { print("\(program) \(version)") }
            return try settings(options)
        } catch {
            Complaint.write("\(program): \(error); see \(program) --help")
            stop(status: 2)
        }
    }

    private static func print(_ text: String) -> Never {
        Swift.print(text)
        fflush(nil)
        stop()
    }

    /// Ends the process at once, without waiting for threads that hang in a library.
    ///
    /// - Parameter status: 0 when the station asked for it or is gone.
    package static func stop(status: Int32 = 0) -> Never {
        // Not exit(3): its handlers would take libraries apart under the threads that use them.
        _exit(status)
    }

    /// Reads what the station sends; no reader takes orders yet, so only the end counts.
    private static func readToTheEnd(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { stop() }
            if count < 0 && errno == EAGAIN { waitUntilReadable(descriptor) }
        }
    }

    private static func waitUntilReadable(_ descriptor: Int32) {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&item, 1, -1)
    }
}
