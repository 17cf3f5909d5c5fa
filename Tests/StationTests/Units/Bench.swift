import Glibc
import LineProtocols
import Platform
import Scanning
import ServiceManager
import TestRig

@testable import Station
@testable import Storage

/// A journal on a real store, with somebody who notes what is published.
@LoopActor
final class Bench {
    let folder: TestFolder
    let store: Store
    let hub: Hub
    let journal: Journal
    let listener = Listener()
    /// What the journal told of storing: whether it fails.
    private(set) var failures: [Bool] = []

    init(in folder: TestFolder? = nil) throws {
        self.folder = folder ?? TestFolder()
        store = try Store(
            directory: "\(self.folder.path)/store", bootID: Clocks.bootID,
            now: Sample.moment(0).at)
        hub = Hub(first: 1, last: 0, log: store.log)
        journal = Journal(store: store, hub: hub, log: .quiet)
        hub.add(listener)
        journal.onFailureChange = { [weak self] fails in self?.failures.append(fails) }
    }

    /// Records something of that text.
    func record(_ text: String, completion: (@LoopActor (Journal.Fate) -> Void)? = nil) {
        journal.record(Change(events: [Sample.draft(text)]), completion: completion)
    }

    /// The whole log.
    func log() async throws -> [StoredEvent] {
        try await store.events(after: 0, limit: 1_000_000, maxBytes: .max).events
    }
}

/// Notes what is published.
@LoopActor
final class Listener: Hub.Receiver {
    private(set) var lines: [Hub.Line] = []
    private(set) var flushes = 0
    /// How many lines had come at each flush.
    private(set) var flushedAt: [Int] = []

    nonisolated init() {}

    func receive(_ line: Hub.Line) { lines.append(line) }

    /// How often another log began.
    private(set) var replacements = 0

    func logReplaced() { replacements += 1 }

    func flush() {
        flushes += 1
        flushedAt.append(lines.count)
    }

    var seqs: [Int64?] { lines.map(\.seq) }

    /// The lines as they go to clients.
    var texts: [String] { lines.map { String(decoding: $0.bytes, as: UTF8.self) } }
}

extension StoredEvent {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension Log {
    /// A log that shows what is wrong alone.
    static let quiet = Log(level: .error)
}

extension Store {
    private static let block = SQL("test", "PRAGMA query_only = ON")
    private static let unblock = SQL("test", "PRAGMA query_only = OFF")

    /// Makes every commit fail, as on a file system that is read-only, or lets them be again.
    func refuseWriting(_ refuses: Bool) throws {
        try use { database throws(StorageError) in
            try database.connection.execute(refuses ? Self.block : Self.unblock)
        }
    }

    /// Takes away what scans are queued in.
    func loseOutbox() throws {
        try use { database throws(StorageError) in
            try database.connection.execute(SQL("test", "DROP TABLE outbox"))
        }
    }

    /// Takes away a table that is of no use to most changes.
    func loseCache() throws {
        try use { database throws(StorageError) in
            try database.connection.execute(SQL("test", "DROP TABLE cache"))
        }
    }

    /// Refuses events with a word in them, by their own fault.
    func refuse(word: String) throws {
        let trigger = """
            CREATE TRIGGER poison BEFORE INSERT ON event WHEN NEW.body LIKE '%\(word)%'
            BEGIN SELECT RAISE(ABORT, 'poison'); END
            """
        try use { database throws(StorageError) in
            try database.connection.prepare(trigger, name: "test").run()
        }
    }

    /// Keeps the store busy until the gate opens.
    func stand(before gate: StoreGate) {
        gate.wait()
    }
}

/// Holds up the thread of a store for as long as a test likes.
final class StoreGate: Sendable {
    private let pipe: Pipe

    init() throws {
        pipe = try Descriptor.pipe()
    }

    func wait() {
        var byte: UInt8 = 0
        _ = withUnsafeMutableBytes(of: &byte) { pipe.read.read(into: $0) }
    }

    /// Lets one waiter go on.
    func open() {
        _ = [UInt8(1)].withUnsafeBytes { pipe.write.write($0) }
    }
}

/// Waits until something holds; false where it does not within ten seconds.
@LoopActor
func eventually(_ condition: () -> Bool) async -> Bool {
    let deadline = Clocks.monotonicNanoseconds() + 10 * Sample.second
    while !condition() {
        guard Clocks.monotonicNanoseconds() < deadline else { return false }
        await LoopActor.sleep(.milliseconds(5))
    }
    return true
}
