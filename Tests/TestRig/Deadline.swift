internal import Glibc
internal import Platform

/// Until when something outside this process is waited for.
struct Deadline {
    private let end: UInt64

    init(_ limit: Duration) {
        let nanoseconds = UInt64(max(0, limit / .nanoseconds(1)))
        end = Clocks.monotonicNanoseconds() + nanoseconds
    }

    var hasPassed: Bool { Clocks.monotonicNanoseconds() >= end }

    /// Waits a moment before something is tried again.
    func pause() {
        usleep(5000)
    }

    /// Waits until a descriptor is ready; false where the time is over first.
    func wait(for descriptor: Int32, _ events: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let now = Clocks.monotonicNanoseconds()
            // Rounded up, so that the last wait is not repeated without any pause.
            let left = now < end ? (end - now + 999_999) / 1_000_000 : 0
            let count = poll(&entry, 1, Int32(min(left, 3_600_000)))
            if count > 0 { return true }
            if count == 0 && hasPassed { return false }
        }
    }
}

extension SystemError {
    /// Whether a connection failed because the socket is not there yet, or not any more.
    var meansNobodyListens: Bool { code == ENOENT || code == ECONNREFUSED }
}
