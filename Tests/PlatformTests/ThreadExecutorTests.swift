import FoundationEssentials
import Glibc
import Platform
import Testing

@Suite("a thread of an actor's own")
struct ThreadExecutorTests {
    /// An actor around something that blocks.
    private actor Blocking {
        nonisolated let executor: ThreadExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }
        private var steps: [Int] = []

        init(_ executor: ThreadExecutor) { self.executor = executor }

        func thread() -> UInt { UInt(pthread_self()) }

        func add(_ step: Int) { steps.append(step) }
        func all() -> [Int] { steps }

        /// Blocks its thread until something can be read.
        func read(_ descriptor: Int32) -> UInt8 {
            var byte: UInt8 = 0
            return Glibc.read(descriptor, &byte, 1) == 1 ? byte : 0
        }
    }

    @Test("an actor runs on one thread, which is nobody else's")
    func oneThread() async {
        let executor = ThreadExecutor(name: "blocking-library")
        let actor = Blocking(executor)
        let other = Blocking(ThreadExecutor(name: "other"))
        let thread = await actor.thread()
        for _ in 0..<50 {
            await Task.yield()
            #expect(await actor.thread() == thread)
        }
        #expect(await other.thread() != thread)
        #expect(UInt(pthread_self()) != thread)
        executor.stop()
        other.executor.stop()
    }

    @Test("what is asked of it runs in order")
    func order() async {
        let executor = ThreadExecutor(name: "order")
        let actor = Blocking(executor)
        for step in 0..<1000 { await actor.add(step) }
        #expect(await actor.all() == Array(0..<1000))
        executor.stop()
    }

    @Test("however many of them block, the tasks of Swift's pool go on")
    func poolStaysFree() async throws {
        let pipe = try Descriptor.pipe()
        let number = pipe.read.number
        let executors = (0..<16).map { ThreadExecutor(name: "block \($0)") }
        let actors = executors.map { Blocking($0) }
        let blocked = actors.map { actor in Task { await actor.read(number) } }
        // More tasks than the pool has threads; each needs its turn to come.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask { for _ in 0..<10 { await Task.yield() } }
            }
        }
        pipe.write.write(String(repeating: "x", count: 16))
        for task in blocked { #expect(await task.value == UInt8(ascii: "x")) }
        for executor in executors { executor.stop() }
    }

    @Test("the thread has the name it was given, and ends when it is stopped")
    func stop() async throws {
        let executor = ThreadExecutor(name: "to-be-stopped")
        let actor = Blocking(executor)
        await actor.add(1)
        let isNamed = try await Self.waits { try Self.threadNames().contains("to-be-stopped") }
        #expect(isNamed)
        executor.stop()
        let hasEnded = try await Self.waits { try !Self.threadNames().contains("to-be-stopped") }
        #expect(hasEnded)
    }

    /// Asks until it is so; the list of threads can lack one that is there while others end.
    private static func waits(until isSo: () throws -> Bool) async throws -> Bool {
        let deadline = Clocks.monotonicNanoseconds() + 10_000_000_000
        while try !isSo() {
            guard Clocks.monotonicNanoseconds() < deadline else { return false }
            await Task.yield()
        }
        return true
    }

    /// Source: proc(5), /proc/pid/task/tid/comm.
    private static func threadNames() throws -> Set<String> {
        let folder = "/proc/self/task"
        let threads = try FileManager.default.contentsOfDirectory(atPath: folder)
        // A thread may end between the listing and the reading.
        let names = threads.compactMap { thread in
            try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(thread)/comm"))
        }
        return Set(names.map { String(decoding: $0.dropLast(), as: UTF8.self) })
    }
}
