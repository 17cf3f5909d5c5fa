import Glibc
import Platform
import Synchronization
import Testing

@Suite("the event loop's timers")
struct EventLoopTimerTests {
    @Test("timers fire in the order of their times, and alike ones as they were set")
    func order() async throws {
        let user = try LoopUser()
        await user.run { user in
            for (name, delay) in [("c", 30), ("a", 10), ("d", 30), ("b", 20), ("now", 0)] {
                _ = user.loop.after(.milliseconds(delay)) { user.note(name) }
            }
        }
        #expect(await user.first(5) == ["now", "a", "b", "c", "d"])
    }

    @Test("a timer does not fire before its time")
    func notBefore() async throws {
        let user = try LoopUser()
        let start = Clocks.monotonicNanoseconds()
        let end = Mutex<UInt64>(0)
        await user.run { user in
            _ = user.loop.after(.milliseconds(20)) {
                end.withLock { $0 = Clocks.monotonicNanoseconds() }
                user.note("fired")
            }
        }
        _ = await user.first(1)
        #expect(end.withLock { $0 } >= start + 20_000_000)
    }

    @Test("a cancelled timer does not fire")
    func cancel() async throws {
        let user = try LoopUser()
        await user.run { user in
            let cancelled = user.loop.after(.milliseconds(5)) { user.note("cancelled") }
            _ = user.loop.after(.milliseconds(10)) { user.note("other") }
            user.loop.cancel(cancelled)
            // Twice does no harm.
            user.loop.cancel(cancelled)
        }
        #expect(await user.first(1) == ["other"])
    }

    @Test("a timer that is due can still be cancelled by one that is due before it")
    func cancelDue() async throws {
        let user = try LoopUser()
        await user.run { user in
            var second: TimerID?
            _ = user.loop.after(.milliseconds(1)) {
                user.note("first")
                if let second { user.loop.cancel(second) }
            }
            second = user.loop.after(.milliseconds(1)) { user.note("second") }
            _ = user.loop.after(.milliseconds(1)) { user.note("third") }
            // All three are due before the loop looks at the first.
            usleep(5000)
        }
        #expect(await user.first(2) == ["first", "third"])
    }

    @Test("a handler may set timers, also one that is due at once")
    func addFromHandler() async throws {
        let user = try LoopUser()
        await user.run { user in
            _ = user.loop.after(.zero) {
                user.note("outer")
                _ = user.loop.after(.milliseconds(1)) { user.note("later") }
                _ = user.loop.after(.zero) { user.note("at once") }
            }
        }
        #expect(await user.first(3) == ["outer", "at once", "later"])
    }

    @Test("a handler that always sets the next one keeps out neither jobs nor descriptors")
    func endlessTimers() async throws {
        let user = try LoopUser()
        let pipe = try Descriptor.pipe()
        let descriptor = pipe.read.number
        let again = Again(user)
        try await user.run { user in
            again.turn()
            _ = try user.loop.watch(descriptor, for: .readable) { _ in
                again.stop()
                user.note("readable")
            }
        }
        pipe.write.write("x")
        let happened = await user.first(1)
        #expect(happened.first == "readable")
    }

    /// Sets a timer from within the last one until it is stopped.
    private final class Again: Sendable {
        private let user: LoopUser
        private let isStopped = Atomic(false)

        init(_ user: LoopUser) {
            self.user = user
        }

        func stop() { isStopped.store(true, ordering: .relaxed) }

        func turn() {
            guard !isStopped.load(ordering: .relaxed) else { return }
            _ = user.loop.after(.zero) { self.turn() }
        }
    }

    @Test("a negative delay is none, and a very long one no trap")
    func oddDelays() async throws {
        let user = try LoopUser()
        await user.run { user in
            _ = user.loop.after(.seconds(3_000_000_000)) { user.note("far") }
            _ = user.loop.after(.seconds(-5)) { user.note("near") }
        }
        #expect(await user.first(1) == ["near"])
    }
}
