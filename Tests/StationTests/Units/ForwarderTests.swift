import Platform
import PlingsAPI
import Scanning
import Testing

@testable import Station
@testable import Storage

@Suite("Scans on their way to the API")
@LoopActor
struct ForwarderTests {
    private let played: PlayedAPI
    private var api: ScriptedAPI { played.api }
    private var bench: PipelineBench { played.bench }

    init() throws {
        played = try PlayedAPI()
    }

    /// Waits until so much is told of a scan, and gives it.
    private func story(of scan: String, _ count: Int) async -> [String] {
        _ = await eventually { bench.listener.story(of: scan).count >= count }
        return bench.listener.story(of: scan).filter { $0 != "departure" }
    }

    // MARK: First answers

    @Test("the API's answer is the first where nothing is cached, and is neither late nor changed")
    func apiFirst() async throws {
        try await played.start()
        let scan = await bench.scan()
        try await played.answer(scan, .object())
        #expect(await story(of: scan, 3) == ["scan", "resolution KNOWN_OBJECT api"])
        #expect(try await bench.store.outboxCounts().scans == 0)
        await played.end()
    }

    @Test("after the cache's answer the API's says whether it differs")
    func cacheFirst() async throws {
        try await played.start()
        let first = await bench.scan()
        try await played.answer(first, .object())
        _ = await story(of: first, 3)
        let same = await bench.scan()
        try await played.answer(same, .object())
        #expect(
            await story(of: same, 4) == [
                "scan", "resolution KNOWN_OBJECT cache", "resolution KNOWN_OBJECT api unchanged",
            ])
        let other = await bench.scan()
        try await played.answer(other, .object("Scooter"))
        #expect(await story(of: other, 4).last == "resolution KNOWN_OBJECT api changed")
        await played.end()
    }

    @Test("a second scan of a tag waits for the first, scans of others do not")
    func order() async throws {
        try await played.start()
        let first = await bench.scan("AAA")
        let second = await bench.scan("AAA")
        let other = await bench.scan("BBB")
        _ = await api.requests(2)
        #expect(api.sent == [first, other])
        try await played.answer(first, .object())
        _ = await api.request(of: second)
        #expect(api.sent == [first, other, second])
        await played.end()
    }

    // MARK: Late answers

    @Test("an answer after OFFLINE is late, however soon it comes and whoever caused that")
    func lateAfterOffline() async throws {
        try await played.start()
        let slow = await bench.scan("AAA")
        let request = try #require(await api.request(of: slow))
        let failing = await bench.scan("BBB")
        let isDown = await eventually {
            for other in api.waiting where other.scan == failing { api.hangUp(on: other) }
            return bench.apiStory.count > 1
        }
        #expect(isDown)
        #expect(
            await story(of: slow, 3) == ["scan", "resolution OFFLINE station network"])
        api.answer(request, .object())
        #expect(
            await story(of: slow, 4) == [
                "scan", "resolution OFFLINE station network", "resolution KNOWN_OBJECT api late",
            ])
        await played.end()
    }

    @Test("what the cache said while the API was asked is compared with what the API says")
    func changedAfterWaiting() async throws {
        try await played.start()
        let scan = await bench.scan()
        let request = try #require(await api.request(of: scan))
        let entry = CacheEntry(
            key: Sample.key, account: nil,
            resolution: Array(
                #"{"outcome":"KNOWN_OBJECT","object":{"id":"o1","name":"Old","canEdit":true}}"#
                    .utf8),
            moment: Sample.moment(0, boot: Clocks.bootID), ttlSeconds: 300)
        _ = await bench.journal.record(Change(cache: .put(entry)))
        bench.answers.settle(scan, .waiting)
        api.answer(request, .object())
        #expect(
            await story(of: scan, 4) == [
                "scan", "resolution KNOWN_OBJECT cache", "resolution KNOWN_OBJECT api changed",
            ])
        await played.end()
    }

    // MARK: Reasons

    @Test("a refused token is told as such, not as a lack of network")
    func unauthorised() async throws {
        try await played.start()
        let scan = await bench.scan()
        try await played.answer(scan, .unauthenticated)
        #expect(await story(of: scan, 3) == ["scan", "resolution OFFLINE station unauthorised"])
        #expect(bench.apiStory.count == 2)
        #expect(bench.apiStory.last?.hasPrefix("api unauthorised") == true)
        #expect(try await bench.store.outboxCounts().attention == 0)
        await played.end()
    }

    @Test("a pause that the API asks for is told as waiting, and counts against no scan")
    func limited() async throws {
        try await played.start()
        let scan = await bench.scan("AAA")
        let other = await bench.scan("BBB")
        _ = await api.requests(2)
        try await played.answer(scan, .limited(seconds: 600))
        #expect(await story(of: scan, 3) == ["scan", "resolution OFFLINE station waiting"])
        try await played.answer(other, .object())
        _ = await story(of: other, 3)
        await bench.journal.settle()
        let row = try await bench.store.oldestQueued(identifier: "AAA", account: nil)
        #expect(row?.failures.counted == 0)
        #expect(row?.failures.attempts == 1)
        #expect(bench.apiStory == ["api online"])
        await played.end()
    }

    @Test("an accident of the API's is told as waiting while the API is there for others")
    func accident() async throws {
        try await played.start()
        let scan = await bench.scan()
        try await played.answer(scan, .broken)
        #expect(await story(of: scan, 3) == ["scan", "resolution OFFLINE station waiting"])
        #expect(bench.apiStory == ["api online"])
        await played.end()
    }

    @Test("a scan under way when the station stops is told nothing that is not so")
    func stopped() async throws {
        try await played.start()
        let scan = await bench.scan()
        _ = await api.request(of: scan)
        await bench.stop()
        #expect(await eventually { api.openConnections == 0 })
        await bench.journal.settle()
        #expect(await story(of: scan, 2) == ["scan"])
        #expect(try await bench.store.outboxCounts().scans == 1)
        api.stop()
    }
}
