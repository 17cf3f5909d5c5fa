internal import LineProtocols
internal import Platform

/// What was found out about pcscd and, through plings-pcsc, its readers.
struct PCSCFacts: Sendable, Equatable {
    var isInstalled: Bool
    /// Its socket, and whether a file is there.
    var socket: String
    var hasSocket: Bool
    /// Whether this pcscd asks polkit, and whether the station's rule is there.
    var asksPolkit: Bool
    var hasRule: Bool
    /// Whether the service's user exists, whom the rule is for.
    var hasServiceUser: Bool
    /// Whom plings-pcsc was run as, and whether that is whom the station's reader runs as.
    var user: String
    var isServiceUser: Bool
    var listing: Listing
    /// The programs that have the PC/SC library loaded, but for the station's own.
    var otherPrograms: [OtherProgram] = []
    /// The configuration's file.
    var configuration: String

    struct OtherProgram: Sendable, Equatable {
        let name: String
        let pid: Int32
    }

    /// What `plings-pcsc --list` came to.
    enum Listing: Sendable, Equatable {
        /// The configuration asks for no PC/SC reader.
        case unneeded
        case missing(folders: [String])
        case failed(path: String, reason: String)
        /// It was ended before it had said anything.
        case silent
        case devices([ReaderMessage.Device])
    }

    static let program = "/usr/sbin/pcscd"
    static let usualSocket = "/run/pcscd/pcscd.comm"
    static let policy = "/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy"
    static let rule = "/usr/share/polkit-1/rules.d/plingsd-pcscd.rules"
    /// The device of plings-pcsc that stands for pcscd as a whole.
    private static let serviceDevice = "pcsc"

    /// The readers that pcscd lists; nil where that is not known.
    var readers: [ReaderMessage.Device]? {
        guard case .devices(let devices) = listing else { return nil }
        let readers = devices.filter { $0.id != Self.serviceDevice }
        let reason = devices.first { $0.id == Self.serviceDevice }?.reason
        guard reason == nil || reason == PCSCReason.noReader else { return nil }
        return readers
    }

    /// What there is to say.
    var findings: [Finding] {
        switch listing {
        case .unneeded: return [PCSCDiagnosis.unused.finding()]
        case .missing(let folders):
            let list = folders.joined(separator: " or ")
            return service + [PCSCDiagnosis.programMissing.finding(["folders": list])]
        case .failed(let path, let reason):
            let parts = ["path": path, "reason": reason]
            return service + [PCSCDiagnosis.programFails.finding(parts)]
        case .silent: return service + [PCSCDiagnosis.hangs.finding(["socket": socket])]
        case .devices(let devices): return service + devices.compactMap(finding)
        }
    }

    /// What files alone tell.
    private var service: [Finding] {
        let hasPolkitTrouble = asksPolkit && !hasRule && hasServiceUser
        return hasPolkitTrouble ? [PCSCDiagnosis.ruleMissing.finding(["path": Self.rule])] : []
    }

    private func finding(_ device: ReaderMessage.Device) -> Finding? {
        if device.id == Self.serviceDevice { return trouble(device.reason ?? "") }
        let parts = ["reader": device.name, "user": user, "reason": device.reason ?? ""]
        switch device.reason {
        case nil: return PCSCDiagnosis.ready.finding(parts)
        case PCSCReason.held: return held(parts)
        case PCSCReason.tagsRefused, PCSCReason.hungUp: return refused(.refusesTags, parts)
        default: return PCSCDiagnosis.degraded.finding(parts)
        }
    }

    private func held(_ parts: [String: String]) -> Finding {
        guard !otherPrograms.isEmpty else { return PCSCDiagnosis.held.finding(parts) }
        let programs = otherPrograms.map { "\($0.name) (process \($0.pid))" }
        let more = [
            "programs": programs.joined(separator: ", "),
            "pids": otherPrograms.map { "\($0.pid)" }.joined(separator: " "),
        ]
        return PCSCDiagnosis.heldBy.finding(parts.merging(more) { $1 })
    }

    /// Why there is no reader at all.
    private func trouble(_ reason: String) -> Finding? {
        let parts = ["socket": socket, "path": Self.program, "reason": reason, "user": user]
        switch reason {
        case PCSCReason.notRunning:
            if !isInstalled { return PCSCDiagnosis.notInstalled.finding(parts) }
            return (hasSocket ? PCSCDiagnosis.nobody : .notRunning).finding(parts)
        case PCSCReason.refused: return refused(.refuses, parts)
        // What USB shows says more of it.
        case PCSCReason.noReader: return nil
        case PCSCReason.noMatch:
            return PCSCDiagnosis.noMatch.finding(["file": configuration])
        default: return PCSCDiagnosis.unusable.finding(parts)
        }
    }

    /// A refusal counts for the station only where its own user was refused.
    private func refused(_ diagnosis: PCSCDiagnosis, _ parts: [String: String]) -> Finding? {
        guard isServiceUser || !hasServiceUser else {
            return PCSCDiagnosis.refusesYou.finding(parts)
        }
        // The missing rule is told already, and is the cause.
        let isTold = asksPolkit && !hasRule && hasServiceUser
        return isTold ? nil : diagnosis.finding(parts)
    }
}
