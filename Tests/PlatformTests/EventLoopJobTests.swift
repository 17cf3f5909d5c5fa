import Glibc
import Platform
import Testing

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

    /// Goes round on the loop until it is told to stop.
    private actor Circle {
        nonisolated let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private var isEnded = false
        private(set) var rounds = 0

        init(_ loop: EventLoop) { self.loop = loop }

        func go() async {
            _ = loop.after(.milliseconds(1)) { [self] in assumeIsolated { $0.isEnded = true } }
            while !isEnded {
                rounds += 1
                await Task.yield()
            }
        }
    }

    @Test("a task that goes round and round keeps no timer waiting")
    func endlessJobs() async throws {
        let circle = Circle(try EventLoop(name: "circle"))
        await circle.go()
        #expect(await circle.rounds > 1)
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
