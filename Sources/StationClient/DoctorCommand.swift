internal import Doctor
internal import Glibc
internal import LineProtocols
internal import Platform

/// What `doctor` was asked.
package struct DoctorOptions: Equatable, Sendable {
    package var json = false
    /// The configuration that the person named.
    package var configuration: String?
    package var colour = Paint.Choice.auto

    package init() {}

    static let words = ArgumentWords.Options(flags: ["--json"], valued: ["--config", "--color"])

    init(_ words: ArgumentWords) throws(UsageError) {
        try words.refuseOperands(topic: "doctor")
        json = words.flags.contains("--json")
        configuration = words.last("--config")
        guard configuration != "" else {
            throw UsageError("the option --config needs a file", topic: "doctor")
        }
        colour = try words.colour(topic: "doctor")
    }
}

/// `plingsctl doctor`: says what keeps the station from its work, and what mends it.
struct DoctorCommand {
    let options: DoctorOptions
    /// The value of `--socket`.
    let socket: String?
    let environment: [String: String]

    /// How long the station may take to answer.
    private static let patience = Duration.seconds(3)

    /// Looks; blocks for 13 s at most.
    ///
    /// - Throws: `SystemError` when the kernel has no descriptors left.
    func findings() throws -> [Finding] {
        let (named, environment) = (given, environment)
        let examination = Examination(
            of: Surroundings(environment: environment, configurationFile: options.configuration)
        ) { configured in
            Self.ask(named ?? configured, environment)
        }
        return try examination.findings().map(withOptions)
    }

    /// The socket that the person named.
    private var given: String? {
        socket ?? environment["PLINGSD_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A finding whose command looks at the station that was looked at, and at its configuration.
    private func withOptions(_ finding: Finding) -> Finding {
        guard var command = finding.command else { return finding }
        let program = "plingsctl "
        guard command.hasPrefix(program) || command.hasPrefix("sudo \(program)") else {
            return finding
        }
        if let file = options.configuration, command.hasSuffix("\(program)doctor") {
            command += " --config \(ShellWord.quoted(file))"
        }
        if let given {
            command = command.replacing(
                program, with: "\(program)--socket \(ShellWord.quoted(given)) ", maxReplacements: 1)
        }
        return Finding(
            check: finding.check, state: finding.state, text: finding.text, command: command)
    }

    private static func ask(_ named: String?, _ environment: [String: String]) -> StationLook {
        var path = named ?? ""
        do {
            path = try StationSocket.path(named: named, environment: environment)
            var connection = try StationConnection(to: path, patience: patience)
            let reply = try connection.call("status", EmptyObject())
            return .answers(try StationReport(reply), socket: path)
        } catch let error as ConnectionError {
            return look(error, path)
        } catch {
            return .failed(socket: path, reason: "\(error)")
        }
    }

    private static func look(_ error: ConnectionError, _ path: String) -> StationLook {
        switch error {
        case .noSocket(let paths): .noSocket(paths: paths)
        case .notRunning where access(path, F_OK) != 0: .noSocket(paths: [path])
        case .notRunning: .nobody(socket: path)
        case .denied(let access): .denied(socket: path, file(access))
        case .silent, .noReply: .silent(socket: path)
        case .notASocket, .unreachable, .stranger, .newerProtocol, .turnedAway, .closed, .bye,
            .garbled:
            .failed(socket: path, reason: error.description)
        }
    }

    private static func file(_ access: SocketAccess) -> StationLook.SocketFile? {
        var status = stat()
        guard let file = access.file, stat(access.path, &status) == 0 else { return nil }
        return StationLook.SocketFile(
            owner: file.owner, group: file.group, groupID: status.st_gid, mode: file.mode)
    }
}

/// Findings as a person reads them.
struct DoctorReport {
    let findings: [Finding]
    let paint: Paint

    /// The longest sentence that is shown, in characters: parts of it come from elsewhere.
    private static let limit = 1000

    /// The report, lines with their LFs: a summary, then a sentence each and what mends it.
    var text: String {
        let lines = findings.map { finding in
            let sentence = TerminalText.escape(finding.text, limit: Self.limit)
            let command = finding.command.map { command in
                "         → \(paint(TerminalText.escape(command, limit: Self.limit), .accent))\n"
            }
            return "\(sign(finding.state))  \(sentence)\n\(command ?? "")"
        }
        return "\(summary)\n\n\(lines.joined())"
    }

    private func sign(_ state: Finding.State) -> String {
        switch state {
        case .problem: paint("problem", .bad)
        case .note: paint("note   ", .notice)
        case .ok: paint("ok     ", .good)
        }
    }

    private var summary: String {
        let count = { (state: Finding.State) in
            Int64(findings.count { $0.state == state })
        }
        let problems = count(.problem)
        let notes = count(.note)
        let rest = notes == 0 ? "" : ", \(PlainWords.count(notes, "note"))"
        guard problems > 0 else { return "no problem\(rest)" }
        let names = findings.filter { $0.state == .problem }.map(\.check)
        return "\(PlainWords.count(problems, "problem"))\(rest): \(Self.counted(names))"
    }

    /// Each name once, with how often it is there where that is more than once.
    private static func counted(_ names: [String]) -> String {
        var counts: [(name: String, count: Int)] = []
        for name in names {
            if let index = counts.firstIndex(where: { $0.name == name }) {
                counts[index].count += 1
            } else {
                counts.append((name, 1))
            }
        }
        return counts.map { $0.count == 1 ? $0.name : "\($0.name) (\($0.count))" }
            .joined(separator: ", ")
    }
}
