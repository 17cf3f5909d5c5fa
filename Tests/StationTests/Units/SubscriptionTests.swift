import LineProtocols
import Scanning
import Storage
import Testing

@testable import Station

@Suite("Where a subscriber stands")
struct SubscriptionTests {
    private static let everything = EventFilter(types: nil, readers: nil)
    private static let limit = Subscription.queueLimit

    /// A subscription in a box, so that what changes it can stand in an expectation.
    private final class Subscriber {
        private(set) var subscription: Subscription

        init(from cursor: Int64, _ filter: EventFilter = everything) {
            subscription = Subscription(filter: filter, from: cursor)
        }

        var isLive: Bool { subscription.isLive }
        var cursor: Int64 { subscription.cursor }

        func takes(_ line: Hub.Line, queued: Int = 0) -> Bool {
            subscription.takes(line, queued: queued)
        }

        func replays(_ line: Hub.Line) -> Bool { subscription.replays(line) }

        func caughtUp(with last: Int64) -> Bool { subscription.caughtUp(with: last) }
    }

    private func live(from cursor: Int64 = 0, _ filter: EventFilter = everything) -> Subscriber {
        let subscriber = Subscriber(from: cursor, filter)
        #expect(subscriber.caughtUp(with: cursor))
        return subscriber
    }

    private func line(_ seq: Int64, type: String = "scan") -> Hub.Line {
        Hub.Line(Sample.event(seq, type: type))
    }

    private func unstored(type: String = "scan") -> Hub.Line {
        Hub.Line(
            seq: nil, type: type, readerID: nil, readerName: nil,
            bytes: StationLine.event(seq: nil, body: Sample.event(0, type: type).body))
    }

    // MARK: Live

    @Test("nothing is taken live before the log was asked")
    func logFirst() {
        let subscriber = Subscriber(from: 4)
        #expect(!subscriber.isLive)
        #expect(!subscriber.takes(line(5)))
        #expect(subscriber.cursor == 4, "the event is left to the log")
        #expect(!subscriber.takes(unstored()))
        #expect(!subscriber.caughtUp(with: 5))
        #expect(subscriber.replays(line(5)))
        #expect(subscriber.caughtUp(with: 5))
        #expect(subscriber.takes(line(6)))
    }

    @Test("live events are taken once, in their order")
    func once() {
        let subscriber = live()
        #expect(subscriber.takes(line(1)))
        #expect(!subscriber.takes(line(1)))
        #expect(subscriber.takes(line(2)))
        #expect(!subscriber.takes(line(1)))
        #expect(subscriber.cursor == 2)
    }

    @Test("what was read from the log already is not taken again, live or from a later page")
    func noRepeat() {
        let subscriber = Subscriber(from: 0)
        #expect(subscriber.replays(line(1)))
        #expect(subscriber.replays(line(2)))
        #expect(!subscriber.replays(line(2)))
        #expect(subscriber.caughtUp(with: 2))
        #expect(!subscriber.takes(line(2)))
    }

    @Test("events that the filter leaves out are accounted for, live and from the log")
    func filtered() {
        let scans = EventFilter(types: ["scan"], readers: nil)
        let subscriber = Subscriber(from: 0, scans)
        #expect(!subscriber.replays(line(1, type: "api")))
        #expect(subscriber.caughtUp(with: 1))
        #expect(!subscriber.takes(line(2, type: "api")))
        #expect(subscriber.cursor == 2)
        #expect(!subscriber.takes(unstored(type: "api")))
        #expect(subscriber.takes(unstored()))
    }

    // MARK: Lagging

    @Test("a line that fills the queue exactly is taken, one byte more is left to the log")
    func room() {
        let size = line(1).bytes.count
        let fits = live()
        #expect(fits.takes(line(1), queued: Self.limit - size))
        #expect(fits.isLive)
        let full = live()
        #expect(!full.takes(line(1), queued: Self.limit - size + 1))
        #expect(!full.isLive)
        #expect(full.cursor == 0)
    }

    @Test("a client that lags gets on from where it was, and then lives on")
    func catchesUp() {
        let subscriber = live()
        #expect(!subscriber.takes(line(1), queued: Self.limit))
        #expect(!subscriber.takes(line(2)), "the first one must not be overtaken")
        #expect(!subscriber.caughtUp(with: 2))
        #expect(subscriber.replays(line(1)))
        #expect(!subscriber.caughtUp(with: 2))
        #expect(subscriber.replays(line(2)))
        #expect(subscriber.caughtUp(with: 2))
        #expect(subscriber.takes(line(3)))
    }

    @Test("a full queue is no lag where the filter leaves the event out")
    func fullButFiltered() {
        let subscriber = live(from: 0, EventFilter(types: ["scan"], readers: nil))
        #expect(!subscriber.takes(line(1, type: "api"), queued: Self.limit))
        #expect(subscriber.isLive)
        #expect(subscriber.cursor == 1)
    }

    // MARK: While nothing can be stored

    @Test("events without a seq are taken live and move nothing")
    func withoutSeq() {
        let subscriber = live(from: 7)
        #expect(subscriber.takes(unstored()))
        #expect(subscriber.takes(unstored()))
        #expect(subscriber.cursor == 7)
        #expect(!subscriber.takes(unstored(), queued: Self.limit))
        #expect(subscriber.isLive)
    }

    @Test("events that are stored later are not sent again to who got them live")
    func storedLater() {
        let subscriber = live(from: 7)
        #expect(subscriber.takes(unstored()))
        // Events 8 and 9 were stored without being published again.
        #expect(subscriber.takes(line(10)))
        #expect(subscriber.cursor == 10)
    }

    @Test("who missed an event without a seq gets it from the log once it is stored")
    func missed() {
        let subscriber = live(from: 7)
        #expect(!subscriber.takes(unstored(), queued: Self.limit))
        #expect(!subscriber.takes(line(9)), "event 8 was stored meanwhile")
        #expect(!subscriber.isLive)
        #expect(subscriber.replays(line(8)))
        #expect(subscriber.replays(line(9)))
        #expect(subscriber.caughtUp(with: 9))
        #expect(subscriber.takes(line(11)), "there is nothing left to make good")
    }

    @Test("a subscriber that was still reading the log misses no event without a seq either")
    func missedWhileReplaying() {
        let subscriber = Subscriber(from: 6)
        #expect(!subscriber.takes(unstored()))
        #expect(subscriber.replays(line(7)))
        #expect(subscriber.caughtUp(with: 7))
        #expect(!subscriber.takes(line(9)))
        #expect(!subscriber.isLive)
    }

    @Test("an event without a seq that is not wanted can't be missed")
    func unwanted() {
        let subscriber = live(from: 0, EventFilter(types: ["scan"], readers: nil))
        #expect(!subscriber.takes(unstored(type: "api"), queued: Self.limit))
        #expect(subscriber.takes(line(2)))
    }
}
