internal import CLinux
internal import Glibc

/// A serial executor with a thread of its own, for an actor around a library that blocks.
///
/// An actor that uses it keeps Swift's cooperative pool free however long the library takes. The
/// thread lives as long as the process or until `stop()`.
package final class ThreadExecutor: SerialExecutor, @unchecked Sendable {
    // `jobs`, `stopping` and `thread` are guarded by `mutex`; the two pointers never change.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [UnownedJob] = []
    private var stopping = false
    private var thread: UInt = 0
    private let name: String

    /// Starts the thread.
    ///
    /// - Parameter name: What tools show for the thread; 15 bytes of it count.
    package init(name: String) {
        self.name = name
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        thread = Threads.start { [self] in run() }
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pthread_mutex_lock(mutex)
        jobs.append(job)
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(condition)
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    package func checkIsolated() {
        precondition(pthread_equal(thread, pthread_self()) != 0, "not on the thread \(name)")
    }

    /// Ends the thread once everything that was enqueued has run.
    package func stop() {
        pthread_mutex_lock(mutex)
        stopping = true
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(condition)
    }

    private func run() {
        plings_name_thread(name)
        while let batch = next() {
            for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    private func next() -> [UnownedJob]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty {
            if stopping { return nil }
            pthread_cond_wait(condition, mutex)
        }
        defer { jobs.removeAll(keepingCapacity: true) }
        return jobs
    }
}
