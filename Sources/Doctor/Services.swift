internal import Glibc
internal import Platform

/// What systemd says of the services that a station needs; empty where systemd does not run.
struct Services: Sendable, Equatable {
    private(set) var units: [String: Unit] = [:]
    /// The last thing that plingsd logged, where it has failed.
    var lastWords: String?

    /// One unit, in systemd's own words.
    ///
    /// Source: org.freedesktop.systemd1(5).
    struct Unit: Sendable, Equatable {
        var load = ""
        var active = ""
        var sub = ""
        var result = ""
        /// The main process's last exit status.
        var exitStatus: Int?

        var isThere: Bool { load == "loaded" }
        var isActive: Bool { active == "active" }
    }

    static let plingsd = "plingsd.service"
    /// What may keep the clock.
    ///
    /// Source: systemd-timedated(8), ntp-units.
    static let timeServices = [
        "systemd-timesyncd.service", "chrony.service", "ntpsec.service", "ntp.service",
    ]
    private static let properties = "Id,LoadState,ActiveState,SubState,Result,ExecMainStatus"

    /// What `systemctl show` prints of several units: properties a line, a blank line between.
    init(show output: String, lastWords: String? = nil) {
        self.lastWords = lastWords
        for block in output.split(separator: "\n\n") {
            var unit = Unit()
            var name = ""
            for line in block.split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { continue }
                let value = String(parts[1])
                switch parts[0] {
                case "Id": name = value
                case "LoadState": unit.load = value
                case "ActiveState": unit.active = value
                case "SubState": unit.sub = value
                case "Result": unit.result = value
                case "ExecMainStatus": unit.exitStatus = Int(value)
                default: break
                }
            }
            if !name.isEmpty { units[name] = unit }
        }
    }

    subscript(_ name: String) -> Unit? { units[name] }

    /// Whether systemd said anything.
    var isKnown: Bool { !units.isEmpty }
}

extension Services {
    /// Asks systemctl and journalctl, of which either may be missing; blocks for 5 s at most.
    init(lookingAround surroundings: Surroundings) {
        let names = [Self.plingsd] + Self.timeServices
        let shown = BoundedCommand.run(
            ["systemctl", "show", "--property=\(Self.properties)"] + names,
            environment: surroundings.environment, within: .seconds(2))
        self.init(show: shown.success ?? "")
        guard let unit = self[Self.plingsd], unit.isThere, !unit.isActive else { return }
        lastWords = Self.lastWords(surroundings)
    }

    /// The longest last words that are told, in characters.
    private static let wordsLimit = 300

    private static func lastWords(_ surroundings: Surroundings) -> String? {
        let journal = BoundedCommand.run(
            [
                "journalctl", "--quiet", "--unit=\(Self.plingsd)", "--identifier=plingsd",
                "--lines=1", "--output=cat", "--no-pager",
            ], environment: surroundings.environment, within: .seconds(2))
        // An empty line says nothing, and split leaves it out.
        let line = journal.success?.split(separator: "\n").last
        return line.map { String($0.prefix(Self.wordsLimit)) }
    }
}
