internal import Configuration
internal import Glibc
internal import Platform

/// What is said about the configuration.
package enum ConfigurationDiagnosis: String, Diagnosis {
    case good = "configuration-good"
    case none = "configuration-none"
    case missing = "configuration-missing"
    case closed = "configuration-closed"
    case wrong = "configuration-wrong"
    case more = "configuration-more"
    case command = "configuration-command"

    package var form: FindingForm {
        switch self {
        case .good: .ok("the configuration {file} is good")
        case .none:
            .note(
                "there is no configuration {file}: every key has its default, and scans go to no "
                    + "API", "sudoedit {word}")
        case .missing:
            .problem("the configuration {file} that was named is not there", "ls -l {folder}")
        case .closed:
            .note(
                "the configuration {file} may not be read by you, so the rest was looked at with "
                    + "its defaults: run as root to look at it too", "sudo plingsctl doctor")
        case .wrong: .problem("the configuration has a mistake at {mistake}", "sudoedit {word}")
        case .more:
            .problem(
                "the configuration {file} has {count} mistakes more",
                "plingsd --check-config {word}")
        case .command:
            .problem("the reader {reader} can't be started: {reason}", "sudoedit {word}")
        }
    }
}

/// What was found where the configuration should be.
struct ConfigurationFacts: Sendable, Equatable {
    let file: String
    let content: Content
    /// The programs of readers that can't be run.
    var commands: [Command] = []

    /// A reader whose program can't be run.
    struct Command: Sendable, Equatable {
        let reader: String
        let reason: String
    }

    enum Content: Sendable, Equatable {
        case absent(isNamed: Bool)
        case closed
        /// Each mistake as `FILE:LINE:COLUMN: text`.
        case wrong([String])
        case good(StationConfiguration)
    }

    /// What holds: the defaults where nothing could be read.
    var configuration: StationConfiguration {
        if case .good(let configuration) = content { configuration } else { .defaults }
    }

    /// Whether what holds is known.
    var isKnown: Bool {
        switch content {
        case .absent, .good: true
        case .closed, .wrong: false
        }
    }

    /// How many mistakes are told one by one.
    private static let told = 5

    /// What there is to say.
    var findings: [Finding] {
        let parts = [
            "file": file, "word": ShellWord.quoted(file),
            "folder": ShellWord.quoted(FilePath.folder(of: file)),
        ]
        switch content {
        case .good:
            return [ConfigurationDiagnosis.good.finding(parts)]
                + commands.map { command in
                    let more = ["reader": command.reader, "reason": command.reason]
                    return ConfigurationDiagnosis.command.finding(parts.merging(more) { $1 })
                }
        case .closed: return [ConfigurationDiagnosis.closed.finding(parts)]
        case .absent(let isNamed):
            let diagnosis: ConfigurationDiagnosis = isNamed ? .missing : .none
            return [diagnosis.finding(parts)]
        case .wrong(let mistakes):
            let told = mistakes.prefix(Self.told).map { mistake in
                ConfigurationDiagnosis.wrong.finding(
                    parts.merging(["mistake": mistake]) { $1 })
            }
            let rest = mistakes.count - told.count
            guard rest > 0 else { return told }
            return told + [
                ConfigurationDiagnosis.more.finding(parts.merging(["count": "\(rest)"]) { $1 })
            ]
        }
    }
}

extension ConfigurationFacts {
    /// Reads the file that was named, else the usual one; blocks for as long as its disk does.
    init(lookingAround surroundings: Surroundings) {
        let named = surroundings.configurationFile
        file = named ?? Surroundings.defaultConfiguration
        let path = named ?? surroundings.path(file)
        do {
            let read = try StationConfiguration.loadIfPresent(path: path) {
                SystemUsers.groupID($0) != nil
            }
            guard let configuration = read else {
                content = .absent(isNamed: named != nil)
                return
            }
            content = .good(configuration)
            commands = configuration.readerEntries.compactMap(Self.command)
        } catch {
            let isClosed = access(path, R_OK) != 0 && errno == EACCES
            content = isClosed ? .closed : .wrong(error.problems.map(\.description))
        }
    }

    private static func command(_ entry: StationConfiguration.ReaderEntry) -> Command? {
        guard case .exec(let words) = entry.kind, let program = words.first,
            let fault = ProgramFault.look(at: program)
        else { return nil }
        // What is closed to whoever looks may be open to the station.
        if case .unreachable = fault { return nil }
        return Command(
            reader: entry.name ?? FilePath.lastComponent(program), reason: fault.description)
    }
}
