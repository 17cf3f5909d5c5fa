internal import Glibc
internal import Platform

/// A value behind a lock, and a thread that waits for it to change.
///
/// Synchronization's `Mutex` has no condition to wait on, hence the C one.
final class Monitor<Value: Sendable>: @unchecked Sendable {
    // `value` is touched under `mutex` alone; the two pointers never change.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Looks at the value, without waking anybody.
    func look<Result>(_ body: (Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(value)
    }

    /// Changes the value and wakes the thread that waits.
    func update<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        let result = body(&value)
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(condition)
        return result
    }

    /// What the waiting thread makes of the value.
    enum Verdict<Result> {
        case ready(Result)
        /// Ask again when the value has changed, or at this time (CLOCK_BOOTTIME, nanoseconds).
        case wait(until: UInt64?)
    }

    /// Waits until the body has a result.
    func wait<Result>(for body: (inout Value) -> Verdict<Result>) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch body(&value) {
            case .ready(let result):
                return result
            case .wait(until: nil):
                pthread_cond_wait(condition, mutex)
            case .wait(until: .some(let time)):
                var deadline = Self.monotonic(time)
                pthread_cond_timedwait(condition, mutex, &deadline)
            }
        }
    }

    /// The same moment on the clock that the condition measures with.
    private static func monotonic(_ bootTime: UInt64) -> timespec {
        let now = Clocks.bootNanoseconds()
        let pause = bootTime > now ? bootTime - now : 0
        let time = Clocks.monotonicNanoseconds() &+ pause
        return timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
    }
}
