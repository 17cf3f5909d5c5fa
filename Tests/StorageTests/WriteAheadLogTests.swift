import FoundationEssentials
import Scanning
import Testing

@testable import Storage

@Suite("the write-ahead log")
struct WriteAheadLogTests {
    private let directory: StoreDirectory
    private let store: Store

    init() throws {
        directory = StoreDirectory()
        store = try directory.open()
    }

    private func size() throws -> Int {
        try directory.bytes("station.sqlite-wal").count
    }

    private func frames() async throws -> Int {
        try await store.use { database throws(StorageError) in
            database.connection.writeAheadFrames
        }
    }

    @Test("it has its size before the first scan, keeps it, and lies there after a stop")
    func grownInAdvance() async throws {
        #expect(try size() == 4 << 20)
        for number in 1...60 { _ = try await store.commit([Samples.scan("s\(number)")]) }
        #expect(try size() == 4 << 20)
        await store.close()
        #expect(try size() == 4 << 20)
        #expect(try await directory.open().wholeLog().count == 60)
    }

    @Test("a lone scan with its cached answer takes few pages")
    func pagesOfAScan() async throws {
        for number in 1...200 { _ = try await store.commit([Samples.scan("s\(number)")]) }
        _ = try await store.commit([Change(cache: .put(Samples.cached("4K7mX9abDcE")))])
        let before = try await frames()
        var change = Samples.scan("s201")
        change.answer = CacheQuestion(key: "4K7mX9abDcE", account: nil) { _ in
            [Samples.event("known", type: "resolution", scan: "s201")]
        }
        change.presence = .opened(
            OpenPresence(
                scan: "s201", device: "d", reader: Array("{}".utf8), medium: "nfc", uid: nil,
                contents: "", moment: Samples.moment(1)))
        _ = try await store.commit([change])
        #expect(try await frames() - before <= 8)
    }

    @Test("an idle station copies it back, and it begins anew")
    func idleCopy() async throws {
        for number in 1...60 { _ = try await store.commit([Samples.scan("s\(number)")]) }
        #expect(try await frames() >= WriteAheadLog.idleFrames)
        try await store.checkpointIfNeeded()
        #expect(try await frames() == 1)
        #expect(try size() == 4 << 20)
        #expect(try await store.wholeLog().count == 60)
        // Less than enough to copy stays.
        _ = try await store.commit([Samples.scan("more")])
        let few = try await frames()
        try await store.checkpointIfNeeded()
        #expect(try await frames() == few)
    }

    @Test("it does not grow under a load that never pauses")
    func load() async throws {
        for number in 1...800 {
            let id = "s\(number)"
            _ = try await store.commit([Samples.scan(id, of: "K\(number % 50)")])
        }
        #expect(try size() <= 6 << 20)
        #expect(try await store.wholeLog().map(\.seq) == Array(1...800))
        #expect(try await store.outboxCounts().scans == 800)
    }

    @Test("it grows while another program reads, and is cut to its size afterwards")
    func foreignReader() async throws {
        do {
            let other = try Connection(path: "\(directory.path)/station.sqlite")
            try other.execute(SQL("test", "BEGIN; SELECT count(*) FROM event"))
            let large = (1...40).map {
                Samples.event("\($0)" + String(repeating: "x", count: 8_000))
            }
            for _ in 1...30 { _ = try await store.commit([Change(events: large)]) }
            #expect(try size() > WriteAheadLog.largestKept)
            try other.execute(SQL("test", "COMMIT"))
        }
        try await store.checkpointIfNeeded()
        #expect(try await frames() == 1)
        #expect(try size() == 4 << 20)
        #expect(try await store.wholeLog().count == 1_200)
    }

    @Test("replay goes on beside a transaction that is open")
    func readersDoNotWait() async throws {
        _ = try await store.commit([Change(events: [Samples.event("one")])])
        let other = try Connection(path: "\(directory.path)/station.sqlite")
        try other.execute(SQL("test", "BEGIN IMMEDIATE"))
        #expect(try await store.wholeLog().count == 1)
        try other.execute(SQL("test", "COMMIT"))
    }
}
