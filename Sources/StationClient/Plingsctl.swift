internal import Doctor
internal import Glibc
internal import LineProtocols
internal import Platform
internal import Scanning

/// The command line of a station, from its arguments to its exit status.
package struct Plingsctl {
    package static let version = ProductVersion.current

    /// How the program ends.
    enum ExitStatus: Int32 {
        case done = 0
        case failed = 1
        case wrongUsage = 2
        /// A submitted URL was taken, and is no tag's.
        case unrecognised = 3
    }

    private let environment: [String: String]
    private let notices = Notices()

    /// Runs the program.
    ///
    /// - Parameter arguments: The program's name and its arguments.
    /// - Returns: The exit status.
    package static func run(_ arguments: [String]) -> Int32 {
        StandardStreams.ensureOpen()
        // A closed pipe or connection is an error of the call and no reason to be killed.
        signal(SIGPIPE, SIG_IGN)
        let program = Plingsctl(environment: variables(ChildProcess.environment()))
        return program.run(Array(arguments.dropFirst())).rawValue
    }

    /// The environment by name.
    private static func variables(_ entries: [String]) -> [String: String] {
        var variables: [String: String] = [:]
        for entry in entries {
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        }
        return variables
    }

    private func run(_ arguments: [String]) -> ExitStatus {
        do {
            return try carryOut(try Invocation(arguments))
        } catch let error as UsageError {
            notices.say(error.description)
            notices.write(HelpText.hint(error.topic))
            return .wrongUsage
        } catch is Waiter.Interruption {
            // The person ended it, or nobody reads any more.
            return .done
        } catch {
            notices.say("\(error)")
            return .failed
        }
    }

    private func carryOut(_ invocation: Invocation) throws -> ExitStatus {
        switch invocation.command {
        case .version: try print("plingsctl \(Self.version)\n")
        case .help(let topic): try print(HelpText.of(topic))
        case .watch(let options): try watch(options, path(invocation))
        case .status(let options): try status(options, path(invocation))
        case .submit(let url): return try submit(url, path(invocation))
        case .outbox(let options): try outbox(options, path(invocation))
        case .metrics: try metrics(path(invocation))
        case .login(let email): try print(login(path(invocation)).login(email: email))
        case .logout: try print(login(path(invocation)).logout())
        case .doctor(let options): return try doctor(options, invocation.socket)
        }
        return .done
    }

    private func path(_ invocation: Invocation) throws -> String {
        try StationSocket.path(named: invocation.socket, environment: environment)
    }

    private func paint(_ choice: Paint.Choice) -> Paint {
        Paint(choice, environment: environment, isTerminal: StandardOutput.isTerminal)
    }

    private var now: Timestamp { Timestamp(milliseconds: Clocks.realMilliseconds()) }

    private func print(_ text: String) throws {
        try print(Array(text.utf8))
    }

    private func print(_ bytes: [UInt8]) throws {
        var output = StandardOutput(waiter: Waiter())
        try output.write(bytes)
        try output.flush()
    }

    // MARK: Commands

    private func watch(_ options: WatchOptions, _ path: String) throws {
        let endings = [SIGINT, SIGTERM]
        Signals.block(endings)
        let waiter = Waiter(signals: try Signals.open(endings), output: STDOUT_FILENO)
        let form: EventPrinter.Form =
            options.json
            ? .json(isTerminal: StandardOutput.isTerminal)
            : .lines(EventRenderer(paint: paint(options.colour), clock: .system, now: now))
        var watch = WatchCommand(
            options, path: path, waiter: waiter, notices: notices,
            printer: EventPrinter(form, output: StandardOutput(waiter: waiter)))
        try watch.run()
    }

    private func status(_ options: StatusOptions, _ path: String) throws {
        var connection = try StationConnection(to: path)
        let reply = try connection.call("status", EmptyObject())
        guard !options.json else {
            let line = StandardOutput.isTerminal ? TerminalText.escapeJSON(reply) : reply
            return try print(line + [UInt8(ascii: "\n")])
        }
        let status = try JSONLine.decode(JSONValue.self, from: reply)
        try print(StatusReport(status, paint: paint(options.colour), now: now).text)
    }

    private func login(_ path: String) -> LoginCommand {
        LoginCommand(path: path, notices: notices)
    }

    private func submit(_ url: String, _ path: String) throws -> ExitStatus {
        var connection = try StationConnection(to: path)
        let result = try SubmitReply.ask(&connection, url: url, path)
        try print("\(result.scan)\n")
        guard let reason = result.unrecognised else { return .done }
        let explanation = ScanDetails.explanation(reason).map { " (\($0))" } ?? ""
        notices.say("unrecognised: \(reason)\(explanation)")
        if reason == "malformed", !url.contains("&") {
            notices.say("a shell cuts a URL at its first &: put it in single quotes")
        }
        return .unrecognised
    }

    private func outbox(_ options: OutboxOptions, _ path: String) throws {
        var command = OutboxCommand(
            options, connection: try StationConnection(to: path),
            report: OutboxReport(paint: paint(options.colour), clock: .system), notices: notices)
        try command.run()
    }

    private func metrics(_ path: String) throws {
        var connection = try StationConnection(to: path)
        let reply = try connection.call("metrics", EmptyObject())
        guard let result = try? JSONLine.decode(MetricsResult.self, from: reply) else {
            throw ConnectionError.garbled(
                path: path, reason: "the reply to metrics is incomplete")
        }
        try print(result.text)
    }

    private func doctor(_ options: DoctorOptions, _ socket: String?) throws -> ExitStatus {
        let command = DoctorCommand(options: options, socket: socket, environment: environment)
        let findings = try command.findings()
        if options.json {
            let line = try JSONLine.encode(findings)
            try print(
                (StandardOutput.isTerminal ? TerminalText.escapeJSON(line) : line)
                    + [UInt8(ascii: "\n")])
        } else {
            try print(DoctorReport(findings: findings, paint: paint(options.colour)).text)
        }
        let isWell = !findings.contains { $0.state == .problem }
        // Without exit handlers: a look that was given up may still be inside a library.
        _exit((isWell ? ExitStatus.done : .failed).rawValue)
    }
}
