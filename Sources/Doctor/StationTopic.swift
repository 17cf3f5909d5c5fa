internal import Configuration
internal import Platform
internal import Scanning

/// What was found out about plingsd as a program, a service and a socket.
struct StationFacts: Sendable, Equatable {
    var look: StationLook
    var services: Services
    /// The path of the program; nil where it is not installed.
    var program: String?
    /// Where it was looked for.
    var folders: [String]
    /// The configuration's file.
    var configuration: String
    /// What it holds; nil where that could not be read.
    var configured: StationConfiguration?
    /// Whether the store that is configured is one that no station has open.
    var isStoreIdle = false
    /// Who looks; nil where the uid has no entry.
    var asker: SystemUser?
    /// The groups that this process really has.
    var sessionGroups: Set<UInt32>

    /// What there is to say.
    var findings: [Finding] {
        switch look {
        case .answers(let report, let socket): answered(report, socket)
        case .noSocket, .nobody: [notRunning]
        case .denied(let socket, let file): [denied(socket, file)]
        case .silent(let socket): [StationDiagnosis.silent.finding(["socket": socket])]
        case .failed(_, let reason): [StationDiagnosis.unusable.finding(["reason": reason])]
        }
    }

    // MARK: It answers

    private func answered(_ report: StationReport, _ socket: String) -> [Finding] {
        let version = report.version ?? "of an unknown version"
        var findings = [
            StationDiagnosis.answers.finding(["version": version, "socket": socket])
        ]
        if version != ProductVersion.current {
            findings.append(
                StationDiagnosis.otherVersion.finding([
                    "version": version, "own": ProductVersion.current,
                ]))
        }
        if let count = report.outbox?.attention, count > 0 {
            let text = "\(count) \(count == 1 ? "delivery needs" : "deliveries need")"
            findings.append(StationDiagnosis.attention.finding(["deliveries": text]))
        }
        if report.api?.state == "unauthorised" {
            let reason = report.api?.reason ?? "it does not say why"
            findings.append(StationDiagnosis.unauthorised.finding(["reason": reason]))
        }
        findings += [otherConfiguration(report, socket)].compactMap { $0 }
        return findings + (report.readers ?? []).compactMap(trouble)
    }

    /// A person looks at one configuration while the station runs with another.
    private func otherConfiguration(_ report: StationReport, _ socket: String) -> Finding? {
        guard let configured, let station = report.station, let api = report.api else {
            return nil
        }
        let what: String? =
            if isStoreIdle {
                "its store"
            } else if api.endpoint != configured.api.endpoint {
                "its API"
            } else if let id = configured.station.id, id != station {
                "its id"
            } else {
                nil
            }
        return what.map { what in
            StationDiagnosis.otherConfiguration.finding([
                "socket": socket, "file": configuration, "what": what,
            ])
        }
    }

    /// What is wrong with a reader of its own program; PC/SC has a look of its own.
    private func trouble(_ reader: StationReport.Reader) -> Finding? {
        guard reader.kind != "pcsc", let state = reader.state, state != "ready",
            state != "connected"
        else { return nil }
        return StationDiagnosis.readerTrouble.finding([
            "reader": reader.name ?? "without a name", "state": state,
            "reason": reader.reason ?? "no reason was given",
        ])
    }

    // MARK: It does not run

    private var notRunning: Finding {
        guard program != nil || services[Services.plingsd]?.isThere == true else {
            return StationDiagnosis.notInstalled.finding([
                "folders": folders.joined(separator: " or ")
            ])
        }
        guard let unit = services[Services.plingsd], unit.isThere else {
            return StationDiagnosis.notRunning.finding(["socket": socket])
        }
        let parts = [
            "ending": Self.ending(unit), "file": ShellWord.quoted(configuration),
            "socket": socket,
            "words": services.lastWords.map { ": it said “\($0)”" } ?? "",
        ]
        return diagnosis(unit).finding(parts)
    }

    private func diagnosis(_ unit: Services.Unit) -> StationDiagnosis {
        switch unit.active {
        case "failed": unit.exitStatus == 2 ? .badConfiguration : .failed
        case "activating" where unit.sub == "auto-restart": .restarting
        case "active", "activating", "reloading": .socketElsewhere
        default: .notStarted
        }
    }

    private var socket: String {
        switch look {
        case .noSocket(let paths): paths.joined(separator: " or ")
        case .answers(_, let socket), .nobody(let socket), .denied(let socket, _),
            .silent(let socket), .failed(let socket, _):
            socket
        }
    }

    private static func ending(_ unit: Services.Unit) -> String {
        guard unit.result != "signal", let status = unit.exitStatus, status != 0 else {
            return unit.result.isEmpty ? "for an unknown reason" : unit.result
        }
        return "exit status \(status)"
    }

    // MARK: It may not be asked

    private func denied(_ socket: String, _ file: StationLook.SocketFile?) -> Finding {
        let user = asker?.name ?? "this user"
        var parts = ["socket": socket, "user": user]
        guard let file else { return StationDiagnosis.folderClosed.finding(parts) }
        parts["who"] = file.owner == "root" ? "root" : "\(file.owner) and root"
        parts["group"] = file.group
        // Nobody should be told to join root's group.
        guard file.mode & 0o020 != 0, file.group != "root" else {
            return StationDiagnosis.ownerOnly.finding(parts)
        }
        let isMember = asker?.groups.contains(file.groupID) == true
        let isOld = isMember && !sessionGroups.contains(file.groupID)
        return (isOld ? StationDiagnosis.oldSession : .notMember).finding(parts)
    }
}
