internal import Platform
internal import Scanning

/// What is said about this machine's clock.
package enum ClockDiagnosis: String, Diagnosis {
    case good = "clock-good"
    case agrees = "clock-agrees"
    case off = "clock-off"
    case beforeInstallation = "clock-before-installation"
    case waiting = "clock-waiting"
    case unset = "clock-unset"
    case unknown = "clock-unknown"

    package var form: FindingForm {
        switch self {
        case .good: .ok("the clock was set from the network since the machine started")
        case .agrees:
            .note(
                "nothing has set the clock since the machine started; it agrees with the API's",
                "sudo timedatectl set-ntp true")
        case .off:
            .problem(
                "this machine's clock is {difference} {direction} the API's: scans get wrong times",
                "sudo timedatectl set-ntp true")
        case .beforeInstallation:
            .problem(
                "this machine's clock is wrong: it says {time}, which is before this program was "
                    + "installed", "sudo timedatectl set-ntp true")
        case .waiting:
            .note(
                "{service} runs, but has not set the clock since the machine started: no time "
                    + "server answers", "timedatectl timesync-status")
        case .unset:
            .problem(
                "nothing sets this machine's clock: no time service is running, and after a power "
                    + "cut scans get wrong times", "sudo timedatectl set-ntp true")
        case .unknown:
            .note(
                "whether the clock was set since the machine started is not known: the kernel says "
                    + "no, and there is no systemd to ask", "date -u")
        }
    }
}

/// What was found out about the clock.
struct ClockFacts: Sendable, Equatable {
    /// CLOCK_REALTIME in milliseconds when the look began.
    var now: Int64
    /// Whether it was set since the machine started.
    var isSet: Bool
    /// When this program's file was written, in seconds since 1970-01-01T00:00:00Z.
    var installed: Int64?

    /// How far the clock may be off the API's, in seconds: tokens and certificates forgive as much.
    static let tolerance: Int64 = 120

    /// What it says, to the second.
    var text: String { TokenFacts.text(seconds: now / 1000) }

    /// Whether it is before this program was installed.
    ///
    /// A day is allowed for archives that carry the times of another place.
    var isBeforeInstallation: Bool { installed.map { now / 1000 < $0 - 86_400 } ?? false }

    /// Whether a certificate that looks too old or too new may be none of the server's fault.
    var isSuspect: Bool { !isSet || isBeforeInstallation }

    /// What there is to say.
    ///
    /// - Parameters:
    ///   - services: Whether a time service runs.
    ///   - date: The API's clock when it answered, in seconds; nil where it did not tell.
    ///   - age: How long after `now` that was, in seconds.
    /// - Returns: One finding.
    func finding(services: Services, apiDate date: Int64?, age: Int64) -> Finding {
        let difference = date.map { now / 1000 + age - $0 }
        if let difference, difference.magnitude > Self.tolerance {
            return ClockDiagnosis.off.finding([
                "difference": Self.span(Int64(difference.magnitude)),
                "direction": difference > 0 ? "ahead of" : "behind",
            ])
        }
        if isBeforeInstallation { return ClockDiagnosis.beforeInstallation.finding(["time": text]) }
        if isSet { return ClockDiagnosis.good.finding() }
        let running = Services.timeServices.first { services[$0]?.isActive == true }
        if let running { return ClockDiagnosis.waiting.finding(["service": running]) }
        if difference != nil { return ClockDiagnosis.agrees.finding() }
        return (services.isKnown ? ClockDiagnosis.unset : .unknown).finding()
    }

    /// In the largest unit that it fills, rounded down: `3 minutes`, `13 days`.
    static func span(_ seconds: Int64) -> String {
        let units: [(String, Int64)] = [("day", 86_400), ("hour", 3600), ("minute", 60)]
        let unit = units.first { seconds >= $0.1 } ?? ("second", 1)
        let count = seconds / unit.1
        return "\(count) \(unit.0)\(count == 1 ? "" : "s")"
    }
}

extension ClockFacts {
    /// Is there once systemd-timesyncd has set the clock in this boot, also after the kernel has
    /// withdrawn its own word.
    ///
    /// Source: systemd-timesyncd.service(8).
    private static let flag = "/run/systemd/timesync/synchronized"

    init(lookingAround surroundings: Surroundings) {
        now = surroundings.now
        isSet = Clocks.isSynchronised() || surroundings.has(Self.flag)
        installed = try? FileLook(FilePath.ownProgram).changed
    }
}
