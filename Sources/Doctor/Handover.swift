internal import Glibc
internal import Platform
internal import Synchronization

/// One value, handed from the thread or task that finds it out to the thread that waits for it.
final class Handover<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let done: Pipe

    /// - Throws: `SystemError` when the kernel has no descriptors left.
    init() throws(SystemError) {
        done = try Descriptor.pipe()
    }

    /// Hands the value over; called once.
    func give(_ found: Value) {
        value.withLock { $0 = found }
        _ = [UInt8(1)].withUnsafeBytes { done.write.write($0) }
    }

    /// Waits for the value.
    ///
    /// - Parameter deadline: CLOCK_MONOTONIC in nanoseconds.
    /// - Returns: Nil where the deadline passed first.
    func take(until deadline: UInt64) -> Value? {
        while true {
            let now = Clocks.monotonicNanoseconds()
            let left = now < deadline ? (deadline - now) / 1_000_000 + 1 : 0
            var polled = pollfd(fd: done.read.number, events: Int16(POLLIN), revents: 0)
            let count = poll(&polled, 1, Int32(clamping: left))
            if count > 0 { return value.withLock { $0 } }
            if count == 0, Clocks.monotonicNanoseconds() >= deadline { return nil }
        }
    }

    /// The moment so long from now, as `take` wants it.
    static func deadline(after limit: Duration) -> UInt64 {
        Clocks.monotonicNanoseconds() + UInt64(max(0, limit / .nanoseconds(1)))
    }
}
