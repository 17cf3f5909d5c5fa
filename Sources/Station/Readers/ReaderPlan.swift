internal import Configuration
internal import Platform
internal import Scanning

/// A reader program that is to run, and how its devices are called.
struct ReaderPlan: Equatable {
    /// `pcsc` or `exec`.
    let kind: String
    /// The program's own name, for logs and for `status` while it has no device.
    let program: String
    /// The program's path and its arguments.
    let command: [String]
    /// The names that the configuration gives, by glob over a device's name and id.
    let names: [Naming]

    /// What stays the same when an entry is changed: its name, else its command.
    var identity: String {
        kind == "exec" ? "exec \(names.first?.name ?? command.joined(separator: " "))" : kind
    }

    /// One entry's name for the devices that it matches.
    struct Naming: Equatable {
        let match: String
        /// Nil where the entry leaves the device's own name.
        let name: String?
    }

    /// The name of a device: the first matching entry's, else its own.
    func name(of device: String, id: String) -> String {
        // The id of a device with a serial number has it behind the second colon.
        let parts = id.split(separator: ":")
        let serial = parts.count > 2 ? String(parts[2]) : ""
        let naming = names.first {
            Glob.matches($0.match, device) || Glob.matches($0.match, id)
                || Glob.matches($0.match, serial)
        }
        return naming?.name ?? device
    }

    /// The programs that the configuration asks for.
    ///
    /// All PC/SC entries share one program, which takes their matches; every other entry has its
    /// own. Without any entry all PC/SC readers are used, unless that is switched off.
    static func plans(
        for configuration: StationConfiguration, programs: ReaderPrograms
    ) -> [ReaderPlan] {
        let entries = configuration.readerEntries
        let pcsc: [Naming] = entries.compactMap { entry in
            guard case .pcsc(let match) = entry.kind else { return nil }
            return Naming(match: match, name: entry.name)
        }
        var plans: [ReaderPlan] = []
        let usesAll = entries.isEmpty && configuration.readers.automatic
        if usesAll || !pcsc.isEmpty {
            plans.append(pcscPlan(pcsc, configuration, programs))
        }
        for entry in entries {
            guard case .exec(let command) = entry.kind else { continue }
            plans.append(execPlan(command, entry.name))
        }
        return plans
    }

    private static func pcscPlan(
        _ names: [Naming], _ configuration: StationConfiguration, _ programs: ReaderPrograms
    ) -> ReaderPlan {
        let grace = configuration.scan.departureGrace.nanoseconds / 1_000_000
        var command = [programs.path(of: "plings-pcsc"), "--departure-grace", "\(grace)"]
        for naming in names { command += ["--match", naming.match] }
        return ReaderPlan(kind: "pcsc", program: "plings-pcsc", command: command, names: names)
    }

    private static func execPlan(_ command: [String], _ name: String?) -> ReaderPlan {
        let program = command.first.map(FilePath.lastComponent) ?? ""
        return ReaderPlan(
            kind: "exec", program: name ?? program, command: command,
            names: [Naming(match: "*", name: name)])
    }
}

/// Finds the reader programs.
struct ReaderPrograms {
    /// Where to look, in this order.
    let folders: [String]

    /// The folders beside the daemon's own binary, then the configured one.
    init(daemon: String, configured: String?) {
        let own = FilePath.folder(of: daemon)
        folders = [own, own + "/../libexec/plingsd"] + (configured.map { [$0] } ?? [])
    }

    /// The first that exists, else the first that was looked for, which the error then names.
    func path(of program: String) -> String {
        let candidates = folders.map { "\($0)/\(program)" }
        return candidates.first(where: FilePath.isExecutable) ?? candidates[0]
    }
}
