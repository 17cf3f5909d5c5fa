internal import CSystemd

/// What systemd is told about the service; without systemd nothing happens.
///
/// Source: sd_notify(3), sd_watchdog_enabled(3).
package enum Notifications {
    /// The service does its work now.
    package static func ready(status: String) {
        sd_notify(0, "READY=1\nSTATUS=\(status)")
    }

    /// The service reads its configuration again, until it is ready the next time.
    ///
    /// Source: sd_notify(3), RELOADING and MONOTONIC_USEC.
    ///
    /// - Parameter monotonicNanoseconds: CLOCK_MONOTONIC when it began to.
    package static func reloading(monotonicNanoseconds: UInt64) {
        sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(monotonicNanoseconds / 1000)")
    }

    /// The service is on its way to end.
    package static func stopping() {
        sd_notify(0, "STOPPING=1")
    }

    /// The service's loop still turns.
    package static func alive() {
        sd_notify(0, "WATCHDOG=1")
    }

    /// How often `alive` is expected at least, or nil where no watchdog is set.
    package static var watchdogInterval: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(microseconds)
    }
}
