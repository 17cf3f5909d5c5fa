import Glibc
import Platform
import Synchronization
import Testing

/// An actor on a loop of its own, through which a test reaches it.
actor LoopUser {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var happened: [String] = []
    private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    init(_ name: String = "test") throws {
        loop = try EventLoop(name: name)
    }

    /// Runs code on the loop's thread.
    func run<Result: Sendable>(
        _ body: @Sendable (isolated LoopUser) throws -> Result
    ) rethrows -> Result {
        try body(self)
    }

    /// Notes that something happened; for handlers, which are on the loop's thread.
    nonisolated func note(_ what: String) {
        assumeIsolated { user in
            user.happened.append(what)
            guard let waiter = user.waiter, user.happened.count >= waiter.count else { return }
            user.waiter = nil
            waiter.continuation.resume()
        }
    }

    /// What has happened, once so much has.
    func first(_ count: Int) async -> [String] {
        if happened.count < count {
            await withCheckedContinuation { waiter = (count, $0) }
        }
        return happened
    }
}

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

@Suite("the event loop's descriptors")
struct EventLoopDescriptorTests {
    @Test("a handler is called while there is something to read, and says when the peer is gone")
    func readable() async throws {
        let user = try LoopUser()
        let pipe = try Descriptor.pipe()
        let number = pipe.read.number
        pipe.write.write("ab")
        try await user.run { user in
            var watch: EventLoop.WatchID?
            watch = try user.loop.watch(number, for: .readable) { readiness in
                guard readiness.contains(.readable) else {
                    user.note(readiness == .hungUp ? "hung up" : "\(readiness.rawValue)")
                    return watch.map(user.loop.unwatch) ?? ()
                }
                var byte: UInt8 = 0
                _ = Glibc.read(number, &byte, 1)
                user.note("byte \(byte)")
            }
        }
        #expect(await user.first(2) == ["byte 97", "byte 98"])
        // Nothing can be written any more: the pipe's other end is gone, though its number stays.
        pipe.write.replaceByNothing()
        #expect(await user.first(3).last == "hung up")
    }

    @Test("a watch can be changed to wait for something else, and for nothing")
    func change() async throws {
        let user = try LoopUser()
        let pipe = try Descriptor.pipe()
        let number = pipe.write.number
        try await user.run { user in
            var watch: EventLoop.WatchID?
            watch = try user.loop.watch(number, for: []) { readiness in
                user.note(readiness == .writable ? "writable" : "other")
                if let watch { user.loop.change(watch, to: []) }
            }
            if let watch { user.loop.change(watch, to: .writable) }
            _ = user.loop.after(.milliseconds(10)) { user.note("timer") }
        }
        #expect(await user.first(2) == ["writable", "timer"])
    }

    /// Two pipes that are both readable, watched; each handler ends the other's watch.
    private func watchEachOther(
        _ user: isolated LoopUser, _ first: Int32, _ second: Int32
    ) throws {
        var watches: [EventLoop.WatchID] = []
        for (index, number) in [first, second].enumerated() {
            let watch = try user.loop.watch(number, for: .readable) { _ in
                user.note("watch")
                user.loop.unwatch(watches[1 - index])
                user.loop.unwatch(watches[index])
            }
            watches.append(watch)
        }
    }

    @Test("an event that was waiting when its watch ended reaches nobody")
    func staleEvent() async throws {
        let user = try LoopUser()
        let first = try Descriptor.pipe()
        let second = try Descriptor.pipe()
        first.write.write("x")
        second.write.write("x")
        let numbers = (first.read.number, second.read.number)
        try await user.run { user in
            // Both are ready before the loop looks, so one wait brings both events.
            try watchEachOther(user, numbers.0, numbers.1)
            _ = user.loop.after(.milliseconds(10)) { user.note("timer") }
        }
        #expect(await user.first(2) == ["watch", "timer"])
    }

    @Test("a descriptor that is closed and opened anew is not taken for the old one")
    func reusedNumber() async throws {
        let user = try LoopUser()
        let steady = try Descriptor.pipe()
        steady.write.write("x")
        let number = steady.read.number
        try await user.run { user in
            var old: EventLoop.WatchID?
            // The duplicate gets the number that closing it frees again.
            let duplicate = dup(number)
            old = try user.loop.watch(duplicate, for: .readable) { _ in user.note("old") }
            if let old { user.loop.unwatch(old) }
            close(duplicate)
            let again = dup(number)
            #expect(again == duplicate)
            var new: EventLoop.WatchID?
            new = try user.loop.watch(again, for: .readable) { _ in
                user.note("new")
                if let new { user.loop.unwatch(new) }
                close(again)
            }
            if let old { user.loop.unwatch(old) }
        }
        #expect(await user.first(1) == ["new"])
    }

    @Test("a handler may end its own watch and begin another")
    func unwatchWithin() async throws {
        let user = try LoopUser()
        let pipe = try Descriptor.pipe()
        pipe.write.write("x")
        let number = pipe.read.number
        try await user.run { user in
            var watch: EventLoop.WatchID?
            watch = try user.loop.watch(number, for: .readable) { _ in
                user.note("first")
                if let watch { user.loop.unwatch(watch) }
                watch = try? user.loop.watch(number, for: .readable) { _ in
                    user.note("second")
                    if let watch { user.loop.unwatch(watch) }
                }
            }
        }
        #expect(await user.first(2) == ["first", "second"])
    }

    @Test("a descriptor that can't be watched is an error that names the call")
    func unwatchable() async throws {
        let user = try LoopUser()
        let error = await user.run { user -> SystemError? in
            do throws(SystemError) {
                _ = try user.loop.watch(9999, for: .readable) { _ in }
                return nil
            } catch {
                return error
            }
        }
        #expect(error == SystemError("epoll_ctl", "", code: EBADF))
        #expect(error?.description == "epoll_ctl: Bad file descriptor")
    }
}

@Suite("the event loop's jobs")
struct EventLoopJobTests {
    private actor Counter {
        nonisolated let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private(set) var count = 0
        private(set) var threads: Set<UInt> = []

        init(_ loop: EventLoop) { self.loop = loop }

        func add() {
            count += 1
            threads.insert(UInt(pthread_self()))
        }
    }

    @Test("every job from many threads runs, and all on one thread")
    func manyThreads() async throws {
        let counter = Counter(try EventLoop(name: "jobs"))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { await counter.add() }
                }
            }
            for _ in 0..<8 {
                group.addTask { await Self.add(500, to: counter) }
            }
        }
        #expect(await counter.count == 12_000)
        let threads = await counter.threads
        #expect(threads.count == 1)
        #expect(!threads.contains(UInt(pthread_self())))
    }

    /// Has a thread outside Swift's pool give so many jobs, and waits until they have run.
    private static func add(_ count: Int, to counter: Counter) async {
        let (done, each) = AsyncStream<Void>.makeStream()
        Threads.start(name: "giver") {
            for _ in 0..<count {
                Task {
                    await counter.add()
                    each.yield()
                }
            }
        }
        var left = count
        for await _ in done {
            left -= 1
            if left == 0 { return }
        }
    }

    @Test("the process's loop suspends a task without a thread, and knows its own thread")
    func loopActor() async {
        let isOnLoop = await onLoop()
        #expect(isOnLoop)
        await LoopActor.sleep(.milliseconds(1))
    }

    @LoopActor
    private func onLoop() async -> Bool {
        await LoopActor.sleep(.milliseconds(1))
        return LoopActor.assumeIsolated { true }
    }

    @Test("a handler on the process's loop may use what belongs to it")
    func loopActorHandlers() async throws {
        let pipe = try Descriptor.pipe()
        pipe.write.write("x")
        let number = pipe.read.number
        let readiness = try await Self.firstReadiness(of: number)
        #expect(readiness == .readable)
    }

    @LoopActor
    private static func firstReadiness(of number: Int32) async throws -> EventLoop.Readiness {
        var watch: EventLoop.WatchID?
        return try await withCheckedThrowingContinuation { continuation in
            do {
                watch = try LoopActor.watch(number, for: .readable) { readiness in
                    if let watch { LoopActor.loop.unwatch(watch) }
                    continuation.resume(returning: readiness)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
