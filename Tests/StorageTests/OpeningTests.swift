import FoundationEssentials
import Glibc
import Scanning
import Testing

@testable import Storage

@Suite("opening")
struct OpeningTests {
    private let directory: StoreDirectory

    init() throws {
        directory = StoreDirectory()
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("directory and files are made for their owner alone")
    func modes() async throws {
        let nested = "\(directory.path)/state/plingsd"
        let store = try Store(directory: nested, bootID: Samples.boot, now: Samples.time(0))
        #expect(mode("\(directory.path)/state") == 0o700 && mode(nested) == 0o700)
        for name in ["station.sqlite", "station.sqlite-wal", "station.sqlite-shm", "lock"] {
            #expect(mode("\(nested)/\(name)") == 0o600, "\(name)")
        }
        #expect(store.opened == .created)
    }

    @Test("a directory that can't be made is named")
    func impossibleDirectory() async throws {
        try directory.write([], to: "file")
        let error = await failure {
            try Store(
                directory: "\(directory.path)/file/state", bootID: Samples.boot,
                now: Samples.time(0))
        }
        #expect(error?.description == "mkdir \(directory.path)/file/state: Not a directory (20)")
    }

    @Test("a second station on the directory is refused and told which process has it")
    func secondStore() async throws {
        let store = try directory.open()
        let error = await failure { try directory.open() }
        #expect(error == .inUse(directory: directory.path, pid: getpid()))
        #expect(
            error?.description
                == "the store in \(directory.path) is in use by process \(getpid())")
        _ = try await store.commit([Samples.scan("s1")])
        await store.close()
        #expect(try await directory.open().outboxCounts().scans == 1)
    }

    @Test("the lock of a process that is gone keeps nobody out")
    func staleLock() throws {
        try directory.write(Array("999999\n".utf8), to: "lock")
        _ = try directory.open()
        #expect(String(decoding: try directory.bytes("lock"), as: UTF8.self) == "\(getpid())\n")
    }

    @Test("a store that nobody holds any more gives its directory free")
    func releasedStore() async throws {
        var store: Store? = try directory.open()
        #expect(store?.opened == .created)
        store = nil
        #expect(try directory.open().opened == .existing)
    }

    @Test("the file of a later program is used as it is")
    func laterFile() async throws {
        let later = try directory.open()
        try await later.execute(
            SQL(
                "test",
                """
                ALTER TABLE outbox ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE event ADD COLUMN later TEXT;
                ALTER TABLE store ADD COLUMN later TEXT;
                ALTER TABLE presence ADD COLUMN later TEXT;
                ALTER TABLE cache ADD COLUMN later INTEGER NOT NULL DEFAULT 1;
                CREATE TABLE flow (id TEXT PRIMARY KEY) STRICT;
                PRAGMA user_version = 99;
                """))
        _ = try await later.commit([Samples.scan("s1")])
        await later.close()

        let store = try directory.open()
        #expect(store.opened == .existing)
        let presence = OpenPresence(
            scan: "s2", device: "d", reader: Array("{}".utf8), medium: "nfc", uid: nil,
            contents: "", moment: Samples.moment(1))
        var change = Samples.scan("s2")
        change.presence = .opened(presence)
        change.cache = .put(Samples.cached("K"))
        _ = try await store.commit([change])
        #expect(try await store.wholeLog().map(\.seq) == [1, 2])
        #expect(try await store.drain() == ["s1", "s2"])
        #expect(try await store.ids(in: SQL("test", "PRAGMA user_version")) == ["99"])
    }

    @Test("the settings that durability and safety rest on are in force")
    func settings() async throws {
        let store = try directory.open()
        func value(_ sql: SQL) async throws -> String? { try await store.ids(in: sql).first }
        #expect(try await value(SQL("t", "PRAGMA journal_mode")) == "wal")
        #expect(try await value(SQL("t", "PRAGMA synchronous")) == "2")
        #expect(try await value(SQL("t", "PRAGMA foreign_keys")) == "1")
        #expect(try await value(SQL("t", "PRAGMA trusted_schema")) == "0")
        #expect(try await value(SQL("t", "PRAGMA cell_size_check")) == "1")
        #expect(try await value(SQL("t", "PRAGMA wal_autocheckpoint")) == "0")
        #expect(try await value(SQL("t", "PRAGMA journal_size_limit")) == "-1")
        #expect(try await value(SQL("t", "PRAGMA user_version")) == "2")
    }
}
