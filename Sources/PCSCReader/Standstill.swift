internal import Glibc
internal import Platform
internal import Synchronization

/// Whether the process stood still for a while: stopped by a signal, or with the whole machine.
enum Standstill {
    /// How often the process has been continued.
    private static let continued = Atomic<UInt64>(0)

    /// Begins to notice; once, before the first mark.
    static func notice() {
        // Touched here first: a handler must not be what initialises it.
        _ = continued.load(ordering: .relaxed)
        signal(SIGCONT) { _ in Standstill.continued.add(1, ordering: .relaxed) }
    }

    /// A moment to look back to.
    struct Mark {
        /// CLOCK_BOOTTIME in nanoseconds.
        let time: UInt64
        fileprivate let continued: UInt64
        /// How long the machine has been suspended since boot, in nanoseconds.
        fileprivate let suspended: UInt64
    }

    /// This moment.
    static func mark() -> Mark {
        let boot = Clocks.bootNanoseconds()
        let monotonic = Clocks.monotonicNanoseconds()
        return Mark(
            time: boot, continued: continued.load(ordering: .relaxed),
            suspended: boot > monotonic ? boot - monotonic : 0)
    }

    /// Whether the process stood still between two moments.
    static func happened(from earlier: Mark, to later: Mark) -> Bool {
        // The two clocks are read one after the other: less than 10 ms are no suspension.
        later.continued != earlier.continued
            || later.suspended > earlier.suspended + 10_000_000
    }
}
