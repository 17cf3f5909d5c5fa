import Glibc
import Testing

@testable import Storage

@Suite("Looking through a store from outside")
struct StoreCheckTests {
    private let directory: StoreDirectory

    init() throws {
        directory = StoreDirectory()
    }

    private func makeStore() async throws {
        let store = try directory.open()
        _ = try await store.commit((1...400).map { Samples.scan("s\($0)", of: "K\($0)") })
        await store.close()
    }

    @Test("a sound store is called so, and what is in it stays as it was")
    func sound() async throws {
        try await makeStore()
        let before = try directory.bytes("station.sqlite")
        #expect(StoreCheck.look(at: directory.path) == .sound)
        #expect(try directory.bytes("station.sqlite") == before)
        #expect(StoreCheck.Verdict.sound.description == "sound")
    }

    @Test("a store that lost power is looked through with what only its log has")
    func powerCut() async throws {
        let store = try directory.open()
        _ = try await store.commit((1...400).map { Samples.scan("s\($0)", of: "K\($0)") })
        let found = try directory.copyAsFoundAfterPowerCut()
        #expect(StoreCheck.look(at: found.path) == .sound)
        await store.close()
    }

    @Test("damage is told with SQLite's own words")
    func damaged() async throws {
        try await makeStore()
        var bytes = try directory.bytes("station.sqlite")
        for index in 8192..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        try directory.write(bytes, to: "station.sqlite")
        let verdict = StoreCheck.look(at: directory.path)
        guard case .damaged(let reason) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(!reason.isEmpty)
        #expect(verdict.description == "damaged: \(reason)")
        try directory.write(Array("not a database, but text\n".utf8), to: "station.sqlite")
        let text = StoreCheck.look(at: directory.path)
        #expect(text == .damaged(reason: "file is not a database"))
    }

    @Test("a store that a station has open is left alone, and the station named")
    func inUse() async throws {
        let store = try directory.open()
        #expect(StoreCheck.look(at: directory.path) == .inUse(pid: getpid()))
        #expect(StoreCheck.Verdict.inUse(pid: 708).description == "in use by process 708")
        await store.close()
    }

    @Test("a folder without a database, and one that is not there, are told apart")
    func absent() throws {
        #expect(
            StoreCheck.look(at: directory.path)
                == .unreadable(reason: "open \(directory.path): No such file or directory"))
        try directory.write([], to: "station.sqlite")
        #expect(StoreCheck.look(at: directory.path) == .absent)
    }

    private static let locks = """
        1: POSIX  ADVISORY  READ  99 fe:01:1573 128 128
        2: FLOCK  ADVISORY  READ  98 fe:01:1573 0 EOF
        3: FLOCK  ADVISORY  WRITE 708 fe:01:1573 0 EOF
        3: -> FLOCK  ADVISORY  WRITE 709 fe:01:1574 0 EOF
        """

    @Test("only who holds the lock alone counts as its holder")
    func holder() {
        #expect(KernelLocks.holder(inode: 1573, in: Self.locks) == 708)
        #expect(KernelLocks.holder(inode: 1574, in: Self.locks) == nil)
        #expect(KernelLocks.holder(inode: 573, in: Self.locks) == nil)
        #expect(KernelLocks.holder(inode: 1573, in: "") == nil)
    }
}
