import FoundationEssentials
import Glibc
import Platform
import Synchronization
import TestRig
import Testing

@testable import PlingsAPI

/// An actor with a thread of its own, as the station's.
@globalActor
private actor Owner {
    static let shared = Owner()
    private let executor = ThreadExecutor(name: "owner")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }
}

/// Two requests; says whether all of it was seen on the actor's thread.
@Owner
private func resolveAndProbe(_ client: PlingsClient) async throws -> Bool {
    let thread = pthread_self()
    _ = try await client.resolve(scan(), idempotencyKey: "1")
    let between = pthread_self()
    try await client.probe()
    return pthread_equal(thread, between) != 0 && pthread_equal(thread, pthread_self()) != 0
}

/// Every thread of Swift's cooperative pool kept busy while something is tried.
private final class BusyPool: Sendable {
    private let busy = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let outcome = Mutex<Result<Bool, any Error>?>(nil)

    /// Tries it, on a thread of its own.
    ///
    /// - Returns: What came of it while the pool was busy, nil where nothing did for 20 s.
    func tryMeanwhile(
        _ body: @escaping @Owner @Sendable () async throws -> Bool
    ) async -> Result<Bool, any Error>? {
        await withCheckedContinuation { continuation in
            Threads.start { [self] in
                occupy()
                Task { @Owner in
                    do {
                        finish(.success(try await body()))
                    } catch {
                        finish(.failure(error))
                    }
                }
                poll { outcome.withLock { $0 != nil } }
                let result = outcome.withLock { $0 }
                isOver.store(true, ordering: .relaxed)
                continuation.resume(returning: result)
            }
        }
    }

    private func finish(_ result: Result<Bool, any Error>) {
        outcome.withLock { $0 = result }
    }

    private func occupy() {
        let count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        for _ in 0..<count {
            Task.detached { [self] in
                busy.add(1, ordering: .relaxed)
                while !isOver.load(ordering: .relaxed) { usleep(1000) }
            }
        }
        poll { busy.load(ordering: .relaxed) == count }
    }

    private func poll(_ isMet: () -> Bool) {
        for _ in 0..<20_000 where !isMet() { usleep(1000) }
    }
}

@Suite("Threads")
struct ThreadTests {
    @Test("requests are sent and answered although the cooperative pool is full")
    func pool() async throws {
        let server = try ScriptedHTTPServer([.answer(http(200, unknownTag)), .answer(probed)])
        defer { server.stop() }
        let client = try client(of: server)
        let result = await BusyPool().tryMeanwhile { try await resolveAndProbe(client) }
        #expect(try result?.get() == true)
    }

    @Test("a transport without a request on its way does not wake up")
    func idle() async throws {
        let server = try ScriptedHTTPServer([.answer(probed), .answer(probed)])
        defer { server.stop() }
        _ = Environment.proxy
        let settings = TransportSettings(
            certificates: try CertificateStore(file: nil), userAgent: "plingsd/test")
        let transport = try HTTPTransport(settings, threadName: "idle-transport")
        let request = HTTPRequest(
            endpoint: try Endpoint("http://127.0.0.1:\(server.port)/"), token: Secret("t"),
            headers: [], body: try Probe().body(), answerLimit: 1000, timeout: .seconds(20))
        for _ in 0..<2 { _ = try await transport.perform(request) { $0 }.get() }

        let thread = try #require(Kernel.thread(named: "idle-transport"))
        var before = thread.wakeUps
        // The thread goes to sleep after its answer was received here.
        while thread.state != "S" { usleep(1000) }
        usleep(100_000)
        before = thread.wakeUps
        try await Task.sleep(for: .seconds(2))
        #expect(thread.wakeUps == before)
        transport.stop()
        #expect(transport.join(within: .seconds(60)))
    }
}

/// What the kernel says of a thread of this process.
///
/// Source: proc_pid_status(5).
private struct Kernel {
    private let directory: String

    static func thread(named name: String) -> Kernel? {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.map { Kernel(directory: "/proc/self/task/\($0)") }.first {
            $0.read("comm").hasPrefix(name)
        }
    }

    /// How often it went to sleep.
    var wakeUps: Int? { field("voluntary_ctxt_switches").flatMap { Int($0) } }

    /// `S` while it sleeps.
    var state: String? { field("State").map { String($0.prefix(1)) } }

    private func field(_ name: String) -> String? {
        read("status").split(separator: "\n").first { $0.hasPrefix("\(name):") }?
            .split(separator: "\t").last.map { String($0) }
    }

    private func read(_ file: String) -> String {
        (try? String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)) ?? ""
    }
}
