import Glibc

/// How much of the processor the calling thread has used.
enum ThreadTime {
    /// Source: clock_gettime(2), CLOCK_THREAD_CPUTIME_ID.
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
