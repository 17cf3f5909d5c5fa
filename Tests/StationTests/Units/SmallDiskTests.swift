import Platform
import Scanning
import TestRig
import Testing

@testable import Station
@testable import Storage

@Suite("A station on a full disk", .enabled(if: SmallDisk.isPossible, "mounting needs root"))
@LoopActor
struct SmallDiskTests {
    @Test("goes on publishing, and stores everything once there is room")
    func fullAndEmptied() async throws {
        let disk = try SmallDisk(mebibytes: 12)
        let bench = try PipelineBench(in: disk.folder)
        bench.forwarder.start()
        await bench.journal.settle()
        try disk.fill()
        var taps = 0
        // What the log file was grown to in advance takes scans for a while.
        while bench.journal.isStoring, taps < 20_000 {
            for _ in 0..<50 {
                taps += 1
                bench.depart(bench.tap("K\(taps % 9 + 1)", uid: "04a1\(taps)"))
            }
            await bench.journal.settle()
        }
        #expect(!bench.journal.isStoring)
        let stored = bench.listener.lines.filter { $0.seq != nil }.count
        let scan = await bench.scan()
        #expect(
            bench.listener.story(of: scan) == [
                "scan not durable", "resolution OFFLINE station notConfigured not durable",
                "departure not durable",
            ])
        let published = bench.listener.lines.count
        disk.empty()
        #expect(await eventually { bench.journal.isStoring && !bench.journal.isCommitting })
        #expect(bench.listener.lines.count == published, "nothing is sent again")
        let log = try await bench.bench.log()
        #expect(log.count == published)
        #expect(log.count > stored)
        #expect(bench.journal.lost == 0)
        let counts = try await bench.store.outboxCounts()
        #expect(counts.scans == taps + 1)
    }
}
