internal import CLinux
internal import Glibc

/// The kernel's clocks, read at the edge; everything inside takes times as arguments.
package enum Clocks {
    /// CLOCK_BOOTTIME in nanoseconds: runs through suspend, never jumps.
    package static func bootNanoseconds() -> UInt64 { read(CLOCK_BOOTTIME) }

    /// CLOCK_MONOTONIC in nanoseconds, for timeouts and back-off.
    package static func monotonicNanoseconds() -> UInt64 { read(CLOCK_MONOTONIC) }

    /// CLOCK_REALTIME in milliseconds since 1970-01-01T00:00:00Z: whatever the system believes.
    package static func realMilliseconds() -> Int64 { Int64(read(CLOCK_REALTIME) / 1_000_000) }

    /// Whether the kernel calls its clock synchronised now.
    ///
    /// The kernel withdraws this some hours after the last correction. Source: adjtimex(2).
    package static func isSynchronised() -> Bool {
        var state = timex()
        let result = adjtimex(&state)
        return result >= 0 && result != TIME_ERROR && state.status & STA_UNSYNC == 0
    }

    /// The id of this boot, 32 hexadecimal digits with dashes.
    ///
    /// Source: random(4).
    package static let bootID: String = {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let file = try? Descriptor.open(path, O_RDONLY) else { return "unknown" }
        var bytes = [UInt8](repeating: 0, count: 64)
        let read = bytes.withUnsafeMutableBytes { file.read(into: $0) }
        guard case .bytes(let count) = read else { return "unknown" }
        return String(decoding: bytes.prefix(count).prefix { $0 > 0x20 }, as: UTF8.self)
    }()

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
