import LineProtocols
import Platform
import Scanning
import Testing

@testable import Station
@testable import Storage

@Suite("The path of one tag, without an API")
@LoopActor
struct ScanPipelineTests {
    private let bench: PipelineBench

    init() async throws {
        bench = try PipelineBench()
        bench.forwarder.start()
        await bench.journal.settle()
        #expect(bench.apiStory == ["api notConfigured"])
    }

    @Test("a tag that comes and goes is a scan, its first answer and a departure")
    func comeAndGo() async throws {
        let token = bench.tap()
        await bench.journal.settle()
        bench.depart(token)
        await bench.journal.settle()
        #expect(
            bench.story == [
                "scan", "resolution OFFLINE station notConfigured", "departure",
            ])
        #expect(Set(bench.listener.events.compactMap(\.scan)).count == 1)
        #expect(try await bench.store.outboxCounts().scans == 1)
        #expect(try await bench.store.openPresences() == [])
    }

    @Test("a tag without an identifier gets neither an answer nor a delivery")
    func unrecognised() async throws {
        let token = bench.arrive { $0.problem = .blank }
        bench.depart(token)
        await bench.journal.settle()
        #expect(bench.story == ["scan blank", "departure"])
        #expect(try await bench.store.outboxCounts().scans == 0)
    }

    @Test("a known tag is answered from the cache, with the fsync of its scan")
    func cached() async throws {
        let entry = CacheEntry(
            key: Sample.key, account: nil, resolution: Array(#"{"outcome":"KNOWN_OBJECT"}"#.utf8),
            moment: Sample.moment(0, boot: Clocks.bootID), ttlSeconds: 300)
        _ = await bench.journal.record(Change(cache: .put(entry)))
        let flushes = bench.listener.flushes
        _ = bench.tap()
        await bench.journal.settle()
        #expect(bench.listener.flushes == flushes + 1)
        #expect(bench.story.count == 2)
        #expect(bench.story.last?.hasPrefix("resolution KNOWN_OBJECT cache") == true)
    }

    // MARK: Restarts

    @Test("a tag that lies still over a restart of its reader is no new scan")
    func readerRestarts() async throws {
        _ = bench.tap(process: 1)
        bench.pipeline.processEnded(1)
        let token = bench.tap(process: 2, present: true)
        await bench.journal.settle()
        #expect(bench.story.filter { $0.hasPrefix("scan") }.count == 1)
        bench.depart(token, process: 2)
        await bench.journal.settle()
        #expect(bench.story.last == "departure")
    }

    @Test("a tag that lies still over a restart of the station is no new scan")
    func stationRestarts() async throws {
        _ = bench.tap()
        await bench.journal.settle()
        let scan = bench.listener.events.last?.scan
        await bench.store.close()
        let next = try PipelineBench(in: bench.bench.folder)
        next.pipeline.restore(try await next.store.openPresences())
        next.pipeline.deviceReady(Sample.reader.id)
        let token = next.tap(present: true)
        next.depart(token)
        await next.journal.settle()
        #expect(next.story == ["departure"])
        #expect(next.listener.events.first?.scan == scan)
        #expect(next.listener.events.first?.reader == Sample.reader)
        #expect(try await next.store.openPresences() == [])
    }

    @Test("a tag that is gone after a restart departs as lost, once its device had five seconds")
    func lostOverRestart() async throws {
        _ = bench.tap()
        await bench.journal.settle()
        await bench.store.close()
        let next = try PipelineBench(in: bench.bench.folder)
        next.pipeline.restore(try await next.store.openPresences())
        next.pipeline.deviceReady(Sample.reader.id)
        #expect(await eventually { !next.story.isEmpty })
        #expect(next.story == ["departure lost"])
    }

    @Test("an unplugged reader's tags depart at once")
    func unplugged() async throws {
        _ = bench.tap()
        bench.pipeline.deviceGone(Sample.reader.id)
        await bench.journal.settle()
        #expect(bench.story.last == "departure")
    }

    @Test("tags that lie there at the start are no scans where that is configured")
    func notAnnounced() async throws {
        let quiet = try PipelineBench(announcesPresent: false)
        let token = quiet.tap(present: true)
        quiet.depart(token)
        await quiet.journal.settle()
        #expect(quiet.story == [])
        quiet.depart(quiet.tap(present: false))
        await quiet.journal.settle()
        #expect(quiet.story.count == 3)
    }

    @Test("a reader that names two tags alike can't make one presence of both")
    func sameToken() async throws {
        _ = bench.arrive { $0.token = "x" }
        _ = bench.arrive(uid: "04a2") { $0.token = "x" }
        await bench.journal.settle()
        #expect(bench.story == ["scan uidOnly"])
    }

    @Test("a tag that came while its reader program was replaced is told in any case")
    func cameMeanwhile() async throws {
        let quiet = try PipelineBench(announcesPresent: false)
        quiet.pipeline.deviceReady(Sample.reader.id)
        quiet.tap(uid: "04a1", process: 1, present: true)
        quiet.pipeline.processEnded(1, devices: [Sample.reader.id])
        quiet.pipeline.deviceReady(Sample.reader.id)
        quiet.tap(uid: "04a1", process: 2, present: true)
        await quiet.journal.settle()
        #expect(quiet.story == [], "it lay there from the start")
        quiet.tap(uid: "04a2", process: 2, present: true)
        await quiet.journal.settle()
        #expect(quiet.story.first == "scan")
    }

    @Test("a tag that makes up its UID is known again over a restart by its contents")
    func randomUID() async throws {
        for uid in ["08a1b2c3", "08d4e5f6"] {
            bench.arrive(uid: uid, process: uid.hasSuffix("c3") ? 1 : 2) {
                $0.ndef = Hex.encode(Record.message([.uri(Sample.url())]))
                $0.uidRandom = true
            }
            bench.pipeline.processEnded(1)
        }
        await bench.journal.settle()
        #expect(bench.story.filter { $0 == "scan" }.count == 1)
        #expect(try await bench.store.openPresences().map(\.uid) == [nil])
    }

    @Test("what was last seen before a restart says how long a lost tag was held")
    func heldOverRestart() async throws {
        let now = Clocks.bootNanoseconds()
        bench.arrive { $0.bootNanoseconds = now - 60 * Sample.second }
        await bench.journal.settle()
        await bench.store.close()
        let next = try PipelineBench(in: bench.bench.folder)
        next.pipeline.restore(
            try await next.store.openPresences(), lastLook: now - 20 * Sample.second)
        next.pipeline.deviceReady(Sample.reader.id)
        #expect(await eventually { !next.story.isEmpty })
        #expect(next.story == ["departure lost"])
        let held = try #require(next.listener.events.first?.heldMilliseconds)
        #expect((39_999...40_001).contains(held))
    }

    // MARK: Tags that come and go

    @Test("a tag that comes and goes is left out from the sixth time on, told twice, until quiet")
    func flaps() async throws {
        let flapping = try PipelineBench(flapLimit: 5)
        for _ in 0..<12 { flapping.depart(flapping.tap()) }
        await flapping.journal.settle()
        let tags = flapping.story.filter { !$0.hasPrefix("resolution") }
        let told = (0..<5).flatMap { _ in ["scan", "departure"] }
        let notice = "reader ready a tag that comes and goes is left out until it is quiet"
        #expect(tags == told + [notice])
        #expect(flapping.pipeline.suppressed == 7)
        #expect(try await flapping.store.outboxCounts().scans == 5, "each of them is delivered")
        #expect(try await flapping.store.openPresences() == [])
        #expect(
            await eventually {
                flapping.story.last == "reader ready the tag that came and went is quiet"
            })
        #expect(flapping.listener.events.compactMap(\.suppressed) == [1, 7])
        flapping.tap()
        await flapping.journal.settle()
        #expect(flapping.story.filter { $0 == "scan" }.count == 6)
    }

    @Test("a tag that was left out and lies still over a restart of its reader is no scan")
    func flapAndRestart() async throws {
        let flapping = try PipelineBench(flapLimit: 1)
        flapping.depart(flapping.tap())
        flapping.tap()
        flapping.pipeline.processEnded(1, devices: [Sample.reader.id])
        flapping.pipeline.deviceReady(Sample.reader.id)
        flapping.depart(flapping.tap(process: 2, present: true), process: 2)
        await flapping.journal.settle()
        #expect(flapping.story.filter { $0 == "scan" }.count == 1)
        #expect(flapping.story.filter { $0 == "departure" }.count == 1)
    }

    @Test("while one tag comes and goes another on the same reader is told")
    func flapBesideAnother() async throws {
        let flapping = try PipelineBench(flapLimit: 2)
        for _ in 0..<9 { flapping.depart(flapping.tap(uid: "04a1")) }
        flapping.tap(uid: "04a2")
        await flapping.journal.settle()
        #expect(flapping.story.filter { $0 == "scan" }.count == 3)
    }

    // MARK: Times that can't be

    @Test("a time that can't be is taken as now", arguments: [UInt64.max, 0])
    func oddTimes(bootNanoseconds: UInt64) async throws {
        let before = Clocks.realMilliseconds()
        let token = bench.arrive { $0.bootNanoseconds = bootNanoseconds }
        bench.pipeline.departed(
            .init(device: Sample.reader.id, token: token, bootNanoseconds: bootNanoseconds),
            process: 1)
        await bench.journal.settle()
        let presence = try #require(bench.listener.events.last)
        #expect(presence.type == "departure")
        let held = try #require(presence.heldMilliseconds)
        #expect(held <= Clocks.realMilliseconds() - before + 1)
    }

    // MARK: A full disk

    @Test("on a full disk a scan still gets its first answer")
    func fullDisk() async throws {
        try await bench.store.refuseWriting(true)
        _ = bench.tap()
        await bench.journal.settle()
        #expect(
            bench.story == [
                "scan not durable", "resolution OFFLINE station notConfigured not durable",
            ])
    }
}
