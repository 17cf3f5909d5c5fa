internal import Glibc
internal import Platform

/// Notices that the process stood still for a while: stopped by a signal, or with the machine.
struct Standstill {
    private var suspended = Self.suspendedNanoseconds()

    /// Keeps SIGCONT for `happened()`; before any other thread is started.
    ///
    /// A stopped process goes on also where it blocks the signal, which then waits to be taken.
    /// Source: signal(7), sigtimedwait(2).
    static func notice() {
        var signals = continued
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Whether the process stood still since this was asked last.
    mutating func happened() -> Bool {
        let before = suspended
        suspended = Self.suspendedNanoseconds()
        var signals = Self.continued
        var now = timespec()
        let wasContinued = sigtimedwait(&signals, nil, &now) == SIGCONT
        // The two clocks are read one after the other: less than 10 ms are no suspension.
        return wasContinued || suspended > before + 10_000_000
    }

    private static var continued: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGCONT)
        return signals
    }

    /// How long the machine has been suspended since boot.
    private static func suspendedNanoseconds() -> UInt64 {
        let boot = Clocks.bootNanoseconds()
        let monotonic = Clocks.monotonicNanoseconds()
        return boot > monotonic ? boot - monotonic : 0
    }
}
