import LineProtocols
import Platform
import Scanning
import Testing

@testable import Station
@testable import Storage

@Suite("The journal while nothing can be stored")
@LoopActor
struct JournalFailureTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private func isDeferred(_ fate: Journal.Fate) -> Bool {
        guard case .deferred = fate else { return false }
        return true
    }

    private func storingWorks() async -> Bool {
        await eventually { bench.journal.isStoring && !bench.journal.isCommitting }
    }

    @Test("events go out without a seq and say that they are not durable")
    func published() async throws {
        bench.record("before")
        await bench.journal.settle()
        try await bench.store.refuseWriting(true)
        let fate = await bench.journal.record(Change(events: [Sample.draft("during")]))
        guard case .deferred(let error, let published) = fate else {
            Issue.record("it was stored")
            return
        }
        #expect(published == 1)
        #expect(error.isForWantOfSpace)
        #expect(error.description.contains("attempt to write a readonly database"))
        #expect(bench.listener.seqs == [1, nil])
        #expect(
            bench.listener.texts.last?.hasPrefix(
                #"{"jsonrpc":"2.0","method":"event","params":{"durable":false,"#) == true)
        #expect(bench.hub.last == 1)
        #expect(bench.failures == [true])
        #expect(!bench.journal.isStoring)
    }

    @Test("when space returns they are stored in their order, and not sent again live")
    func storedLater() async throws {
        try await bench.store.refuseWriting(true)
        for number in 1...700 { bench.record("\(number).") }
        await bench.journal.settle()
        #expect(bench.listener.lines.count == 700)
        try await bench.store.refuseWriting(false)
        #expect(await storingWorks())
        #expect(bench.listener.lines.count == 700)
        #expect(bench.failures == [true, false])
        let log = try await bench.log()
        #expect(log.count == 700)
        #expect(log.indices.allSatisfy { log[$0].text.contains(":\"\($0 + 1).") })
        #expect(bench.hub.last == 700, "subscribers that come now begin behind them")
        bench.record("after")
        await bench.journal.settle()
        #expect(bench.listener.seqs.last == 701)
        #expect(bench.journal.lost == 0)
    }

    @Test("deliveries wait with them and are in the outbox once space returns")
    func deliveries() async throws {
        try await bench.store.refuseWriting(true)
        let change = Change(
            events: [Sample.draft("scan")], delivery: try Sample.delivery("s1"))
        #expect(isDeferred(await bench.journal.record(change)))
        #expect(try await bench.store.outboxCounts().scans == 0)
        try await bench.store.refuseWriting(false)
        #expect(await storingWorks())
        #expect(try await bench.store.outboxCounts().scans == 1)
    }

    @Test("what waits in memory is bounded: the oldest are given up, and counted")
    func bounded() async throws {
        try await bench.store.refuseWriting(true)
        for number in 1...(DeferredChanges.limit + 5) { bench.record("\(number).") }
        await bench.journal.settle()
        #expect(bench.listener.lines.count == DeferredChanges.limit + 5, "all were published")
        #expect(bench.journal.lost == 5)
        try await bench.store.refuseWriting(false)
        #expect(await storingWorks())
        let log = try await bench.log()
        #expect(log.count == DeferredChanges.limit)
        #expect(log.first?.text.contains(":\"6.") == true)
    }

    // MARK: What is stored is what was published

    @Test("the first answer comes from the cache, and is stored as it was published")
    func answer() async throws {
        var change = Change(
            events: [Sample.draft("scan")], delivery: try Sample.delivery("s1"))
        let entry = CacheEntry(
            key: Sample.key, account: nil, resolution: try JSONLine.encode(Sample.known()),
            moment: Sample.moment(0), ttlSeconds: 300)
        _ = await bench.journal.record(Change(cache: .put(entry)))
        change.answer = CacheQuestion(key: Sample.key, account: nil) { entry in
            [Sample.draft(entry == nil ? "offline" : "known", type: "resolution")]
        }
        try await bench.store.refuseWriting(true)
        #expect(isDeferred(await bench.journal.record(change)))
        let published = bench.listener.texts.last ?? ""
        #expect(published.contains("known"), "the cache can be read although nothing is stored")
        try await bench.store.refuseWriting(false)
        #expect(await storingWorks())
        let log = try await bench.log()
        #expect(log.map(\.type) == ["scan", "resolution"])
        #expect(published.contains(log.last?.text.dropFirst() ?? "nothing"))
    }

    // MARK: While storing is tried again

    @Test("what happens while storing is tried in vain is published without waiting for the next")
    func recordedDuringRetry() async throws {
        try await bench.store.refuseWriting(true)
        #expect(isDeferred(await bench.journal.record(Change(events: [Sample.draft("a")]))))
        let gate = try StoreGate()
        let standing = Task { [store = bench.store] in await store.stand(before: gate) }
        #expect(await eventually { bench.journal.isRecovering })
        bench.record("b")
        await bench.journal.settle()
        gate.open()
        await standing.value
        #expect(bench.listener.texts.count == 2)
        #expect(bench.listener.texts.last?.contains("\"b\"") == true)
        try await bench.store.refuseWriting(false)
        #expect(await storingWorks())
        let log = try await bench.log()
        #expect(log.count == 2)
    }

    @Test("whoever waits for the journal to settle is not left waiting by a try in vain")
    func settleDuringRetry() async throws {
        try await bench.store.refuseWriting(true)
        #expect(isDeferred(await bench.journal.record(Change(events: [Sample.draft("a")]))))
        let gate = try StoreGate()
        let standing = Task { [store = bench.store] in await store.stand(before: gate) }
        #expect(await eventually { bench.journal.isRecovering })
        var isSettled = false
        Task { [bench] in
            await bench.journal.settle()
            isSettled = true
        }
        await Task.yield()
        gate.open()
        await standing.value
        #expect(await eventually { isSettled })
    }

    // MARK: At the end

    @Test("what waits in memory is stored at the end where that is possible again")
    func finishWithRoom() async throws {
        try await bench.store.refuseWriting(true)
        for number in 1...300 { bench.record("\(number).") }
        await bench.journal.settle()
        try await bench.store.refuseWriting(false)
        await bench.journal.finish()
        let log = try await bench.log()
        #expect(log.count == 300)
        #expect(bench.journal.lost == 0)
    }

    @Test("what can't be stored at the end either is counted as lost, and the end comes")
    func finishWithoutRoom() async throws {
        try await bench.store.refuseWriting(true)
        for number in 1...3 { bench.record("\(number).") }
        await bench.journal.finish()
        #expect(bench.journal.lost == 3)
        try await bench.store.refuseWriting(false)
        let log = try await bench.log()
        #expect(log.isEmpty)
    }

    @Test("a closed store is said to be closed, and events go out all the same")
    func closed() async throws {
        await bench.store.close()
        let fate = await bench.journal.record(Change(events: [Sample.draft("a")]))
        guard case .deferred(let error, let published) = fate else {
            Issue.record("it was stored")
            return
        }
        #expect(published == 1)
        #expect(error.description == "the store is closed")
        #expect(bench.listener.seqs == [nil])
    }
}
