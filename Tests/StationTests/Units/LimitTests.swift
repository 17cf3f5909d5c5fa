import Platform
import Scanning
import Testing

@testable import Station
@testable import Storage

@Suite("An API that asks for fewer requests")
@LoopActor
struct LimitTests {
    private let played: PlayedAPI
    private var api: ScriptedAPI { played.api }
    private var bench: PipelineBench { played.bench }

    init() async throws {
        played = try PlayedAPI()
        try await played.start()
    }

    private nonisolated static let limits: [ScriptedAPI.Reply] = [
        .init(status: 429, body: ""),
        .init(status: 429, headers: ["Retry-After: 600"], body: ""),
        .init(
            body: #"{"data":null,"errors":[{"message":"m","extensions":{"code":"RATE_LIMITED"}}]}"#),
    ]

    @Test("a rate limit never counts against a scan, with a time or without", arguments: limits)
    func uncounted(_ reply: ScriptedAPI.Reply) async throws {
        let scan = await bench.scan("AAA")
        let other = await bench.scan("BBB")
        let requests = await api.requests(2)
        let limited = try #require(requests.first { $0.scan == scan })
        let answered = try #require(requests.first { $0.scan == other })
        api.answer(limited, reply)
        #expect(
            await eventually {
                bench.listener.story(of: scan).contains("resolution OFFLINE station waiting")
            })
        // The API is proven up after it, which makes any other failure count.
        api.answer(answered, .object())
        #expect(await eventually { bench.forwarder.delivered == 1 })
        await bench.journal.settle()
        let row = try await bench.store.oldestQueued(identifier: "AAA", account: nil)
        #expect(row?.failures.counted == 0)
        #expect(row?.failures.attempts == 1)
        #expect(bench.apiStory == ["api online"])
        #expect(try await bench.store.outboxCounts().attention == 0)
        await played.end()
    }

    @Test("an API that is down for a stated time is offline, and left alone by new scans too")
    func unavailable() async throws {
        let scan = await bench.scan("AAA")
        let request = try #require(await api.request(of: scan))
        api.answer(
            request, ScriptedAPI.Reply(status: 503, headers: ["Retry-After: 600"], body: ""))
        #expect(await eventually { bench.apiStory.count == 2 })
        #expect(bench.apiStory.last == "api offline the API answers HTTP 503")
        let later = await bench.scan("BBB")
        #expect(bench.listener.story(of: later).contains("resolution OFFLINE station network"))
        await bench.journal.settle()
        #expect(api.sent == [scan])
        await played.end()
    }
}

@Suite("The pace after a rate limit")
struct LimitedPaceTests {
    private static let second: UInt64 = 1_000_000_000

    /// How many of the backlog go in a minute from then on.
    private func perMinute(_ pace: Pace, from start: UInt64) -> Int {
        var pace = pace
        var count = 0
        var now = start
        while true {
            now = max(now, pace.nextSend(at: now, backlog: true))
            guard now < start + 60 * Self.second else { return count }
            pace.sent(at: now, backlog: true)
            count += 1
        }
    }

    @Test("each limit halves it, down to a quarter, and it comes back by a tenth a minute")
    func halves() {
        var pace = Pace(perMinute: 80, liveShare: 0.25)
        let start = 1000 * Self.second
        #expect(perMinute(pace, from: start) == 60)
        pace.limited(at: start)
        #expect(perMinute(pace, from: start) == 30)
        pace.limited(at: start)
        pace.limited(at: start)
        #expect(perMinute(pace, from: start) == 15)
        #expect(perMinute(pace, from: start + 300 * Self.second) == 45)
        #expect(perMinute(pace, from: start + 900 * Self.second) == 60)
    }

    @Test("without a time the pauses of a row grow, and those at once count as one")
    func pauses() {
        var health = APIHealth(configured: true)
        var now = Self.second
        var pauses: [UInt64] = []
        for _ in 0..<6 {
            health.limited(now: now, retryAfter: nil, jitter: 1)
            health.limited(now: now, retryAfter: nil, jitter: 1)
            pauses.append((health.pausedUntil - now) / Self.second)
            now = health.pausedUntil
        }
        #expect(pauses == [5, 10, 20, 40, 60, 60])
        now += 61 * Self.second
        health.limited(now: now, retryAfter: nil, jitter: 1)
        #expect(health.pausedUntil == now + 5 * Self.second)
    }

    @Test("a stated time counts from the answer, and a live scan waits for it as well")
    func retryAfter() {
        var lane = ScanLane(configured: true, perMinute: 80, liveShare: 0.25)
        lane.withHealth {
            $0.failed(
                reason: "HTTP 503", now: 0, jitter: 0.1, waiting: true, retryAfter: .seconds(30))
        }
        lane.scanned("s1", identifier: "A", now: Self.second)
        let early = lane.next(now: 29 * Self.second)
        #expect(early == [])
        #expect(lane.wakeTime(now: Self.second) == 30 * Self.second)
        let due = lane.next(now: 30 * Self.second)
        #expect(due == [.deliver(identifier: "A")])
    }
}
