import Testing

@testable import PlingsAPI

@Suite("When a session is renewed")
struct SessionRenewalTests {
    static let second: UInt64 = 1_000_000_000
    private static let hour = 3600 * second

    private func hourly(jitter: Double = 0) -> SessionRenewal {
        var renewal = SessionRenewal()
        renewal.issued(lifetime: .seconds(3600), asked: 0, jitter: jitter)
        return renewal
    }

    @Test("it is renewed when three quarters of its life are over, spread by a tenth")
    func share() {
        var late = hourly()
        #expect(late.wakeTime(now: 0) == 2700 * Self.second)
        #expect(hourly(jitter: 1).wakeTime(now: 0) == 2340 * Self.second)
        let early = late.begins(now: 2699 * Self.second)
        let due = late.begins(now: 2700 * Self.second)
        let again = late.begins(now: 2800 * Self.second)
        #expect([early, due, again] == [false, true, false], "one at a time")
    }

    @Test("its token is sent until shortly before its end, also while the server is away")
    func goodUntil() {
        var renewal = hourly()
        _ = renewal.begins(now: 2700 * Self.second)
        renewal.failed(
            .unclear(reason: "HTTP 500", retryAfter: nil), now: 2701 * Self.second, jitter: 1)
        #expect(renewal.standing(now: 3589 * Self.second) == .good)
        #expect(renewal.complaint == "HTTP 500")
        #expect(renewal.standing(now: 3590 * Self.second) == .unreachable("HTTP 500"))
    }

    @Test("a lost answer is asked for again at once, and then with growing waits")
    func lostAnswer() {
        var renewal = hourly()
        var now = 2700 * Self.second
        var waits: [UInt64] = []
        for _ in 0..<9 {
            let began = renewal.begins(now: now)
            #expect(began)
            renewal.failed(.unanswered(reason: "lost"), now: now, jitter: 1)
            let next = renewal.wakeTime(now: now) ?? 0
            waits.append((next - now) / Self.second)
            now = next
        }
        #expect(waits == [0, 1, 2, 4, 8, 16, 32, 60, 60])
    }

    @Test("once the token has expired the waits are short, and a new scan shortens them")
    func urgent() {
        var renewal = hourly()
        var now = Self.hour
        for _ in 0..<12 {
            _ = renewal.begins(now: now)
            renewal.failed(.unanswered(reason: "lost"), now: now, jitter: 1)
            now = renewal.wakeTime(now: now) ?? 0
        }
        _ = renewal.begins(now: now)
        renewal.failed(.unanswered(reason: "lost"), now: now, jitter: 1)
        #expect(renewal.wakeTime(now: now) == now + 15 * Self.second)
        renewal.scanned(now: now + 5)
        #expect(renewal.wakeTime(now: now + 5) == now + Self.second)
    }

    @Test("a server that names a time is left alone until then, by new scans too")
    func limited() {
        var renewal = hourly()
        let now = Self.hour
        _ = renewal.begins(now: now)
        renewal.failed(
            .limited(reason: "slow down", retryAfter: .seconds(90)), now: now, jitter: 0)
        renewal.scanned(now: now + 10 * Self.second)
        #expect(renewal.wakeTime(now: now + 10 * Self.second) == now + 90 * Self.second)
    }

    @Test("a refused session ends it: the token is used up, then only a login helps")
    func refused() {
        var renewal = hourly()
        _ = renewal.begins(now: 2700 * Self.second)
        renewal.failed(.refused(code: "session_not_found"), now: 2701 * Self.second, jitter: 1)
        #expect(renewal.standing(now: 3000 * Self.second) == .good)
        #expect(renewal.standing(now: Self.hour) == .ended("session_not_found"))
        #expect(renewal.wakeTime(now: Self.hour) == nil)
        let began = renewal.begins(now: 2 * Self.hour)
        #expect(!began)
        renewal.issued(lifetime: .seconds(3600), asked: 2 * Self.hour, jitter: 0)
        #expect(renewal.standing(now: 2 * Self.hour) == .good)
    }

    @Test("an API key that is refused needs a person, and is tried on")
    func key() {
        var renewal = hourly()
        _ = renewal.begins(now: Self.hour)
        renewal.failed(.key(reason: "bad key"), now: Self.hour, jitter: 1)
        #expect(renewal.standing(now: Self.hour) == .blocked("bad key"))
        #expect(renewal.wakeTime(now: Self.hour) == Self.hour + Self.second)
    }

    @Test("a token that the API refuses is renewed once, and again only after a while")
    func accessRefused() {
        var renewal = hourly()
        let first = renewal.refused(now: 10 * Self.second)
        #expect(first)
        #expect(renewal.standing(now: 10 * Self.second) == .renewing)
        let began = renewal.begins(now: 10 * Self.second)
        let meanwhile = renewal.refused(now: 11 * Self.second)
        #expect(began && meanwhile)
        renewal.issued(lifetime: .seconds(3600), asked: 10 * Self.second, jitter: 0)
        let soon = renewal.refused(now: 20 * Self.second)
        #expect(!soon)
        #expect(renewal.standing(now: 20 * Self.second) == .good)
        let later = renewal.refused(now: 311 * Self.second)
        #expect(later)
    }

    @Test("after another boot it is renewed at once; its token counts as good as the clock says")
    func otherBoot() {
        let lefts: [Duration] = [.seconds(100), .seconds(-5), .seconds(86_400)]
        let expected: [SessionRenewal.Standing] = [.good, .renewing, .good]
        for (left, standing) in zip(lefts, expected) {
            var renewal = SessionRenewal()
            renewal.found(lifetime: .seconds(3600), left: left, now: 5)
            #expect(renewal.standing(now: 5) == standing)
            let began = renewal.begins(now: 5)
            #expect(began)
        }
        var days = SessionRenewal()
        days.found(lifetime: .seconds(3600), left: .seconds(86_400), now: 0)
        #expect(days.standing(now: Self.hour) == .renewing, "no clock makes it live longer")
    }

    @Test("a renewed session that the disk does not take is not used, and stored later")
    func notStored() {
        var renewal = hourly()
        _ = renewal.begins(now: Self.hour)
        renewal.notStored(reason: "No space left on device", now: Self.hour, jitter: 1)
        #expect(
            renewal.standing(now: Self.hour)
                == .unreachable("the session can't be stored: No space left on device"))
        #expect(renewal.wakeTime(now: Self.hour) == Self.hour + Self.second)
    }
}
