/// How long to wait before trying again: doubling from a first delay to a cap, with jitter.
///
/// Full jitter spreads the stations of one site that lost the same network.
/// Source: Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
package struct BackOff: Sendable, Equatable {
    package let first: Duration
    package let cap: Duration
    /// Failures in a row so far.
    package private(set) var failures = 0

    package init(first: Duration, cap: Duration) {
        self.first = first
        self.cap = cap
    }

    /// The upper bound of the next wait.
    package var bound: Duration {
        var bound = first
        for _ in 0..<min(failures, 32) where bound < cap { bound *= 2 }
        return min(bound, cap)
    }

    /// Counts a failure.
    ///
    /// - Parameter fraction: The jitter, 0 to 1 of the bound.
    /// - Returns: How long to wait now, never under a tenth of the bound so that it can't spin.
    package mutating func failed(fraction: Double) -> Duration {
        let bound = bound
        failures += 1
        return bound * min(1, max(0.1, fraction))
    }

    /// Starts again from the first delay.
    package mutating func succeeded() {
        failures = 0
    }
}
