import FoundationEssentials
import Glibc
import Scanning
import Testing

@testable import Storage

@Suite("a store that is damaged or loses its files while it is open")
struct RecoveryTests {
    private let directory: StoreDirectory
    private let store: Store

    init() async throws {
        directory = StoreDirectory()
        store = try directory.open()
        _ = try await store.commit((1...400).map { Samples.scan("s\($0)", of: "K\($0)") })
    }

    private var path: String { "\(directory.path)/station.sqlite" }

    private func remove(_ endings: [String]) throws {
        for ending in endings { try FileManager.default.removeItem(atPath: path + ending) }
    }

    /// Fills the leaves of an index with nonsense, so that the store has to read them again.
    private func damageIndex() async throws {
        let pages = try await store.ids(
            in: SQL(
                "test",
                """
                SELECT pageno FROM dbstat
                WHERE name = 'sqlite_autoindex_outbox_1' AND pagetype = 'leaf'
                """))
        let other = try Connection(path: path)
        // Without having read, a connection has no log to copy back.
        try other.execute(SQL("test", "SELECT count(*) FROM store"))
        let copied = try other.checkpoint()
        #expect(copied.isComplete && copied.frames > 0)
        let file = Glibc.open(path, O_RDWR)
        let nonsense = [UInt8](repeating: 0x5A, count: 4096)
        for page in pages.compactMap({ Int($0) }) {
            #expect(pwrite(file, nonsense, 4096, (page - 1) * 4096) == 4096)
        }
        Glibc.close(file)
        // What another connection has changed is read again.
        try other.execute(SQL("test", "UPDATE store SET settled = settled + 1"))
    }

    @Test("a damaged database is set aside at work, and another goes on with what was waiting")
    func damage() async throws {
        let log = store.log
        try await damageIndex()
        let error = await failure { try await store.commit([Samples.scan("s401")]) }
        #expect(error?.description == "insert delivery: database disk image is malformed (11)")
        #expect(error?.word == "damaged")
        let again = await failure { try await store.commit([Change()]) }
        #expect(again == error, "nothing is stored in it any more")
        guard case .setAside(let found) = try await store.recover(now: Samples.time(9)) else {
            Issue.record("it was not set aside")
            return
        }
        #expect(found.path == "\(path).damaged-20261130T000009000Z")
        #expect(
            found.rescued == Rescued(deliveries: 400, attention: 0, presences: 0, unreadable: 0))
        #expect(store.log != log)
        #expect(try await store.commit([Samples.scan("s401")])[0].events.map(\.seq) == [1])
        #expect(try await store.wholeLog().count == 1)
        #expect(try await store.queuedIDs().count == 401)
        await store.close()
        #expect(try directory.open().opened == .existing)
    }

    @Test("damage that only shows in reading is known to the next commit")
    func damageInReading() async throws {
        try await store.execute(SQL("test", "DROP TABLE cache"))
        let inReading = await failure { try await store.cached("K", account: nil) }
        #expect(inReading?.word == "damaged")
        let next = await failure { try await store.commit([Change()]) }
        #expect(next == inReading)
        guard case .setAside(let found) = try await store.recover(now: Samples.time(9)) else {
            Issue.record("it was not set aside")
            return
        }
        #expect(found.reason.contains("cach"), "\(found.reason)")
        #expect(found.rescued.deliveries == 400)
        #expect(try await store.queuedIDs().count == 400)
    }

    @Test("where somebody else has written into it, it is looked through and goes on")
    func takenNumbers() async throws {
        let log = store.log
        try Connection(path: path).execute(
            SQL("test", "INSERT INTO event (seq, at, type, body) VALUES (401, 0, 'scan', '{}')"))
        let error = await failure { try await store.commit([Samples.scan("s401")]) }
        #expect(error?.word == "damaged")
        #expect(try await store.recover(now: Samples.time(9)) == .existing)
        #expect(store.log == log)
        #expect(try await store.commit([Samples.scan("s401")])[0].events.map(\.seq) == [402])
    }

    @Test("a deleted database is noticed, and what was waiting is carried over to another")
    func deleted() async throws {
        let log = store.log
        try remove(["", "-wal", "-shm"])
        let error = await failure { try await store.commit([Samples.scan("s401")]) }
        #expect(
            error?.description == "look for the database: the database was deleted or replaced (0)")
        guard case .displaced(let found) = try await store.recover(now: Samples.time(9)) else {
            Issue.record("there is no other")
            return
        }
        #expect(found.reason == "the database was deleted or replaced")
        #expect(
            found.rescued == Rescued(deliveries: 400, attention: 0, presences: 0, unreadable: 0))
        #expect(store.log != log)
        _ = try await store.commit([Samples.scan("s401", of: "K401")])
        #expect(try await store.queuedIDs().count == 401)
        await store.close()
        #expect(try directory.open().opened == .existing)
    }

    @Test("a database that was put in its place is used, with what was waiting in the other one")
    func replaced() async throws {
        let log = store.log
        let other = StoreDirectory()
        let backup = try other.open()
        _ = try await backup.commit([Samples.scan("b1", of: "B1"), Samples.scan("s1", of: "K1")])
        await backup.close()
        try FileManager.default.moveItem(
            atPath: "\(other.path)/station.sqlite", toPath: "\(directory.path)/new")
        try remove([""])
        try FileManager.default.moveItem(atPath: "\(directory.path)/new", toPath: path)

        let error = await failure { try await store.commit([Samples.scan("x")]) }
        #expect(error?.word == "damaged")
        guard case .displaced(let found) = try await store.recover(now: Samples.time(9)) else {
            Issue.record("it was not noticed")
            return
        }
        #expect(found.rescued.deliveries == 400)
        #expect(store.log != backup.log && store.log != log, "it may be an older copy")
        #expect(try await store.wholeLog().count == 2)
        let ids = try await store.queuedIDs()
        #expect(ids.count == 401 && Set(ids).contains("b1"))
        let logsAside = try directory.files.filter { $0.contains("damaged") }
        #expect(logsAside.count == 1 && logsAside.first?.hasSuffix("-wal") == true)
        await store.close()
        let next = try directory.open()
        #expect(next.opened == .existing && next.log == store.log)
    }

    private static let companions = [["-wal"], ["-shm"], ["-wal", "-shm"]]

    @Test("a log that was deleted loses nothing", arguments: companions)
    func deletedLog(endings: [String]) async throws {
        let log = store.log
        try remove(endings)
        let error = await failure { try await store.commit([Samples.scan("s401")]) }
        #expect(error?.description.contains("log was deleted or replaced") == true)
        #expect(try await store.recover(now: Samples.time(9)) == .existing)
        #expect(store.log == log)
        #expect(try await store.commit([Samples.scan("s401")])[0].events.map(\.seq) == [401])
        #expect(try await store.wholeLog().count == 401)
        await store.close()
        let next = try directory.open()
        #expect(try await next.wholeLog().count == 401)
    }

    @Test("a directory that was deleted is made anew")
    func deletedDirectory() async throws {
        try FileManager.default.removeItem(atPath: directory.path)
        let error = await failure { try await store.commit([Samples.scan("x")]) }
        #expect(error?.word == "damaged")
        guard case .displaced(let found) = try await store.recover(now: Samples.time(9)) else {
            Issue.record("it was not noticed")
            return
        }
        #expect(found.rescued.deliveries == 400)
        let second = await failure { try directory.open() }
        #expect(second?.word == "failing", "it is locked again")
    }
}
