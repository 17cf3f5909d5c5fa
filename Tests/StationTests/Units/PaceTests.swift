import Testing

@testable import Station

@Suite("The pace of deliveries")
struct PaceTests {
    private static let second: UInt64 = 1_000_000_000

    /// Sends as often as allowed from a time on, and returns when each send went.
    private func sends(_ pace: inout Pace, backlog: Bool, count: Int, from start: UInt64)
        -> [UInt64]
    {
        var times: [UInt64] = []
        var now = start
        for _ in 0..<count {
            now = max(now, pace.nextSend(at: now, backlog: backlog))
            pace.sent(at: now, backlog: backlog)
            times.append(now)
        }
        return times
    }

    @Test("in no 60 seconds go more scans than the limit")
    func limit() {
        var pace = Pace(perMinute: 80, liveShare: 0.25)
        let times = sends(&pace, backlog: false, count: 400, from: 5 * Self.second)
        for (index, time) in times.enumerated() where index >= 80 {
            #expect(time - times[index - 80] >= 60 * Self.second)
        }
    }

    @Test("the backlog leaves a quarter of the default pace to live scans and is spread evenly")
    func backlogShare() {
        var pace = Pace(perMinute: 80, liveShare: 0.25)
        let times = sends(&pace, backlog: true, count: 61, from: 0)
        #expect(times[1] == Self.second)
        #expect(times[60] == 60 * Self.second)
        // Sixty of the backlog are within the last minute; a live scan still goes at once.
        #expect(pace.nextSend(at: times[60], backlog: false) == times[60])
    }

    @Test("live scans take from the backlog's part, not the other way round")
    func liveFirst() {
        var pace = Pace(perMinute: 80, liveShare: 0.25)
        _ = sends(&pace, backlog: false, count: 60, from: 0)
        #expect(pace.nextSend(at: 1, backlog: true) == 60 * Self.second)
        #expect(pace.nextSend(at: 1, backlog: false) == 1)
        _ = sends(&pace, backlog: false, count: 20, from: 1)
        #expect(pace.nextSend(at: 2, backlog: false) == 60 * Self.second)
    }

    @Test("a send of the backlog that is late by a moment does not put off the later ones")
    func late() {
        var pace = Pace(perMinute: 80, liveShare: 0.25)
        pace.sent(at: 0, backlog: true)
        for number in 1..<60 {
            let due = UInt64(number) * Self.second
            #expect(pace.nextSend(at: due, backlog: true) == due)
            pace.sent(at: due + Self.second / 2, backlog: true)
        }
        // One that was much later begins a new row: what was missed is not made up for at once.
        pace.sent(at: 100 * Self.second, backlog: true)
        #expect(pace.nextSend(at: 100 * Self.second, backlog: true) == 101 * Self.second)
    }

    @Test("however late the sends are, the backlog keeps to its part of any 60 seconds")
    func lateWithinLimit() {
        var pace = Pace(perMinute: 80, liveShare: 0.25)
        var random = SeededRandom(seed: 7)
        var times: [UInt64] = []
        var now: UInt64 = 0
        for _ in 0..<400 {
            now = max(now, pace.nextSend(at: now, backlog: true))
            now += UInt64.random(in: 0...(Self.second * 9 / 10), using: &random)
            now = max(now, pace.nextSend(at: now, backlog: true))
            pace.sent(at: now, backlog: true)
            times.append(now)
        }
        for (index, time) in times.enumerated() where index >= 60 {
            #expect(time - times[index - 60] >= 60 * Self.second)
        }
        #expect(times[399] < 410 * Self.second)
    }
}
