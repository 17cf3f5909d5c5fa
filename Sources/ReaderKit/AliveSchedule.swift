/// When a reader program says that it is alive.
///
/// It says so from the loop that watches over all its devices, when that loop turns: a program
/// whose loop stands still falls silent, and the station replaces it.
package struct AliveSchedule: Sendable {
    /// Between two messages, in nanoseconds; the station waits three times as long.
    package static let interval: UInt64 = 5_000_000_000

    private var next: UInt64

    /// - Parameter now: CLOCK_MONOTONIC in nanoseconds, as all times here.
    package init(now: UInt64) {
        next = now &+ Self.interval
    }

    /// Whether the message is due, now that the loop has turned.
    package mutating func turned(at now: UInt64) -> Bool {
        guard now >= next else { return false }
        next = now &+ Self.interval
        return true
    }

    /// How long the loop may wait at most, in nanoseconds.
    package func remaining(at now: UInt64) -> UInt64 {
        next > now ? next - now : 0
    }
}
