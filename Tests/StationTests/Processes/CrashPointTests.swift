import FoundationEssentials
import Platform
import TestRig
import Testing

@testable import Station
@testable import Storage

@Suite("plingsd killed while it sets a damaged store aside", .serialized)
struct CrashPointTests {
    private let folder = TestFolder()
    private static let count = 300

    private var store: String { "\(folder.path)/store" }

    nonisolated private static let canTrace: Bool = {
        (try? ChildProcess(["strace", "-V"]).reap(blocking: true)) == .exit(0)
    }()

    /// The calls at whose beginning it dies, by their number among those of their kind.
    nonisolated private static let calls: [(names: String, at: [Int])] = [
        ("?rename,?renameat,?renameat2", [1, 2, 3, 4, 5, 6]),
        ("fsync,fdatasync", [1, 2, 3, 4, 5, 6]), ("pwrite64", [5, 20, 60, 100]),
    ]
    nonisolated private static let points: [String] = calls.flatMap { row in
        row.at.map { "inject=\(row.names):signal=KILL:when=\($0)" }
    }

    /// A store whose deliveries wait, with pages of its log filled with nonsense.
    private func makeDamagedStore() async throws {
        let made = try Store(directory: store, bootID: Clocks.bootID, now: Sample.moment(0).at)
        var changes: [Change] = []
        for number in 1...Self.count {
            changes.append(
                Change(
                    events: [Sample.draft("\(number)", size: 100)],
                    delivery: try Sample.delivery("s\(number)")))
        }
        _ = try await made.commit(changes)
        let pages = try await made.pages(of: "event")
        await made.close()
        let path = "\(store)/station.sqlite"
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        for page in pages.prefix(3) {
            let start = (page - 1) * 4096
            bytes.replaceSubrange(start..<start + 4096, with: repeatElement(0x5A, count: 4096))
        }
        try Data(bytes).write(to: URL(filePath: path))
        try Data().write(to: URL(filePath: "\(store)/damage-suspected"))
    }

    @Test(
        "wherever that happens, every delivery is there afterwards, once and in its order",
        .enabled(if: canTrace, "needs strace"), arguments: points)
    func killed(at point: String) async throws {
        try await makeDamagedStore()
        let configuration = folder.write(
            "config.toml",
            """
            [store]
            directory = "\(store)"
            [socket]
            path = "\(folder.path)/s.sock"
            \(Setting.alone)
            """)
        let daemon = RunningProgram([
            "strace", "-f", "-o", "/dev/null", "-e", point, Repository.program("plingsd"),
            "--config", configuration,
        ])
        let ending = daemon.wait()
        #expect(ending == .signal(9), "\(String(describing: ending)) \(daemon.errors)")

        let station = StationProcess(in: folder, Setting.alone)
        let isTold = Poll.until {
            station.program.errors.contains("the store was damaged and is set aside")
        }
        #expect(isTold, "\(station.program.errors)")
        #expect(station.stop() == .exit(0))
        let next = try Store(directory: store, bootID: Clocks.bootID, now: Sample.moment(0).at)
        #expect(next.opened == .existing)
        let expected = (1...Self.count).map { "s\($0)" }
        #expect(try await next.queuedIDs() == expected)
        await next.close()
    }
}

extension Store {
    fileprivate func pages(of tree: String) throws(StorageError) -> [Int] {
        try texts("SELECT pageno FROM dbstat WHERE name = '\(tree)' AND pagetype = 'leaf'")
            .compactMap { Int($0) }
    }

    /// What waits for delivery, in order.
    fileprivate func queuedIDs() throws(StorageError) -> [String] {
        try texts("SELECT id FROM outbox WHERE state = 'queued' ORDER BY ordinal")
    }

    private func texts(_ sql: String) throws(StorageError) -> [String] {
        try use { database throws(StorageError) in
            var texts: [String] = []
            try database.connection.prepare(sql, name: "test").forEach([]) {
                row throws(StorageError) in
                texts.append(row.text(0))
                return true
            }
            return texts
        }
    }
}
