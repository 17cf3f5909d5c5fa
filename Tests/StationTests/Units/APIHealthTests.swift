import Scanning
import Testing

@testable import Station

@Suite("The API's health")
struct APIHealthTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("while something waits the attempts double to at most 15 seconds")
    func backOff() {
        var health = APIHealth(configured: true)
        var waits: [UInt64] = []
        for _ in 0..<7 {
            health.failed(reason: "gone", now: 0, jitter: 1, waiting: true)
            waits.append(health.nextAttempt / Self.second)
        }
        #expect(waits == [1, 2, 4, 8, 15, 15, 15])
        health.answered()
        health.failed(reason: "gone", now: 0, jitter: 1, waiting: true)
        #expect(health.nextAttempt == Self.second)
    }

    @Test("an attempt that hangs counts as waiting, so that the next is not put off by it")
    func hangingAttempt() {
        var health = APIHealth(configured: true)
        for _ in 0..<5 { health.failed(reason: "gone", now: 0, jitter: 1, waiting: true) }
        health.attempting(now: 100 * Self.second)
        health.failed(reason: "no answer", now: 110 * Self.second, jitter: 1, waiting: true)
        #expect(health.nextAttempt == 115 * Self.second)
        // However long it took, there is a pause before the next.
        health.attempting(now: 200 * Self.second)
        health.failed(reason: "no answer", now: 230 * Self.second, jitter: 1, waiting: true)
        #expect(health.nextAttempt == 230 * Self.second + 1_500_000_000)
        // The next failure has no attempt before it.
        health.failed(reason: "gone", now: 300 * Self.second, jitter: 1, waiting: true)
        #expect(health.nextAttempt == 315 * Self.second)
    }

    @Test("while nothing waits the API is left alone for minutes, until work arrives")
    func idle() {
        var health = APIHealth(configured: true)
        health.failed(reason: "gone", now: 0, jitter: 1, waiting: false)
        #expect(health.nextAttempt == 300 * Self.second)
        health.workArrived(now: 10)
        #expect(health.nextAttempt < 16 * Self.second)
    }

    @Test("an API that has never answered is not told as online when its first request fails")
    func neverAnswered() {
        var health = APIHealth(configured: true)
        health.doubted(now: 5)
        #expect(!health.isKnown)
        #expect(health.published == APIEvent(state: .offline, reason: "not asked yet"))
        health.failed(reason: "HTTP 503", now: 6, jitter: 1, waiting: true)
        #expect(health.isKnown)
        health.answered()
        health.doubted(now: 7)
        #expect(health.isKnown)
        #expect(health.published.state == .online)
    }

    @Test("the state is told with its reason")
    func published() {
        var health = APIHealth(configured: true)
        health.failed(reason: "the name can't be resolved", now: 0, jitter: 1, waiting: true)
        #expect(
            health.published
                == APIEvent(state: .offline, reason: "the name can't be resolved"))
        health.unauthorised(reason: "no token", now: 0)
        #expect(health.published == APIEvent(state: .unauthorised, reason: "no token"))
        #expect(APIHealth(configured: false).published.state == .notConfigured)
    }

    @Test("a pause is kept whatever else the API answers meanwhile")
    func pause() {
        var health = APIHealth(configured: true)
        health.limited(now: 0, retryAfter: .seconds(60))
        health.answered()
        health.limited(now: Self.second, retryAfter: .seconds(2))
        #expect(health.pausedUntil == 60 * Self.second)
        #expect(health.published.state == .online)
        health.limited(now: 100 * Self.second, retryAfter: nil)
        #expect(health.pausedUntil == 105 * Self.second)
    }

    @Test("a doubt is no outage to anybody until the probe has failed")
    func doubt() {
        var health = APIHealth(configured: true)
        health.answered()
        health.doubted(now: 5)
        #expect(health.published.state == .online)
        #expect(!health.isUp)
        health.failed(reason: "HTTP 503", now: 6, jitter: 1, waiting: true)
        #expect(health.published.state == .offline)
    }
}
