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
        fileprivate let continued: UInt64
        /// How long the machine has been suspended since boot, in nanoseconds.
        fileprivate let suspended: UInt64
    }

    /// This moment.
    static func mark() -> Mark {
        let boot = Clocks.bootNanoseconds()
        let monotonic = Clocks.monotonicNanoseconds()
        return Mark(
            continued: continued.load(ordering: .relaxed),
            suspended: boot > monotonic ? boot - monotonic : 0)
    }

    /// Whether the process stood still since then.
    static func happened(since mark: Mark) -> Bool {
        let now = Self.mark()
        // The two clocks are read one after the other: less than 10 ms are no suspension.
        return now.continued != mark.continued || now.suspended > mark.suspended + 10_000_000
    }
}
