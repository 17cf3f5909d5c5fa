import Platform
import PlingsAPI
import Scanning
import Testing

@testable import Station
@testable import Storage

@Suite("Scans that the API refuses, and tokens")
@LoopActor
struct ForwarderRefusalTests {
    private let played: PlayedAPI
    private var api: ScriptedAPI { played.api }
    private var bench: PipelineBench { played.bench }

    init() async throws {
        played = try PlayedAPI()
        try await played.start()
    }

    private func hasEnded(_ count: Int64) async -> Bool {
        await eventually { bench.forwarder.delivered == count }
    }

    // MARK: Refusals

    @Test("a refusal is an ERROR with the API's words, and needs attention")
    func refused() async throws {
        let scan = await bench.scan()
        try await played.answer(scan, .refused("FORBIDDEN", "not yours"))
        #expect(await eventually { bench.listener.story(of: scan).count == 4 })
        #expect(
            bench.listener.story(of: scan) == [
                "scan", "departure", "resolution ERROR api FORBIDDEN", "job attention",
            ])
        let job = bench.listener.events.last?.job
        #expect(job?.error == "FORBIDDEN: not yours")
        let counts = try await bench.store.outboxCounts()
        #expect(counts.attention == 1)
        #expect(counts.scans == 0)
        await played.end()
    }

    @Test("a scan that fails again and again while the API is up needs attention, once")
    func repeatedlyFailing() async throws {
        let entry = CacheEntry(
            key: Sample.key, account: nil, resolution: Array(#"{"outcome":"KNOWN_OBJECT"}"#.utf8),
            moment: Sample.moment(0, boot: Clocks.bootID), ttlSeconds: 300)
        _ = await bench.journal.record(Change(cache: .put(entry)))
        let scan = await bench.scan()
        let request = try #require(await api.request(of: scan))
        // Nine failures over more than fifteen minutes, on a clock that runs ahead.
        for number in 0..<9 {
            let moment = Moment(
                at: Sample.moment(0).at, bootID: Clocks.bootID,
                bootNanoseconds: 1 << 60 + UInt64(number) * 200 * Sample.second)
            _ = await bench.journal.record(
                Change(
                    outcome: .failed(
                        id: scan, error: "HTTP 500", counted: true, moment: moment,
                        holdUntilBootNanoseconds: nil)))
        }
        api.script = { $0.scan == nil ? .probed : $0.scan == scan ? .broken : .object() }
        // This attempt began before those failures; the next one knows of them.
        api.answer(request, .broken)
        #expect(await eventually { bench.listener.story(of: scan).contains("job attention") })
        let next = await bench.scan()
        #expect(await hasEnded(1))
        #expect(bench.listener.story(of: scan).filter { $0 == "job attention" }.count == 1)
        #expect(bench.listener.story(of: next).contains("resolution KNOWN_OBJECT cache"))
        #expect(api.sent.filter { $0 == scan }.count == 2)
        await played.end()
    }

    // MARK: Tokens

    @Test("a token that is gone for a moment while scans are under way holds up nothing after")
    func tokenGoneForAMoment() async throws {
        let first = await bench.scan("AAA")
        let request = try #require(await api.request(of: first))
        _ = await bench.scan("BBB")
        let third = await bench.scan("AAA")
        bench.forwarder.tokenChanged(nil, problem: "the token is empty")
        api.answer(request, .object())
        #expect(await hasEnded(1))
        #expect(bench.apiStory.last == "api unauthorised the token is empty")
        api.script = { $0.scan == nil ? .probed : .object() }
        for waiting in api.waiting { api.answer(waiting, .object()) }
        bench.forwarder.tokenChanged(try BearerToken("t2"), problem: nil)
        _ = await bench.scan("CCC")
        #expect(await hasEnded(4))
        await bench.journal.settle()
        #expect(bench.listener.story(of: third).contains { $0.hasPrefix("resolution KNOWN") })
        #expect(bench.apiStory.last == "api online")
        await played.end()
    }

    @Test("a token that is refused when there is another already is no trouble")
    func oldTokenRefused() async throws {
        let scan = await bench.scan("AAA")
        let request = try #require(await api.request(of: scan))
        bench.forwarder.tokenChanged(try BearerToken("t2"), problem: nil)
        api.script = { $0.scan == nil ? .probed : .object() }
        api.answer(request, .unauthenticated)
        #expect(await hasEnded(1))
        #expect(api.sent == [scan, scan])
        #expect(bench.apiStory == ["api online"])
        await played.end()
    }

    @Test("without a token nothing is sent, and scans are told why")
    func noToken() async throws {
        bench.forwarder.tokenChanged(nil, problem: "the token is empty")
        let scan = await bench.scan()
        #expect(
            bench.listener.story(of: scan) == [
                "scan", "resolution OFFLINE station unauthorised", "departure",
            ])
        #expect(api.sent == [])
        await played.end()
    }

    @Test("an answer is kept for the account that asked, whoever's token came meanwhile")
    func account() async throws {
        // The payloads say {"sub":"u1"} and {"sub":"u2"}.
        bench.forwarder.tokenChanged(try BearerToken("e30.eyJzdWIiOiJ1MSJ9.x"), problem: nil)
        #expect(bench.forwarder.account == "u1")
        let scan = await bench.scan()
        let request = try #require(await api.request(of: scan))
        bench.forwarder.tokenChanged(try BearerToken("e30.eyJzdWIiOiJ1MiJ9.x"), problem: nil)
        #expect(bench.forwarder.account == "u2")
        api.answer(request, .object())
        #expect(await hasEnded(1))
        await bench.journal.settle()
        #expect(try await bench.store.cached(Sample.key, account: "u2") == nil)
        #expect(try await bench.store.cached(Sample.key, account: "u1") != nil)
        await played.end()
    }
}
