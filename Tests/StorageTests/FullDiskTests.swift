import Glibc
import Scanning
import TestRig
import Testing

@testable import Storage

@Suite("disks that take no more")
struct FullDiskTests {
    private let directory: StoreDirectory

    init() throws {
        directory = StoreDirectory()
    }

    @Test("a full database says so, keeps what it has, and goes on when there is room")
    func full() async throws {
        let store = try directory.open()
        _ = try await store.commit([Samples.scan("s1", of: "A")])
        try await store.execute(SQL("test", "PRAGMA max_page_count = 1"))
        let large = Samples.event(String(repeating: "x", count: 100_000))
        let error = await failure {
            try await store.commit([Samples.scan("s2", of: "B"), Change(events: [large])])
        }
        #expect(error?.description == "insert event: database or disk is full (13)")
        #expect(error?.isForWantOfSpace == true)
        #expect(try await store.range().last == 1)
        #expect(try await store.outboxCounts().scans == 1)

        try await store.execute(SQL("test", "PRAGMA max_page_count = 1000000"))
        let later = try await store.commit([Samples.scan("s3", of: "B"), Change(events: [large])])
        #expect(later.flatMap(\.events).map(\.seq) == [2, 3])
        #expect(try await store.drain() == ["s1", "s3"])
    }

    @Test("a database that can't be written says so, and can be read")
    func readOnly() async throws {
        let store = try directory.open()
        _ = try await store.commit([Samples.scan("s1", of: "A")])
        try await store.execute(SQL("test", "PRAGMA query_only = ON"))
        let error = await failure {
            try await store.commit([Samples.scan("s2", of: "B")])
        }
        #expect(error?.description == "begin: attempt to write a readonly database (8)")
        #expect(error?.isForWantOfSpace == true)
        #expect(try await store.wholeLog().count == 1)
        #expect(try await store.outboxCounts().scans == 1)
    }

    @Test("a program that holds the database is named as such, and waited for")
    func busy() async throws {
        let store = try directory.open()
        let other = try Connection(path: "\(directory.path)/station.sqlite")
        try other.execute(SQL("test", "BEGIN IMMEDIATE"))
        let error = await failure {
            try await store.commit([Samples.scan("s1")])
        }
        #expect(error?.description == "begin: database is locked (5)")
        try other.execute(SQL("test", "COMMIT"))
        #expect(try await store.commit([Samples.scan("s1")])[0].events.map(\.seq) == [1])
    }
}

@Suite("a real disk of 8 MiB", .enabled(if: SmallDisk.isPossible, "mounting needs root"))
struct SmallDiskTests {
    @Test("scans are refused when it is full, none is lost, and deleting makes it go on")
    func fillUp() async throws {
        let disk = try SmallDisk(mebibytes: 8)
        let store = try StoreDirectory(at: disk.path).open()
        var stored = 0
        let error = await failure {
            for number in 1...100_000 {
                var change = Samples.scan("s\(number)", of: "K\(number)")
                change.events.append(Samples.event(String(repeating: "x", count: 20_000)))
                _ = try await store.commit([change])
                stored = number
            }
        }
        #expect(error?.isForWantOfSpace == true)
        #expect(error?.description.contains("full") == true)
        #expect(stored > 100)
        #expect(try await store.outboxCounts().scans == stored)
        #expect(try await store.wholeLog().count == 2 * stored)

        await store.close()
        let reopened = try StoreDirectory(at: disk.path).open()
        #expect(reopened.opened == .existing)
        #expect(try await reopened.outboxCounts().scans == stored)
        try disk.grow(toMebibytes: 24)
        _ = try await reopened.prune(olderThan: Samples.time(1), keep: 0, chunk: 100_000)
        #expect(try await reopened.drain().count == stored)
        #expect(try await reopened.commit([Samples.scan("new")])[0].events.count == 1)
        await reopened.close()
    }

    @Test("a disk without a byte free refuses a new store and names what failed")
    func noRoomAtAll() async throws {
        let disk = try SmallDisk(mebibytes: 1)
        try disk.fill()
        let error = await failure { try StoreDirectory(at: disk.path).open() }
        #expect(error?.isForWantOfSpace == true)
        disk.empty()
        #expect(try StoreDirectory(at: disk.path).open().opened == .created)
    }

    @Test("a store opens on a disk that has become full, and can be read")
    func opensWhenFull() async throws {
        let disk = try SmallDisk(mebibytes: 8)
        let store = try StoreDirectory(at: disk.path).open()
        _ = try await store.commit([Samples.scan("s1")])
        await store.close()
        try disk.fill()
        let reopened = try StoreDirectory(at: disk.path).open()
        #expect(try await reopened.wholeLog().count == 1)
        // The log was grown in advance: there is room in it for some hundred scans.
        #expect(try await reopened.commit([Samples.scan("s2")])[0].events.map(\.seq) == [2])
        #expect(try await reopened.drain() == ["s1", "s2"])
        await reopened.close()
    }

    @Test("deleting and ending deliveries work on a disk without a byte free, and make room")
    func deletingWhenFull() async throws {
        let disk = try SmallDisk(mebibytes: 12)
        let store = try StoreDirectory(at: disk.path).open()
        let text = String(repeating: "x", count: 2_000)
        for number in 1...300 {
            var change = Samples.scan("s\(number)", of: "K\(number)")
            change.events.append(Samples.event(text))
            _ = try await store.commit([change])
        }
        #expect(try await store.drain().count == 300)
        _ = try await store.commit([Samples.scan("open", of: "K")])
        try disk.fill()
        var last = 300
        let error = await failure {
            while last < 100_000 {
                var change = Samples.scan("s\(last + 1)", of: "K\(last + 1)")
                change.events.append(Samples.event(text))
                _ = try await store.commit([change])
                last += 1
            }
        }
        #expect(error?.word == "full")
        #expect(try await store.outboxCounts().scans == last - 299)
        let delivered = DeliveryOutcome.delivered(id: "open", moment: Samples.moment(0))
        _ = try await store.commit([Change(outcome: delivered)])
        #expect(try await store.outboxCounts().scans == last - 300)
        while try await store.prune(olderThan: Samples.time(1), keep: 0, chunk: 200) {}
        #expect(try await store.wholeLog().isEmpty)
        #expect(try await store.recover(now: Samples.time(0)) == nil)
        #expect(try await store.commit([Samples.scan("new")])[0].events.count == 1)
        await store.close()
    }

    @Test("a read-only file system without a store says so")
    func nothingToRead() async throws {
        let disk = try SmallDisk(mebibytes: 8)
        try disk.makeReadOnly()
        let error = await failure { try StoreDirectory(at: disk.path).open() }
        guard case .readOnly(let failure) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.reason == "Read-only file system")
    }

    @Test("a store on a read-only file system can be read, and goes on once it can be written")
    func readOnlyFileSystem() async throws {
        let disk = try SmallDisk(mebibytes: 16)
        let before = try StoreDirectory(at: disk.path).open()
        _ = try await before.commit([Samples.scan("s1")])
        let log = before.log
        await before.close()
        try disk.makeReadOnly()
        let store = try StoreDirectory(at: disk.path).open()
        #expect(store.opened == .existing && store.log == log)
        #expect(try await store.wholeLog().count == 1)
        #expect(try await store.outboxCounts().scans == 1)
        let error = await failure { try await store.commit([Samples.scan("s2")]) }
        #expect(error?.description.hasSuffix("attempt to write a readonly database (8)") == true)
        #expect(error?.word == "readOnly")
        #expect(try await store.recover(now: Samples.time(0)) == nil, "it is read-only still")
        try disk.makeWritable()
        #expect(try await store.recover(now: Samples.time(0)) == .existing)
        #expect(store.log == log)
        #expect(try await store.commit([Samples.scan("s2")])[0].events.map(\.seq) == [2])
        #expect(try await store.drain() == ["s1", "s2"])
        await store.close()
    }

    @Test("a store that could not be opened is opened once there is room")
    func openedLater() async throws {
        let disk = try SmallDisk(mebibytes: 8)
        try disk.fill()
        let cause = try #require(await failure { try StoreDirectory(at: disk.path).open() })
        let store = Store(
            directory: disk.path, bootID: Samples.boot, now: Samples.time(0),
            maxCachedObjects: 10, unopened: cause)
        #expect(store.opened == nil)
        let provisional = store.log
        let inWork = await failure { try await store.commit([Samples.scan("s1")]) }
        #expect(inWork == cause)
        let inVain = await failure { try await store.recover(now: Samples.time(0)) }
        #expect(inVain?.word == "full")
        disk.empty()
        #expect(try await store.recover(now: Samples.time(0)) == .created)
        #expect(store.log != provisional)
        #expect(try await store.commit([Samples.scan("s1")])[0].events.map(\.seq) == [1])
        await store.close()
    }
}
