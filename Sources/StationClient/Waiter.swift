internal import Glibc
package import Platform

/// Waits for a descriptor in poll(2), and notices what ends a command meanwhile.
package final class Waiter {
    /// Why a wait was given up before its time.
    package enum Interruption: Error, Equatable {
        /// The person, or whoever started the program, wants it to end.
        case signal
        /// Whoever read the output is gone.
        case outputClosed
    }

    /// How a wait ended.
    package enum Outcome: Equatable {
        case ready, timeout
    }

    private let signals: Descriptor?
    // poll(2) passes over negative numbers.
    private let signalNumber: Int32
    private let output: Int32

    /// A waiter that only its descriptor or its deadline wakes.
    package init() {
        signals = nil
        signalNumber = -1
        output = -1
    }

    /// A waiter that signals and the end of the output's reader wake too.
    ///
    /// - Parameters:
    ///   - signals: What `Signals.open` gave.
    ///   - output: The number of the descriptor that is written to.
    package init(signals: consuming Descriptor, output: Int32) {
        signalNumber = signals.number
        self.signals = consume signals
        self.output = output
    }

    /// Blocks until the descriptor is ready or the deadline has passed.
    ///
    /// - Parameters:
    ///   - descriptor: What is waited for; nil only lets time pass.
    ///   - readiness: `POLLIN` or `POLLOUT`; an error or hang-up counts as ready as well.
    ///   - deadline: CLOCK_MONOTONIC in nanoseconds; nil waits without bound.
    /// - Returns: `ready` even where the deadline has passed as well.
    /// - Throws: `Interruption`.
    package func wait(
        for descriptor: Int32? = nil, _ readiness: Int32 = POLLIN, until deadline: UInt64?
    ) throws -> Outcome {
        var polled = [
            pollfd(fd: descriptor ?? -1, events: Int16(readiness), revents: 0),
            pollfd(fd: signalNumber, events: Int16(POLLIN), revents: 0),
            // Without a wish only errors and hang-ups are reported.
            pollfd(fd: output, events: 0, revents: 0),
        ]
        while true {
            let count = poll(&polled, nfds_t(polled.count), Self.milliseconds(until: deadline))
            guard count >= 0 else { continue }
            if polled[1].revents != 0 { throw Interruption.signal }
            if polled[0].revents != 0 { return .ready }
            if polled[2].revents != 0 { throw Interruption.outputClosed }
            if let deadline, Clocks.monotonicNanoseconds() >= deadline { return .timeout }
        }
    }

    /// What is left until the deadline, rounded up so that it is not met too early.
    private static func milliseconds(until deadline: UInt64?) -> Int32 {
        guard let deadline else { return -1 }
        let now = Clocks.monotonicNanoseconds()
        guard deadline > now else { return 0 }
        return Int32(clamping: (deadline - now + 999_999) / 1_000_000)
    }
}

/// Deadlines on CLOCK_MONOTONIC.
enum Deadline {
    /// The instant so long from now, in nanoseconds.
    static func after(_ delay: Duration) -> UInt64 {
        Clocks.monotonicNanoseconds() + UInt64(max(0, delay / .nanoseconds(1)))
    }

    /// Whether so much time has passed since an instant.
    static func hasPassed(_ delay: Duration, since start: UInt64) -> Bool {
        Clocks.monotonicNanoseconds() >= start + UInt64(max(0, delay / .nanoseconds(1)))
    }
}
