import Platform
import Scanning
import TestRig
import Testing

@testable import Station
@testable import Storage

@Suite("The journal and what goes wrong with the store")
@LoopActor
struct JournalRecoveryTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private func storingWorks() async -> Bool {
        await eventually { bench.journal.isStoring && !bench.journal.isCommitting }
    }

    private func fate(_ change: Change, asOrder isOrder: Bool = false) async -> Journal.Fate {
        await withCheckedContinuation { continuation in
            bench.journal.record(change, asOrder: isOrder) { continuation.resume(returning: $0) }
        }
    }

    @Test("an order that can't be stored is refused, and nothing of it is published")
    func orders() async throws {
        try await bench.store.refuseWriting(true)
        for text in ["first", "second"] {
            let fate = await fate(Change(events: [Sample.draft(text)]), asOrder: true)
            guard case .refused(let error) = fate else {
                Issue.record("it was not refused")
                return
            }
            #expect(error.description == "begin: attempt to write a readonly database (8)")
        }
        #expect(bench.listener.lines.isEmpty)
        #expect(bench.journal.deferred.isEmpty)
        try await bench.store.refuseWriting(false)
        #expect(await storingWorks())
        let log = try await bench.log()
        #expect(log.isEmpty)
    }

    // MARK: One change that can't be stored

    @Test("one bad change among many is published and left out, the others are stored")
    func poison() async throws {
        try await bench.store.refuse(word: "poison")
        for text in ["a.", "b.", "poison", "c.", "d."] { bench.record(text) }
        await bench.journal.settle()
        #expect(bench.listener.seqs == [1, 2, nil, 3, 4])
        #expect(bench.listener.texts[2].contains(#""durable":false"#))
        #expect(bench.failures.isEmpty, "the store works")
        #expect(bench.journal.lost == 1)
        let log = try await bench.log()
        #expect(log.count == 4)
        let fate = await fate(Change(events: [Sample.draft("poison")]))
        guard case .leftOut(let error, let published) = fate else {
            Issue.record("it was stored")
            return
        }
        #expect(published == 1)
        #expect(error.description == "insert event: constraint failed (1811)")
    }

    @Test("a bad change that waited in memory holds up none of the others")
    func poisonAmongDeferred() async throws {
        try await bench.store.refuse(word: "poison")
        try await bench.store.refuseWriting(true)
        for text in ["a.", "poison", "b."] { bench.record(text) }
        await bench.journal.settle()
        try await bench.store.refuseWriting(false)
        #expect(await storingWorks())
        let log = try await bench.log()
        #expect(log.map(\.seq) == [1, 2])
        #expect(bench.journal.lost == 1)
        #expect(bench.hub.last == 2)
    }

    @Test("an order that can't be stored by its own fault is refused, and not published")
    func poisonOrder() async throws {
        try await bench.store.refuse(word: "poison")
        let fate = await fate(Change(events: [Sample.draft("poison")]), asOrder: true)
        guard case .refused = fate else {
            Issue.record("it was not refused")
            return
        }
        #expect(bench.listener.lines.isEmpty)
    }

    // MARK: Another program's lock

    @Test("while another program holds the database events go out, and are stored afterwards")
    func lock() async throws {
        let other = try Connection(path: "\(bench.folder.path)/store/station.sqlite")
        try other.execute(SQL("test", "BEGIN IMMEDIATE"))
        let fate = await fate(Change(events: [Sample.draft("a")]))
        guard case .deferred(let error, _) = fate else {
            Issue.record("it was stored")
            return
        }
        #expect(error.word == "busy")
        #expect(error.description == "begin: database is locked (5)")
        bench.record("b")
        await bench.journal.settle()
        #expect(bench.listener.seqs == [nil, nil])
        #expect(bench.failures == [true], "it is said once")
        try other.execute(SQL("test", "COMMIT"))
        #expect(await storingWorks())
        let log = try await bench.log()
        #expect(log.count == 2)
        #expect(bench.failures == [true, false])
    }

    @Test("the end does not wait for another program's lock, and says what is lost")
    func lockAtTheEnd() async throws {
        let other = try Connection(path: "\(bench.folder.path)/store/station.sqlite")
        try other.execute(SQL("test", "BEGIN IMMEDIATE"))
        bench.record("a")
        await bench.journal.finish()
        #expect(bench.journal.lost == 1)
        try other.execute(SQL("test", "COMMIT"))
    }

    // MARK: Damage

    @Test("a damaged store is replaced at work: deliveries go over, subscribers hear of a new log")
    func damage() async throws {
        let before = bench.store.log
        _ = await fate(
            Change(events: [Sample.draft("old")], delivery: try Sample.delivery("s1")))
        var found: [Opened] = []
        bench.journal.onReopened = { found.append($0) }
        try await bench.store.loseCache()
        let change = Change(
            events: [Sample.draft("during")], delivery: try Sample.delivery("s2"),
            cache: .remove(key: "K"))
        guard case .deferred(let error, _) = await fate(change) else {
            Issue.record("it was stored")
            return
        }
        #expect(error.word == "damaged")
        #expect(await storingWorks())
        guard case .setAside(let aside) = found.first else {
            Issue.record("nothing was set aside")
            return
        }
        #expect(aside.rescued.deliveries == 1)
        #expect(aside.path.contains("station.sqlite.damaged-"))
        #expect(bench.store.log != before)
        #expect(bench.listener.replacements == 1)
        #expect(bench.listener.lines.count == 2, "nothing is sent again")
        let log = try await bench.log()
        #expect(log.map(\.seq) == [1])
        #expect(bench.hub.last == 1)
        #expect(try await bench.store.outboxCounts().scans == 2)
        #expect(bench.journal.lost == 0)
    }

    @Test("while the store is looked through, what happens is published")
    func publishedMeanwhile() async throws {
        try await bench.store.loseCache()
        _ = await fate(Change(events: [Sample.draft("a")], cache: .remove(key: "K")))
        let gate = try StoreGate()
        let standing = Task { [store = bench.store] in await store.stand(before: gate) }
        #expect(await eventually { bench.journal.isRecovering || bench.journal.isStoring })
        var change = Change(events: [Sample.draft("b")])
        change.answer = CacheQuestion(key: "K", account: nil) { _ in
            [Sample.draft("answer", type: "resolution")]
        }
        _ = await fate(change)
        gate.open()
        await standing.value
        #expect(await storingWorks())
        #expect(bench.listener.lines.map(\.type) == ["scan", "scan", "resolution"])
        let log = try await bench.log()
        #expect(log.count == 3)
    }
}
