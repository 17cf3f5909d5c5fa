import FoundationEssentials
import Scanning
import Testing

@testable import Storage

@Suite("what is carried over from a damaged database")
struct SalvageTests {
    private let directory: StoreDirectory

    init() throws {
        directory = StoreDirectory()
    }

    private static let lying = OpenPresence(
        scan: "s7", device: "usb-1", reader: Array("{}".utf8), medium: "nfc", uid: "04a1",
        contents: "digest", moment: Samples.moment(7))

    /// A closed store: 400 scans, of which 20 are delivered and one needs a person, and one tag.
    private func makeStore() async throws {
        let store = try directory.open()
        _ = try await store.commit(
            (1...400).map {
                Samples.scan(
                    "s\($0)", of: "K\($0 % 50)", account: $0 % 2 == 0 ? "anna" : nil, at: $0)
            })
        _ = try await store.commit([
            Change(presence: .opened(Self.lying)),
            Change(outcome: .attention(id: "s21", error: "refused", code: "FORBIDDEN")),
        ])
        _ = try await store.commit(
            (1...20).map {
                Change(outcome: .delivered(id: "s\($0)", moment: Samples.moment(500)))
            })
        await store.close()
    }

    /// Fills pages of a tree of the closed store with nonsense.
    ///
    /// - Returns: How many pages.
    @discardableResult
    private func damage(_ tree: String, kind: String = "leaf", pages: Range<Int>) async throws
        -> Int
    {
        let store = try directory.open()
        let all = try await store.ids(
            in: SQL("test", "SELECT name || ' ' || pagetype || ' ' || pageno FROM dbstat"))
        await store.close()
        let numbers = all.filter { $0.hasPrefix("\(tree) \(kind) ") }
            .compactMap { Int($0.split(separator: " ")[2]) }.sorted()
        var bytes = try directory.bytes("station.sqlite")
        let chosen = numbers.dropFirst(pages.lowerBound).prefix(pages.count)
        for page in chosen {
            bytes.replaceSubrange(
                (page - 1) * 4096..<page * 4096, with: [UInt8](repeating: 0x5A, count: 4096))
        }
        try directory.write(bytes, to: "station.sqlite")
        try directory.write([], to: "station.sqlite-wal")
        try directory.write([], to: "damage-suspected")
        return chosen.count
    }

    private func rescued(_ store: Store) throws -> Rescued {
        guard case .setAside(let found) = try #require(store.opened) else {
            Issue.record("nothing was set aside: \(String(describing: store.opened))")
            return Rescued()
        }
        return found.rescued
    }

    private func order(_ ids: [String]) -> [Int] { ids.compactMap { Int($0.dropFirst()) } }

    private static let trees = ["event", "sqlite_autoindex_outbox_1", "outbox_scans"]

    @Test("damage elsewhere costs no delivery, no tag and no order", arguments: trees)
    func elsewhere(tree: String) async throws {
        try await makeStore()
        #expect(try await damage(tree, pages: 0..<3) > 0)
        let store = try directory.open()
        let expected = Rescued(deliveries: 379, attention: 1, presences: 1, unreadable: 0)
        #expect(try rescued(store) == expected)
        #expect(try await store.openPresences() == [Self.lying])
        #expect(try await store.outboxCounts().attention == 1)
        let row = try await store.backlogHead(
            excluding: [], account: nil, bootNanoseconds: Samples.moment(0).bootNanoseconds)
        #expect(row?.delivery == Samples.delivery("s22", of: "K22", account: "anna", at: 22))
        let waiting = order(try await store.queuedIDs())
        #expect(waiting == Array(22...400))
    }

    @Test("of the deliveries themselves only those on damaged pages are lost, and counted")
    func deliveries() async throws {
        try await makeStore()
        #expect(try await damage("outbox", pages: 4..<6) == 2)
        let store = try directory.open()
        let rescued = try rescued(store)
        let lost = try #require(rescued.unreadable)
        #expect(lost > 0 && lost < 90)
        #expect(rescued.deliveries + rescued.attention == 380 - lost)
        let ids = order(try await store.queuedIDs())
        #expect(ids == ids.sorted() && ids.last == 400 && ids.first == 22)
        #expect(ids.count == rescued.deliveries)
    }

    @Test("where no page of the deliveries can be found, nothing is carried over, and that is said")
    func everything() async throws {
        try await makeStore()
        #expect(try await damage("outbox", kind: "internal", pages: 0..<1) == 1)
        let store = try directory.open()
        #expect(
            try rescued(store)
                == Rescued(deliveries: 0, attention: 0, presences: 1, unreadable: 380))
        #expect(try await store.commit([Samples.scan("new")])[0].events.map(\.seq) == [1])
    }

    @Test("of what is no database at all nothing is known")
    func garbage() async throws {
        try directory.write(Array(repeating: 0x5A, count: 9_000), to: "station.sqlite")
        let store = try directory.open()
        #expect(try rescued(store) == Rescued())
    }

    // MARK: An end between two steps

    /// How far setting aside had come when the machine stopped.
    enum Step: String, CaseIterable {
        case databaseMoved, logMoved, emptyDatabaseMade, databaseMade, halfCarriedOver, named
    }

    @Test("wherever setting aside is ended, the next start finishes it", arguments: Step.allCases)
    func ended(at step: Step) async throws {
        try await makeStore()
        // Some of it is in the log alone, as after a kill.
        let open = try directory.open()
        _ = try await open.commit((401...410).map { Samples.scan("s\($0)", of: "N", at: 401) })
        let found = try directory.copyAsFoundAfterPowerCut()
        await open.close()
        try rename(found, "station.sqlite", "station.sqlite.salvage")
        if step != .databaseMoved {
            try rename(found, "station.sqlite-wal", "station.sqlite.salvage-wal")
        }
        switch step {
        case .databaseMoved, .logMoved: break
        case .emptyDatabaseMade: try found.write([], to: "station.sqlite")
        case .databaseMade, .halfCarriedOver: try await begin(step, in: found)
        case .named:
            // All was carried over and the database has its last name, its log not yet.
            try await found.open().close()
            let aside = try #require(try found.files.first { $0.contains(".damaged-") })
            try rename(found, "\(aside)-wal", "station.sqlite.salvage-wal")
        }
        let store = try found.open()
        let waiting = order(try await store.queuedIDs())
        #expect(waiting == Array(22...410))
        #expect(try await store.outboxCounts().attention == 1)
        #expect(try await store.openPresences() == [Self.lying])
        let files = try found.files
        let (halfDone, aside) = (
            files.filter { $0.contains("salvage") }, files.filter { $0.contains(".damaged-") }
        )
        #expect(halfDone.isEmpty && !aside.isEmpty)
        await store.close()
        #expect(try found.open().opened == .existing)
    }

    /// The new database, with some of the deliveries or none.
    private func begin(_ step: Step, in found: StoreDirectory) async throws {
        let other = StoreDirectory()
        let store = try other.open()
        if step == .halfCarriedOver {
            let some = (22...200).map { number in
                Change(
                    delivery: Samples.delivery(
                        "s\(number)", of: "K\(number % 50)",
                        account: number % 2 == 0 ? "anna" : nil, at: Int64(number)))
            }
            _ = try await store.commit(some)
        }
        await store.close()
        for name in ["station.sqlite", "station.sqlite-wal"] {
            try found.write(try other.bytes(name), to: name)
        }
    }

    private func rename(_ directory: StoreDirectory, _ old: String, _ new: String) throws {
        try FileManager.default.moveItem(
            atPath: "\(directory.path)/\(old)", toPath: "\(directory.path)/\(new)")
    }
}
