import Scanning
import Testing

@testable import Station

@Suite("The scan lane")
struct ScanLaneTests {
    private static let second: UInt64 = 1_000_000_000

    /// A lane whose backlog was found empty and whose API answered.
    private func online(perMinute: Int = 6000) -> ScanLane {
        var lane = ScanLane(configured: true, perMinute: perMinute, liveShare: 0.25)
        #expect(lane.next(now: 0) == [.deliverBacklog(excluding: [])])
        lane.ended(.nothing(due: nil), scan: nil, identifier: nil, wasBacklog: true)
        #expect(lane.next(now: 0) == [.probe])
        lane.withHealth { $0.answered() }
        lane.probeEnded()
        #expect(lane.next(now: 0) == [])
        return lane
    }

    private func offline(now: UInt64 = 0) -> ScanLane {
        var lane = online()
        lane.withHealth { $0.failed(reason: "gone", now: now, jitter: 1, waiting: true) }
        return lane
    }

    @Test("at start the backlog is asked first, and the API probed where there is none")
    func start() {
        _ = online()
    }

    @Test("without an API nothing is ever begun")
    func notConfigured() {
        var lane = ScanLane(configured: false, perMinute: 80, liveShare: 0.25)
        lane.scanned("s1", identifier: "A", now: 0)
        #expect(lane.next(now: 0) == [])
        #expect(lane.wakeTime(now: 0) == nil)
    }

    @Test("four live scans of different identifiers go at once, the fifth when one has ended")
    func fourAtOnce() {
        var lane = online()
        for name in ["A", "B", "C", "D", "E"] { lane.scanned("s\(name)", identifier: name, now: 1) }
        #expect(lane.next(now: 1) == ["A", "B", "C", "D"].map { .deliver(identifier: $0) })
        #expect(lane.next(now: 1) == [])
        lane.ended(.done, scan: "sB", identifier: "B", wasBacklog: false)
        #expect(lane.next(now: 1) == [.deliver(identifier: "E")])
    }

    @Test("scans of one identifier go one after the other")
    func oneIdentifier() {
        var lane = online()
        lane.scanned("s1", identifier: "A", now: 1)
        lane.scanned("s2", identifier: "A", now: 1)
        #expect(lane.next(now: 1) == [.deliver(identifier: "A")])
        lane.ended(.done, scan: "s1", identifier: "A", wasBacklog: false)
        #expect(lane.next(now: 1) == [.deliver(identifier: "A")])
    }

    @Test("an older scan of the identifier that was found instead leaves the live one in line")
    func olderFirst() {
        var lane = online()
        lane.scanned("new", identifier: "A", now: 1)
        #expect(lane.next(now: 1) == [.deliver(identifier: "A")])
        lane.ended(.done, scan: "old", identifier: "A", wasBacklog: false)
        #expect(lane.next(now: 1) == [.deliver(identifier: "A")])
    }

    @Test("the backlog drains one at a time beside live scans, without their identifiers")
    func backlogBeside() {
        var lane = online()
        lane.backlogChanged()
        lane.scanned("s1", identifier: "A", now: 1)
        #expect(
            lane.next(now: 1) == [
                .deliver(identifier: "A"), .deliverBacklog(excluding: ["A"]),
            ])
        let mayGo = lane.foundBacklog(identifier: "B", now: 1)
        #expect(mayGo)
        #expect(lane.next(now: 1) == [])
        lane.scanned("s2", identifier: "B", now: 1)
        #expect(lane.next(now: 1) == [], "B is under way from the backlog")
        lane.ended(.done, scan: "old", identifier: "B", wasBacklog: true)
        #expect(lane.next(now: 1).first == .deliver(identifier: "B"))
    }

    @Test("a scan that went live while the store was asked is not sent twice")
    func liveWhileSearching() {
        var lane = online()
        lane.backlogChanged()
        #expect(lane.next(now: 1) == [.deliverBacklog(excluding: [])])
        lane.scanned("s2", identifier: "B", now: 1)
        #expect(lane.next(now: 1) == [.deliver(identifier: "B")])
        let mayGo = lane.foundBacklog(identifier: "B", now: 1)
        #expect(!mayGo, "the live delivery found the same scan")
        #expect(lane.next(now: 1) == [.deliverBacklog(excluding: ["B"])])
    }

    @Test("a search that finds nothing hides nothing that came while it ran")
    func changedWhileSearching() {
        var lane = online()
        lane.backlogChanged()
        #expect(lane.next(now: 1) == [.deliverBacklog(excluding: [])])
        lane.backlogChanged()
        lane.ended(.nothing(due: nil), scan: nil, identifier: nil, wasBacklog: true)
        #expect(lane.next(now: Self.second) == [.deliverBacklog(excluding: [])])
        lane.ended(.nothing(due: nil), scan: nil, identifier: nil, wasBacklog: true)
        #expect(lane.next(now: 2 * Self.second) == [])
    }

    @Test("what a search left out is searched again once it is no longer under way")
    func leftOut() {
        var lane = online()
        lane.scanned("s1", identifier: "A", now: 1)
        lane.backlogChanged()
        #expect(
            lane.next(now: 1) == [
                .deliver(identifier: "A"), .deliverBacklog(excluding: ["A"]),
            ])
        lane.ended(.done, scan: "s1", identifier: "A", wasBacklog: false)
        lane.ended(.nothing(due: nil), scan: nil, identifier: nil, wasBacklog: true)
        #expect(lane.next(now: Self.second) == [.deliverBacklog(excluding: [])])
    }

    @Test("the backlog keeps its pace and the lane says when to ask again")
    func backlogPace() {
        var lane = online(perMinute: 80)
        lane.backlogChanged()
        #expect(lane.next(now: 0) == [.deliverBacklog(excluding: [])])
        _ = lane.foundBacklog(identifier: "A", now: 0)
        lane.ended(.done, scan: "a", identifier: "A", wasBacklog: true)
        #expect(lane.next(now: 1) == [])
        #expect(lane.wakeTime(now: 1) == Self.second)
        #expect(lane.next(now: Self.second) == [.deliverBacklog(excluding: [])])
    }

    @Test("a held scan is asked for again when it is due, not before")
    func heldUntilDue() {
        var lane = online()
        lane.backlogChanged()
        _ = lane.next(now: 1)
        lane.ended(.nothing(due: 500), scan: nil, identifier: nil, wasBacklog: true)
        #expect(lane.next(now: 2) == [])
        #expect(lane.wakeTime(now: 2) == 500)
        #expect(lane.next(now: 500) == [.deliverBacklog(excluding: [])])
    }

    @Test("while the API is down one attempt at a time is made, when it is due")
    func oneAttempt() {
        var lane = offline()
        lane.backlogChanged()
        #expect(lane.next(now: 1) == [])
        #expect(lane.wakeTime(now: 1) == Self.second)
        #expect(lane.next(now: Self.second) == [.deliverBacklog(excluding: [])])
        #expect(lane.next(now: 2 * Self.second) == [], "one attempt is under way")
        #expect(lane.wakeTime(now: 2 * Self.second) == nil)
    }

    @Test("a live scan tries at once although the next attempt is not due")
    func liveTriesAtOnce() {
        var lane = offline()
        lane.scanned("s1", identifier: "A", now: 1)
        #expect(lane.next(now: 1) == [.deliver(identifier: "A")])
        lane.scanned("s2", identifier: "B", now: 2)
        #expect(lane.next(now: 2) == [], "an attempt is under way already")
    }

    @Test("scans that wait when the API goes down are not tried one after the other")
    func noRush() {
        var lane = online()
        for name in ["A", "B", "C", "D", "E", "F"] {
            lane.scanned("s\(name)", identifier: name, now: 1)
        }
        _ = lane.next(now: 1)
        for name in ["A", "B", "C", "D"] {
            lane.withHealth { $0.failed(reason: "gone", now: 1, jitter: 1, waiting: true) }
            lane.ended(.failed, scan: "s\(name)", identifier: name, wasBacklog: false)
            #expect(lane.next(now: 1) == [])
        }
        #expect(lane.wakeTime(now: 1) == lane.health.nextAttempt)
        lane.scanned("sG", identifier: "G", now: 2)
        #expect(lane.next(now: 2).count == 1, "a new scan is tried at once")
    }

    @Test("the pace holds for attempts while the API is down as well")
    func paceWhileDown() {
        var lane = ScanLane(configured: true, perMinute: 2, liveShare: 0.25)
        lane.withHealth { $0.failed(reason: "gone", now: 0, jitter: 1, waiting: true) }
        for (name, time) in [("A", UInt64(1)), ("B", 2)] {
            lane.scanned("s\(name)", identifier: name, now: time)
            #expect(lane.next(now: time) == [.deliver(identifier: name)])
            lane.withHealth { $0.failed(reason: "gone", now: time, jitter: 1, waiting: true) }
            lane.ended(.failed, scan: "s\(name)", identifier: name, wasBacklog: false)
        }
        lane.scanned("sC", identifier: "C", now: 3)
        #expect(lane.next(now: 3) == [])
        #expect(lane.next(now: lane.health.nextAttempt) == [.probe], "a probe is no scan")
    }

    @Test("after a scan failed as the probe the next probe carries none, so it can't block")
    func alternatingProbes() {
        var lane = offline()
        lane.backlogChanged()
        let due = lane.health.nextAttempt
        #expect(lane.next(now: due) == [.deliverBacklog(excluding: [])])
        _ = lane.foundBacklog(identifier: "A", now: due)
        lane.withHealth { $0.failed(reason: "gone", now: due, jitter: 1, waiting: true) }
        lane.ended(.failed, scan: "a", identifier: "A", wasBacklog: true)
        #expect(lane.next(now: due) == [])
        #expect(lane.next(now: lane.health.nextAttempt) == [.probe])
        lane.withHealth { $0.answered() }
        lane.probeEnded()
        #expect(lane.next(now: lane.health.nextAttempt) == [.deliverBacklog(excluding: [])])
    }

    @Test("after an attempt that hung the next is made when it would have been without")
    func hungAttempt() {
        var lane = offline()
        for _ in 0..<5 {
            lane.withHealth { $0.failed(reason: "gone", now: 0, jitter: 1, waiting: true) }
        }
        let due = lane.health.nextAttempt
        #expect(lane.next(now: due) == [.probe])
        let end = due + 10 * Self.second
        lane.withHealth { $0.failed(reason: "no answer", now: end, jitter: 1, waiting: true) }
        lane.probeEnded()
        #expect(lane.wakeTime(now: end) == due + 15 * Self.second)
    }

    @Test("a failure that may be the scan's own makes a probe decide before anything else goes")
    func suspect() {
        var lane = online()
        lane.scanned("s1", identifier: "A", now: 1)
        _ = lane.next(now: 1)
        lane.withHealth { $0.doubted(now: 1) }
        lane.ended(.failed, scan: "s1", identifier: "A", wasBacklog: false)
        lane.scanned("s2", identifier: "B", now: 2)
        #expect(lane.next(now: 2) == [.probe])
        #expect(lane.next(now: 2) == [])
        lane.withHealth { $0.answered() }
        lane.probeEnded()
        #expect(lane.next(now: 3).first == .deliver(identifier: "B"))
    }

    @Test("a scan that is made while a doubt is looked into goes before the backlog all the same")
    func liveDuringDoubt() {
        var lane = online()
        lane.scanned("s1", identifier: "A", now: 1)
        _ = lane.next(now: 1)
        lane.withHealth { $0.doubted(now: 1) }
        lane.ended(.failed, scan: "s1", identifier: "A", wasBacklog: false)
        #expect(lane.next(now: 1) == [.probe])
        lane.scanned("s2", identifier: "B", now: 2)
        #expect(lane.next(now: 2) == [])
        lane.withHealth { $0.answered() }
        lane.probeEnded()
        #expect(lane.next(now: 3).first == .deliver(identifier: "B"))
    }

    @Test("with a refused token one request goes, at most every 30 seconds, until it changes")
    func unauthorised() {
        var lane = online()
        lane.withHealth { $0.unauthorised(reason: "refused", now: 0) }
        lane.scanned("s1", identifier: "A", now: 1)
        #expect(lane.next(now: 1) == [])
        #expect(lane.wakeTime(now: 1) == 30 * Self.second)
        // A scan, since an API may answer a bare probe whatever the token is.
        #expect(lane.next(now: 30 * Self.second) == [.deliver(identifier: "A")])
        lane.withHealth { $0.unauthorised(reason: "refused", now: 30 * Self.second) }
        lane.ended(.failed, scan: "s1", identifier: "A", wasBacklog: false)
        #expect(lane.next(now: 31 * Self.second) == [])
        #expect(lane.next(now: 60 * Self.second) == [.deliverBacklog(excluding: [])])
        lane.withHealth { $0.unauthorised(reason: "refused", now: 60 * Self.second) }
        lane.ended(.nothing(due: nil), scan: nil, identifier: nil, wasBacklog: true)
        #expect(lane.next(now: 90 * Self.second) == [.probe])
        lane.probeEnded()
        lane.scanned("s2", identifier: "B", now: 90 * Self.second)
        lane.withHealth { $0.tokenChanged(now: 91 * Self.second) }
        #expect(lane.next(now: 91 * Self.second).contains(.deliver(identifier: "B")))
    }

    @Test("a pause that the API asks for is kept, and is no outage")
    func paused() {
        var lane = online()
        lane.withHealth { $0.limited(now: 0, retryAfter: .seconds(7)) }
        lane.scanned("s1", identifier: "A", now: 1)
        #expect(lane.next(now: 1) == [])
        #expect(lane.wakeTime(now: 1) == 7 * Self.second)
        #expect(lane.health.published.state == .online)
        #expect(lane.next(now: 7 * Self.second).first == .deliver(identifier: "A"))
    }

    @Test("while outcomes can't be stored nothing is sent")
    func held() {
        var lane = online()
        lane.isHeld = true
        lane.scanned("s1", identifier: "A", now: 1)
        #expect(lane.next(now: 1) == [])
        lane.isHeld = false
        #expect(lane.next(now: 2).first == .deliver(identifier: "A"))
    }

    @Test("more live scans than are remembered wait in the store with the backlog")
    func bounded() {
        var lane = online()
        for index in 0...ScanLane.liveQueueLimit {
            lane.scanned("s\(index)", identifier: "I\(index)", now: 1)
        }
        let actions = lane.next(now: 1)
        #expect(actions.count == ScanLane.liveLimit + 1)
        guard case .deliverBacklog(let excluded)? = actions.last else {
            Issue.record("the backlog was not asked: \(actions)")
            return
        }
        #expect(excluded.count == ScanLane.liveQueueLimit)
    }
}
