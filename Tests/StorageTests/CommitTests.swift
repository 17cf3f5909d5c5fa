import Scanning
import Synchronization
import Testing

@testable import Storage

@Suite("commits")
struct CommitTests {
    private let directory: StoreDirectory
    private let store: Store

    init() throws {
        directory = StoreDirectory()
        store = try directory.open()
    }

    @Test("events get consecutive seqs in the order of the group")
    func seqsFollowTheGroup() async throws {
        let group = (1...5).map {
            Change(events: [Samples.event("a\($0)"), Samples.event("b\($0)")])
        }
        let committed = try await store.commit(group)
        #expect(committed.flatMap(\.events).map(\.seq) == Array(1...10))
        #expect(committed[2].events.map(\.text).map { $0.contains("a3") } == [true, false])
        #expect(try await store.wholeLog() == committed.flatMap(\.events))
        #expect(try await store.range() == LogRange(first: 1, last: 10))
    }

    @Test("an event comes back from the log as it was given")
    func bodiesAreKept() async throws {
        let body = Array(#"{"type":"scan","content":"blåbär \u0000 😀"}"#.utf8)
        let draft = EventDraft(
            type: "scan", readerID: "usb-1", readerName: nil, scan: "s1", at: Samples.time(3),
            body: body)
        _ = try await store.commit([Change(events: [draft])])
        let stored = try #require(try await store.wholeLog().first)
        #expect(stored.body == body)
        #expect(stored.type == "scan" && stored.readerID == "usb-1" && stored.scan == "s1")
        #expect(stored.readerName == nil)
    }

    @Test("an empty log begins at 1 and ends at 0")
    func emptyLog() async throws {
        #expect(try await store.range() == LogRange(first: 1, last: 0))
        let page = try await store.events(after: 0, limit: 10, maxBytes: 1000)
        #expect(page.events.isEmpty && page.range == LogRange(first: 1, last: 0))
    }

    @Test("a scan whose answer is cached is stored with its answer")
    func answerInTheSameTransaction() async throws {
        let entry = Samples.cached("4K7mX9abDcE", text: "box")
        _ = try await store.commit([Change(cache: .put(entry))])
        var change = Samples.scan("s1")
        change.answer = CacheQuestion(key: "4K7mX9abDcE", account: nil) { found in
            let text = found.map { String(decoding: $0.resolution, as: UTF8.self) } ?? "nothing"
            return [Samples.event(text.contains("box") ? "box" : text, type: "resolution")]
        }
        let committed = try await store.commit([change])[0]
        #expect(committed.cached == entry)
        #expect(committed.events.map(\.type) == ["scan", "resolution"])
        #expect(committed.events[1].text.contains("box"))
    }

    @Test("a scan without a cached answer is told so")
    func nothingCached() async throws {
        let asked = Mutex(0)
        var change = Samples.scan("s1")
        change.answer = CacheQuestion(key: "4K7mX9abDcE", account: nil) { found in
            #expect(found == nil)
            asked.withLock { $0 += 1 }
            return []
        }
        let committed = try await store.commit([change])[0]
        #expect(committed.cached == nil && committed.events.count == 1)
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("a group that fails leaves nothing behind, and the store goes on")
    func allOrNothing() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        try await store.execute(refuseEventsNamedBad)
        let group = [Samples.scan("s2", of: "A"), Change(events: [Samples.event("bad")])]
        let error = await failure { try await store.commit(group) }
        #expect(error?.description == "insert event: constraint failed (1811)")

        #expect(try await store.range() == LogRange(first: 1, last: 1))
        #expect(try await store.outboxCounts().scans == 1)
        let next = try await store.commit([Samples.scan("s3", of: "A")])[0]
        #expect(next.events.map(\.seq) == [2])
        #expect(try await store.drain() == ["s1", "s3"])
    }

    private var refuseEventsNamedBad: SQL {
        SQL(
            "test trigger",
            """
            CREATE TRIGGER refuse BEFORE INSERT ON event WHEN NEW.body LIKE '%bad%'
            BEGIN SELECT RAISE(ABORT, 'the contents must not be told'); END
            """)
    }

    @Test("a scan stored twice is delivered once")
    func deliveryIsStoredOnce() async throws {
        _ = try await store.commit([Samples.scan("s1"), Samples.scan("s2")])
        _ = try await store.commit([Change(delivery: Samples.delivery("s1"))])
        #expect(try await store.outboxCounts().scans == 2)
        #expect(try await store.drain() == ["s1", "s2"])
        _ = try await store.commit([Change(delivery: Samples.delivery("s1"))])
        #expect(try await store.drain() == [])
    }

    @Test("a delivery knows the first resolution that was published for its scan")
    func firstAnswerIsKept() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        #expect(try await head()?.firstAnswer == nil)
        let offline = Samples.event("offline", type: "resolution", scan: "s1")
        let late = Samples.event("late", type: "resolution", scan: "s1")
        let first = try await store.commit([Change(events: [offline])])[0].events[0]
        _ = try await store.commit([Change(events: [late])])
        #expect(try await head()?.firstAnswer?.event == first)

        let reopened = try directory.copyAsFoundAfterPowerCut().open(bootID: Samples.otherBoot)
        let row = try await reopened.backlogHead(
            excluding: [], account: nil, bootNanoseconds: 0)
        #expect(row?.firstAnswer?.event == first)
    }

    @Test("a first resolution that was pruned is still known to have been")
    func firstAnswerOutlivesItsEvent() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        let answer = Samples.event("offline", type: "resolution", scan: "s1")
        _ = try await store.commit([Change(events: [answer])])
        _ = try await store.prune(olderThan: Samples.time(99), keep: 100, chunk: 100)
        let row = try #require(try await head())
        #expect(row.firstAnswer?.seq == 2)
        #expect(row.firstAnswer?.event == nil)
    }

    private func head() async throws -> DeliveryRow? {
        try await store.backlogHead(excluding: [], account: nil, bootNanoseconds: 0)
    }

    @Test("a page of the log ends at the limit of events or bytes, but never empty")
    func pages() async throws {
        _ = try await store.commit([Change(events: (1...9).map { Samples.event("e\($0)") })])
        let size = Samples.event("e1").body.count
        func seqs(after seq: Int64, _ limit: Int, _ bytes: Int) async throws -> [Int64] {
            try await store.events(after: seq, limit: limit, maxBytes: bytes).events.map(\.seq)
        }
        #expect(try await seqs(after: 2, 3, .max) == [3, 4, 5])
        #expect(try await seqs(after: 7, 10, .max) == [8, 9])
        #expect(try await seqs(after: 0, 10, 3 * size) == [1, 2, 3])
        #expect(try await seqs(after: 0, 10, 3 * size - 1) == [1, 2])
        #expect(try await seqs(after: 4, 10, 1) == [5])
        #expect(try await seqs(after: 9, 10, .max) == [])
    }
}
