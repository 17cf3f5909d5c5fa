internal import CLinux
internal import Glibc
internal import Synchronization

/// One thread that waits in epoll and runs an actor's jobs, descriptor handlers and timers.
///
/// Everything that is not a job is touched on the loop's own thread alone; jobs come from any
/// thread through a mutex and an eventfd. A handler must not block: whatever blocks has a
/// `ThreadExecutor` of its own.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    // `inbox` is its own lock. `watches`, `timers` and `thread` belong to the loop's thread.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var signalled = false
    }
    private let inbox = Mutex(Inbox())
    private let epoll: Descriptor
    private let wakeUp: Descriptor
    private var watches: [UInt64: Watch] = [:]
    private var lastWatch: UInt64 = 0
    private var timers = TimerQueue()
    private let thread = Atomic<UInt>(0)

    /// Starts the thread.
    ///
    /// - Throws: `SystemError` when the kernel has no descriptors left.
    package init(name: String) throws(SystemError) {
        let poll = plings_epoll_create()
        guard poll >= 0 else { throw SystemError("epoll_create1") }
        epoll = Descriptor(owning: poll)
        let event = plings_eventfd()
        guard event >= 0 else { throw SystemError("eventfd") }
        wakeUp = Descriptor(owning: event)
        try control(EPOLL_CTL_ADD, event, .readable, data: 0)
        Threads.start(name: name) { [self] in run() }
    }

    // MARK: The executor

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustSignal = inbox.withLock { inbox in
            inbox.jobs.append(job)
            let first = !inbox.signalled
            inbox.signalled = true
            return first
        }
        if mustSignal && !isCurrent { signal() }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    package func checkIsolated() {
        precondition(isCurrent, "not on the event loop's thread")
    }

    private var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    private func signal() {
        var one: UInt64 = 1
        _ = withUnsafeBytes(of: &one) { wakeUp.write($0) }
    }

    // MARK: Descriptors

    /// What a descriptor is ready for.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
        package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
        /// The peer is gone or the descriptor is broken; always reported, never asked for.
        ///
        /// The kernel's two words for it are always reported together.
        package static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
    }

    /// Names a watch, so that an event left over from a closed descriptor finds nobody.
    package struct WatchID: Sendable, Hashable { fileprivate let value: UInt64 }

    private struct Watch {
        let descriptor: Int32
        let handler: (Readiness) -> Void
    }

    /// Calls the handler on the loop's thread whenever the descriptor is ready; level-triggered.
    ///
    /// Only on the loop's thread. The caller keeps the descriptor open until `unwatch`.
    package func watch(
        _ descriptor: Int32, for readiness: Readiness, _ handler: @escaping (Readiness) -> Void
    ) throws(SystemError) -> WatchID {
        checkIsolated()
        lastWatch += 1
        try control(EPOLL_CTL_ADD, descriptor, readiness, data: lastWatch)
        watches[lastWatch] = Watch(descriptor: descriptor, handler: handler)
        return WatchID(value: lastWatch)
    }

    /// Changes what a watch waits for.
    package func change(_ id: WatchID, to readiness: Readiness) {
        checkIsolated()
        guard let watch = watches[id.value] else { return }
        try? control(EPOLL_CTL_MOD, watch.descriptor, readiness, data: id.value)
    }

    /// Ends a watch; before the descriptor is closed.
    package func unwatch(_ id: WatchID) {
        checkIsolated()
        guard let watch = watches.removeValue(forKey: id.value) else { return }
        try? control(EPOLL_CTL_DEL, watch.descriptor, [], data: 0)
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ readiness: Readiness, data: UInt64
    ) throws(SystemError) {
        var event = epoll_event()
        event.events = readiness.rawValue
        event.data.u64 = data
        guard epoll_ctl(epoll.number, operation, descriptor, &event) == 0 else {
            throw SystemError("epoll_ctl")
        }
    }

    // MARK: Timers

    /// Calls the handler once on the loop's thread, not before the time has passed.
    ///
    /// Only on the loop's thread. Time is CLOCK_MONOTONIC.
    package func after(_ delay: Duration, _ handler: @escaping () -> Void) -> TimerID {
        checkIsolated()
        let nanoseconds = UInt64(max(0, delay / .nanoseconds(1)))
        return timers.add(at: Clocks.monotonicNanoseconds() &+ nanoseconds, handler)
    }

    /// Forgets a timer that has not fired.
    package func cancel(_ id: TimerID) {
        checkIsolated()
        timers.remove(id)
    }

    // MARK: The loop

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        let capacity: Int32 = 64
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Int(capacity))
        while true {
            let count = epoll_wait(epoll.number, events, capacity, timeout())
            for index in 0..<max(0, Int(count)) { dispatch(events[index]) }
            runTimers()
            runJobs()
        }
    }

    private func runTimers() {
        // What a handler adds falls due after this moment, so that timers can't keep out the rest.
        let now = Clocks.monotonicNanoseconds()
        while let handler = timers.takeDue(now: now) { handler() }
    }

    private func timeout() -> Int32 {
        if inbox.withLock({ !$0.jobs.isEmpty }) { return 0 }
        guard let deadline = timers.next else { return -1 }
        let now = Clocks.monotonicNanoseconds()
        guard deadline > now else { return 0 }
        // Rounded up: waking a moment early would spin until the deadline.
        return Int32(min((deadline - now + 999_999) / 1_000_000, 3_600_000))
    }

    private func dispatch(_ event: epoll_event) {
        guard event.data.u64 != 0 else {
            var count: UInt64 = 0
            _ = withUnsafeMutableBytes(of: &count) { wakeUp.read(into: $0) }
            return
        }
        var readiness = Readiness(rawValue: event.events)
        // Else `contains` would be true only where the kernel says both.
        if !readiness.isDisjoint(with: .hungUp) { readiness.formUnion(.hungUp) }
        watches[event.data.u64]?.handler(readiness)
    }

    /// Runs the jobs that are there; what they add waits until descriptors and timers had their
    /// turn, so that jobs can't keep those out.
    private func runJobs() {
        let jobs = inbox.withLock { inbox in
            let jobs = inbox.jobs
            inbox.jobs.removeAll(keepingCapacity: true)
            inbox.signalled = false
            return jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
