import FoundationEssentials
import Scanning
import TestRig
import Testing

@testable import Storage

/// A store's directory for one test, made by the store; one of its own goes away with the test.
final class StoreDirectory: Sendable {
    let path: String
    private let folder: TestFolder?

    init() {
        let folder = TestFolder()
        self.folder = folder
        path = folder.path("store")
    }

    /// A directory that is there already and stays.
    init(at path: String) {
        folder = nil
        self.path = path
    }

    func open(
        bootID: String = Samples.boot, maxCachedObjects: Int = 100
    ) throws(StorageError) -> Store {
        try Store(
            directory: path, bootID: bootID, now: Samples.time(0),
            maxCachedObjects: maxCachedObjects)
    }

    /// The files of the directory, without what SQLite keeps in shared memory.
    var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { !$0.hasSuffix("-shm") }.sorted()
        }
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
    }

    /// What a machine that lost power now would find: the files of a store that is still open.
    func copyAsFoundAfterPowerCut() throws -> StoreDirectory {
        let copy = StoreDirectory()
        for name in ["station.sqlite", "station.sqlite-wal"] {
            try copy.write(try bytes(name), to: name)
        }
        return copy
    }
}

/// Values that tests put into a store.
enum Samples {
    static let boot = "00000000-0000-4000-8000-000000000001"
    static let otherBoot = "00000000-0000-4000-8000-000000000002"

    /// So many seconds after the tests' beginning of time.
    static func time(_ seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: 1_795_996_800_000 + seconds * 1000)
    }

    static func moment(_ seconds: Int64, boot: String = boot) -> Moment {
        Moment(
            at: time(seconds), bootID: boot, bootNanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    static func event(
        _ text: String, type: String = "scan", scan: String? = nil, at seconds: Int64 = 0
    ) -> EventDraft {
        EventDraft(
            type: type, readerID: "usb-1", readerName: "door", scan: scan, at: time(seconds),
            body: Array(#"{"type":"\#(type)","text":"\#(text)"}"#.utf8))
    }

    static func delivery(
        _ id: String, of identifier: String = "4K7mX9abDcE", account: String? = nil,
        at seconds: Int64 = 0
    ) -> Delivery {
        Delivery(
            id: id, identifier: identifier, payload: Array(#"{"scan":"\#(id)"}"#.utf8),
            moment: moment(seconds), clockTrusted: true, origin: Array(#"{"reader":"usb-1"}"#.utf8),
            account: account)
    }

    /// A recognised scan: its event and its delivery.
    static func scan(
        _ id: String, of identifier: String = "4K7mX9abDcE", account: String? = nil,
        at seconds: Int64 = 0
    ) -> Change {
        Change(
            events: [event(id, scan: id, at: seconds)],
            delivery: delivery(id, of: identifier, account: account, at: seconds))
    }

    static func cached(_ key: String, account: String? = nil, text: String = "") -> CacheEntry {
        CacheEntry(
            key: key, account: account,
            resolution: Array(#"{"outcome":"KNOWN_OBJECT","text":"\#(text)"}"#.utf8),
            moment: moment(1), ttlSeconds: 300)
    }
}

extension Store {
    /// Runs a statement that only a test would.
    func execute(_ sql: SQL) throws(StorageError) {
        try use { database throws(StorageError) in try database.connection.execute(sql) }
    }

    /// The lines of EXPLAIN QUERY PLAN for a statement of the store.
    func plan(of sql: SQL) throws(StorageError) -> [String] {
        try use { database throws(StorageError) in
            var lines: [String] = []
            let explain = "EXPLAIN QUERY PLAN \(sql.text)"
            try database.connection.prepare(explain, name: "explain").forEach([]) {
                row throws(StorageError) in
                lines.append(row.text(3))
                return true
            }
            return lines
        }
    }

    /// The first column of each row.
    func ids(in sql: SQL) throws(StorageError) -> [String] {
        try use { database throws(StorageError) in
            var ids: [String] = []
            try database.connection.prepare(sql).forEach([]) { row throws(StorageError) in
                ids.append(row.text(0))
                return true
            }
            return ids
        }
    }

    /// Takes deliveries from the backlog until nothing may be sent, and marks them as delivered.
    func drain(account: String? = nil, at seconds: Int64 = 0) throws(StorageError) -> [String] {
        var ids: [String] = []
        let now = Samples.moment(seconds)
        while let next = try backlogHead(
            excluding: [], account: account, bootNanoseconds: now.bootNanoseconds)
        {
            ids.append(next.delivery.id)
            _ = try commit([Change(outcome: .delivered(id: next.delivery.id, moment: now))])
        }
        return ids
    }

    /// What waits for delivery, in order.
    func queuedIDs() throws(StorageError) -> [String] {
        try ids(
            in: SQL("test", "SELECT id FROM outbox WHERE state = 'queued' ORDER BY ordinal"))
    }

    /// Everything in the log.
    nonisolated func wholeLog() async throws(StorageError) -> [StoredEvent] {
        try await events(after: 0, limit: 1_000_000, maxBytes: .max).events
    }
}

/// The error that the store's work fails with; that it does not fail is an issue.
func failure<Result>(
    sourceLocation: SourceLocation = #_sourceLocation, of work: () async throws -> Result
) async -> StorageError? {
    do {
        _ = try await work()
        Issue.record("nothing failed", sourceLocation: sourceLocation)
    } catch let error as StorageError {
        return error
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
    return nil
}

extension StoredEvent {
    var text: String { String(decoding: body, as: UTF8.self) }
}
