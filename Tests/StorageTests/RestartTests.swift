import Scanning
import Testing

@testable import Storage

@Suite("restarts")
struct RestartTests {
    private let directory: StoreDirectory

    init() throws {
        directory = StoreDirectory()
    }

    /// Closes the store and opens it again.
    private func restart(_ store: Store, bootID: String = Samples.boot) async throws -> Store {
        await store.close()
        return try directory.open(bootID: bootID)
    }

    @Test("the log keeps its id and goes on with the next seq")
    func logContinues() async throws {
        var store = try directory.open()
        let log = store.log
        #expect(store.opened == .created)
        _ = try await store.commit([Change(events: [Samples.event("a"), Samples.event("b")])])
        store = try await restart(store)
        #expect(store.log == log && store.opened == .existing)
        let next = try await store.commit([Change(events: [Samples.event("c")])])[0]
        #expect(next.events.map(\.seq) == [3])
        #expect(try await store.wholeLog().map(\.seq) == [1, 2, 3])
    }

    @Test("no seq is given twice, even after everything was pruned")
    func seqsAreNotReused() async throws {
        var store = try directory.open()
        _ = try await store.commit([Change(events: (1...7).map { Samples.event("\($0)") })])
        _ = try await store.prune(olderThan: Samples.time(0), keep: 0, chunk: 100)
        #expect(try await store.range() == LogRange(first: 8, last: 7))
        store = try await restart(store)
        #expect(try await store.range() == LogRange(first: 8, last: 7))
        let page = try await store.events(after: 0, limit: 9, maxBytes: 9999)
        #expect(page.events.isEmpty && page.range == LogRange(first: 8, last: 7))
        let next = try await store.commit([Change(events: [Samples.event("next")])])[0]
        #expect(next.events.map(\.seq) == [8])
        #expect(try await store.range() == LogRange(first: 8, last: 8))
    }

    @Test("a seq whose commit failed is given to the next event, so that the log has no hole")
    func failedCommitLeavesNoHole() async throws {
        let store = try directory.open()
        try await store.execute(SQL("test", "PRAGMA query_only = ON"))
        await #expect(throws: StorageError.self) { try await store.commit([Samples.scan("s1")]) }
        try await store.execute(SQL("test", "PRAGMA query_only = OFF"))
        let committed = try await store.commit([Samples.scan("s2")])
        #expect(committed[0].events.map(\.seq) == [1])
    }

    @Test("what was committed survives a power cut")
    func powerCut() async throws {
        let store = try directory.open()
        let presence = OpenPresence(
            scan: "s1", device: "usb-1", reader: Array(#"{"id":"usb-1"}"#.utf8), medium: "nfc",
            uid: "04a1b2c3d4e5f6", contents: "9f86d081", moment: Samples.moment(1))
        var change = Samples.scan("s1")
        change.presence = .opened(presence)
        change.cache = .put(Samples.cached("K"))
        _ = try await store.commit([change, Samples.scan("s2")])

        let copy = try directory.copyAsFoundAfterPowerCut()
        defer { withExtendedLifetime(copy) {} }
        let found = try copy.open()
        #expect(found.opened == .existing && found.log == store.log)
        #expect(try await found.wholeLog() == store.wholeLog())
        #expect(try await found.openPresences() == [presence])
        #expect(try await found.cached("K", account: nil) == Samples.cached("K"))
        #expect(try await found.outboxCounts().scans == 2)
        #expect(try await found.drain() == ["s1", "s2"])
    }

    @Test("what was committed after the log was copied back survives a power cut")
    func powerCutAfterCheckpoint() async throws {
        let store = try directory.open()
        for number in 1...150 { _ = try await store.commit([Samples.scan("s\(number)")]) }
        try await store.checkpointIfNeeded()
        _ = try await store.commit([Samples.scan("last")])
        let found = try directory.copyAsFoundAfterPowerCut().open()
        #expect(try await found.wholeLog() == store.wholeLog())
        #expect(try await found.outboxCounts().scans == 151)
    }

    @Test(
        "a log torn at any byte keeps what was stored before, and the file is not set aside",
        arguments: [0, 31, 32, 56, 4_151, 4_152, 9_000, 20_000, 60_000, 100_001])
    func tornLog(length: Int) async throws {
        let store = try directory.open()
        for number in 1...12 { _ = try await store.commit([Samples.scan("s\(number)")]) }
        let before = try await store.wholeLog()
        for isZeroed in [true, false] {
            let copy = try directory.copyAsFoundAfterPowerCut()
            let log = try copy.bytes("station.sqlite-wal")
            let rest = [UInt8](repeating: 0, count: isZeroed ? log.count - length : 0)
            try copy.write(log.prefix(length) + rest, to: "station.sqlite-wal")

            let found = try copy.open()
            #expect(found.opened == .existing && found.log == store.log)
            let kept = try await found.wholeLog()
            #expect(kept == Array(before.prefix(kept.count)))
            #expect(try await found.outboxCounts().scans == kept.count)
            #expect(try await found.drain().count == kept.count)
            let next = try await found.commit([Samples.scan("new")])[0].events[0]
            #expect(next.seq == Int64(kept.count) + 1)
        }
    }

    @Test("open presences are found again until they are closed")
    func presences() async throws {
        var store = try directory.open()
        func presence(_ scan: String, uid: String?) -> OpenPresence {
            OpenPresence(
                scan: scan, device: "usb-1", reader: Array("{}".utf8), medium: "nfc", uid: uid,
                contents: "", moment: Samples.moment(5))
        }
        let first = presence("s1", uid: "04aa")
        let second = presence("s2", uid: nil)
        _ = try await store.commit([
            Change(presence: .opened(second)), Change(presence: .opened(first)),
        ])
        store = try await restart(store)
        #expect(try await store.openPresences() == [first, second])
        _ = try await store.commit([Change(presence: .closed(scan: "s1"))])
        store = try await restart(store)
        #expect(try await store.openPresences() == [second])
    }

    @Test("a closed store says so")
    func closed() async throws {
        let store = try directory.open()
        await store.close()
        let error = await failure { try await store.range() }
        #expect(error?.description == "the store is closed")
        await #expect(throws: StorageError.closed) {
            try await store.events(after: 0, limit: 1, maxBytes: 1)
        }
    }
}
