import FoundationEssentials
import Glibc
import Scanning
import Testing

@testable import Storage

@Suite("damaged files")
struct DamageTests {
    private let directory: StoreDirectory

    init() throws {
        directory = StoreDirectory()
    }

    /// A closed store with some scans, as large as it may take to have something to cut.
    private func makeStore() async throws {
        let store = try directory.open()
        _ = try await store.commit((1...400).map { Samples.scan("s\($0)", of: "K\($0)") })
        await store.close()
    }

    /// What is set aside, as the store tells it.
    private func setAside(_ store: Store) -> (path: String, reason: String)? {
        guard case .setAside(let found) = store.opened else { return nil }
        return (found.path, found.reason)
    }

    enum Damage: String, CaseIterable {
        case garbage, shortGarbage, zeroedHeader, halfTheFile, oddLength, otherPages

        func apply(to bytes: inout [UInt8]) {
            switch self {
            case .garbage: bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }
            case .shortGarbage: bytes = Array("not a database\n".utf8)
            case .zeroedHeader: bytes.replaceSubrange(0..<4096, with: repeatElement(0, count: 4096))
            case .halfTheFile: bytes.removeLast(bytes.count / 2)
            case .oddLength: bytes.removeLast(4096 * 2 + 17)
            case .otherPages:
                for index in 4096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index) }
            }
        }
    }

    @Test(
        "a damaged file is set aside as it was, and said so; the new store works",
        arguments: Damage.allCases)
    func damagedFile(damage: Damage) async throws {
        try await makeStore()
        var bytes = try directory.bytes("station.sqlite")
        damage.apply(to: &bytes)
        try directory.write(bytes, to: "station.sqlite")
        try directory.write([], to: "station.sqlite-wal")

        let store = try directory.open()
        let (path, reason) = try #require(setAside(store))
        #expect(path == "\(directory.path)/station.sqlite.damaged-20261130T000000000Z")
        #expect(reason.contains("not a database") || reason.contains("malformed"))
        #expect(Array(try Data(contentsOf: URL(filePath: path))) == bytes)
        _ = try await store.commit([Samples.scan("new")])
        #expect(try await store.drain() == ["new"])
        await store.close()
        #expect(try directory.open().opened == .existing)
    }

    @Test("a file cut short is noticed although its log is there", arguments: [4096, 4097, 40_000])
    func cutShort(by length: Int) async throws {
        try await makeStore()
        let bytes = try directory.bytes("station.sqlite").dropLast(length)
        try directory.write(Array(bytes), to: "station.sqlite")
        let (path, reason) = try #require(setAside(try directory.open()))
        #expect(reason.hasPrefix("look through: "))
        #expect(try Data(contentsOf: URL(filePath: path)).count == bytes.count)
    }

    @Test("a file is not short whose last pages are still in the log")
    func grownInTheLog() async throws {
        let store = try directory.open()
        _ = try await store.commit((1...1_000).map { Samples.scan("s\($0)", of: "K\($0)") })
        let copy = try directory.copyAsFoundAfterPowerCut()
        let pages = try copy.bytes("station.sqlite").count / 4096
        let logged = LoggedPages(StoreFiles(directory: copy.path)).numbers
        #expect(logged.contains { $0 > pages + 50 })
        let found = try copy.open()
        #expect(found.opened == .existing)
        #expect(try await found.outboxCounts().scans == 1_000)
    }

    @Test("the write-ahead log goes aside with its database, neither of them changed")
    func logGoesAlong() async throws {
        try await makeStore()
        let log = try directory.bytes("station.sqlite-wal")
        let database = Array("garbage that is long enough to be looked at, and no more".utf8)
        try directory.write(database, to: "station.sqlite")
        let path = try #require(setAside(try directory.open())).path
        #expect(Array(try Data(contentsOf: URL(filePath: path))) == database)
        #expect(Array(try Data(contentsOf: URL(filePath: path + "-wal"))) == log)
    }

    @Test("a log without its database is not deleted", arguments: [nil, 0, 1])
    func orphanedLog(databaseSize: Int?) async throws {
        try await makeStore()
        let log = try directory.bytes("station.sqlite-wal")
        if let databaseSize {
            try directory.write([UInt8](repeating: 0, count: databaseSize), to: "station.sqlite")
        } else {
            try FileManager.default.removeItem(atPath: "\(directory.path)/station.sqlite")
        }
        let (path, reason) = try #require(setAside(try directory.open()))
        #expect(reason == "its log lay beside no database")
        #expect(Array(try Data(contentsOf: URL(filePath: path + "-wal"))) == log)
    }

    @Test("what was set aside before is never overwritten")
    func namesAreFree() async throws {
        var paths: Set<String> = []
        for number in 1...3 {
            try directory.write(Array("garbage number \(number)".utf8), to: "station.sqlite")
            let store = try directory.open()
            paths.insert(try #require(setAside(store)).path)
            await store.close()
            try FileManager.default.removeItem(atPath: "\(directory.path)/station.sqlite-wal")
        }
        #expect(paths.count == 3)
        for path in paths {
            let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            #expect(text.hasPrefix("garbage number"))
        }
    }

    @Test("another program's database is set aside, not written into")
    func foreignDatabase() async throws {
        try directory.write([], to: "station.sqlite")
        try Connection(path: "\(directory.path)/station.sqlite")
            .execute(SQL("test", "CREATE TABLE bookmark (id); PRAGMA user_version = 7"))
        let bytes = try directory.bytes("station.sqlite")
        let (path, reason) = try #require(setAside(try directory.open()))
        #expect(reason == "read application id: the database is another program's")
        #expect(Array(try Data(contentsOf: URL(filePath: path))) == bytes)
    }

    @Test(
        "a file of ours that lacks what every version had is set aside",
        arguments: [
            SQL("test", "DROP TABLE presence"), SQL("test", "DELETE FROM store"),
            SQL("test", "ALTER TABLE outbox DROP COLUMN error_code"),
        ])
    func missingParts(removal: SQL) async throws {
        let store = try directory.open()
        try await store.execute(removal)
        await store.close()
        #expect(setAside(try directory.open()) != nil)
    }

    @Test("damage that shows at work is told, and the next start looks through the file")
    func damageAtWork() async throws {
        try await makeStore()
        var bytes = try directory.bytes("station.sqlite")
        for page in try await leafPages(of: "sqlite_autoindex_outbox_1") {
            bytes.replaceSubrange(
                (page - 1) * 4096..<page * 4096, with: [UInt8](repeating: 0x5A, count: 4096))
        }
        try directory.write(bytes, to: "station.sqlite")
        try directory.write([], to: "station.sqlite-wal")

        let store = try directory.open()
        #expect(store.opened == .existing)
        let error = await failure {
            try await store.commit([Samples.scan("s401")])
        }
        guard case .damaged = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description == "insert delivery: database disk image is malformed (11)")
        await store.close()

        let next = try directory.open()
        let (path, reason) = try #require(setAside(next))
        #expect(reason.hasPrefix("look through: "))
        #expect(Array(try Data(contentsOf: URL(filePath: path))) == bytes)
        await next.close()
        #expect(try directory.open().opened == .existing)
    }

    private func leafPages(of tree: String) async throws -> [Int] {
        let store = try directory.open()
        let pages = try await store.ids(
            in: SQL(
                "test",
                """
                SELECT pageno FROM dbstat
                WHERE name = 'sqlite_autoindex_outbox_1' AND pagetype = 'leaf'
                """))
        await store.close()
        return pages.compactMap { Int($0) }
    }

    @Test("a suspicion that proves wrong changes nothing")
    func unfoundedSuspicion() async throws {
        try await makeStore()
        try directory.write([], to: "damage-suspected")
        let store = try directory.open()
        #expect(store.opened == .existing)
        #expect(try await store.outboxCounts().scans == 400)
        #expect(try directory.files == ["lock", "reserve", "station.sqlite", "station.sqlite-wal"])
    }
}
