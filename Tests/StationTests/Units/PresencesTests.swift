import Testing

@testable import Station

@Suite("Tags that lie on readers")
struct PresencesTests {
    private static let second = Sample.second
    private static let keptFor = Presences.keptFor

    /// What arrives where a tag of UID 04a1 and digest d lay on the device usb-1.
    struct Arrival: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var device = "usb-1"
        var uid: String? = "04a1"
        var digest = "d"
        let continues: Bool
    }

    private static let arrivals = [
        Arrival(testDescription: "the same tag", continues: true),
        Arrival(testDescription: "the same tag with other bytes", digest: "e", continues: false),
        Arrival(testDescription: "another UID", uid: "04a2", continues: false),
        Arrival(testDescription: "no UID", uid: nil, continues: false),
        Arrival(testDescription: "another device", device: "usb-2", continues: false),
    ]

    private func open(
        _ presences: inout Presences, _ token: String, scan: String, uid: String? = "04a1",
        digest: String = "d", device: String = "usb-1", process: Int = 1, at: UInt64 = second
    ) {
        #expect(
            presences.arrive(
                device: device, process: process, token: token, uid: uid, digest: digest) == .new)
        presences.begin(
            device: device, process: process, token: token, scan: scan, uid: uid, digest: digest,
            arrivedAt: at)
    }

    private func expect(
        _ arrival: Arrival, _ presences: inout Presences, process: Int,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let answer = presences.arrive(
            device: arrival.device, process: process, token: "new", uid: arrival.uid,
            digest: arrival.digest)
        #expect(answer == (arrival.continues ? .continues : .new), sourceLocation: location)
    }

    // MARK: Restarts

    @Test("after a reader program was replaced only the same tag continues", arguments: arrivals)
    func readerRestarts(_ arrival: Arrival) {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        presences.processEnded(
            1, devices: ["usb-1"], lastSeen: 2 * Self.second, now: 2 * Self.second)
        presences.deviceReady("usb-1", now: 3 * Self.second)
        expect(arrival, &presences, process: 2)
        let lost = presences.giveUp(now: 3 * Self.second + Self.keptFor)
        #expect(lost.map(\.scan) == (arrival.continues ? [] : ["s1"]))
    }

    @Test("after the station was restarted only the same tag continues", arguments: arrivals)
    func stationRestarts(_ arrival: Arrival) {
        var presences = Presences()
        presences.restore(
            device: "usb-1", scan: "s1", uid: "04a1", digest: "d", arrivedAt: Self.second,
            lastSeen: 9 * Self.second, now: 9 * Self.second)
        presences.deviceReady("usb-1", now: 10 * Self.second)
        expect(arrival, &presences, process: 1)
        let lost = presences.giveUp(now: 10 * Self.second + Self.keptFor)
        #expect(lost.map(\.scan) == (arrival.continues ? [] : ["s1"]))
    }

    @Test("a code, which has no UID, continues by its bytes")
    func code() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1", uid: nil, digest: "code")
        presences.processEnded(
            1, devices: ["usb-1"], lastSeen: 2 * Self.second, now: 2 * Self.second)
        #expect(
            presences.arrive(device: "usb-1", process: 2, token: "x", uid: nil, digest: "code")
                == .continues)
    }

    @Test("a tag that continues is departed from by its new process and keeps its scan")
    func departureAfterRestart() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1", at: Self.second)
        presences.processEnded(
            1, devices: ["usb-1"], lastSeen: 2 * Self.second, now: 2 * Self.second)
        #expect(
            presences.arrive(device: "usb-1", process: 2, token: "t1", uid: "04a1", digest: "d")
                == .continues)
        #expect(presences.nextGivenUp == nil)
        #expect(presences.depart(process: 1, token: "t1") == nil)
        let gone = presences.depart(process: 2, token: "t1")
        #expect(gone?.scan == "s1")
        #expect(gone?.heldMilliseconds(until: 61 * Self.second) == 60_000)
        #expect(presences.count == 0)
    }

    // MARK: Giving up

    @Test("a tag whose reader program died is kept for five seconds, not a moment longer")
    func keptAfterProcessEnd() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        presences.processEnded(
            1, devices: ["usb-1"], lastSeen: 10 * Self.second, now: 10 * Self.second)
        #expect(presences.nextGivenUp == 15 * Self.second)
        #expect(presences.giveUp(now: 15 * Self.second - 1) == [])
        let lost = presences.giveUp(now: 15 * Self.second)
        #expect(lost.map(\.scan) == ["s1"])
        #expect(lost.first?.heldMilliseconds() == 9000, "it was last seen when the process ended")
        #expect(presences.giveUp(now: 16 * Self.second) == [], "it is given up once")
    }

    @Test("a device that is ready again has five seconds to show its tags, and no more later")
    func readyAgain() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        presences.processEnded(
            1, devices: ["usb-1"], lastSeen: 10 * Self.second, now: 10 * Self.second)
        presences.deviceReady("usb-1", now: 14 * Self.second)
        #expect(presences.nextGivenUp == 19 * Self.second)
        presences.deviceReady("usb-1", now: 18 * Self.second)
        #expect(presences.nextGivenUp == 19 * Self.second)
        #expect(presences.giveUp(now: 19 * Self.second).first?.heldMilliseconds() == 9000)
    }

    @Test("a reader program that dies before it could look gives the next one all the time anew")
    func diesAgain() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        var now = 10 * Self.second
        presences.processEnded(1, devices: ["usb-1"], lastSeen: now, now: now)
        for process in 2..<10 {
            now += Self.second
            presences.deviceReady("usb-1", now: now)
            now += 3 * Self.second
            #expect(presences.giveUp(now: now) == [])
            presences.processEnded(process, devices: ["usb-1"], lastSeen: now, now: now)
        }
        #expect(presences.giveUp(now: now + Self.keptFor).first?.heldMilliseconds() == 9000)
    }

    @Test("a program that fell silent was last known to look when it last spoke")
    func silent() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        presences.processEnded(
            1, devices: ["usb-1"], lastSeen: 20 * Self.second, now: 35 * Self.second)
        #expect(presences.giveUp(now: 40 * Self.second - 1) == [])
        #expect(presences.giveUp(now: 40 * Self.second).first?.heldMilliseconds() == 19_000)
    }

    @Test("after a start a device has fifteen seconds to come, and five more to show its tags")
    func waitsForDevice() {
        var presences = Presences()
        for (device, scan) in [("usb-1", "s1"), ("usb-2", "s2")] {
            presences.restore(
                device: device, scan: scan, uid: "04a1", digest: "d", arrivedAt: 0,
                lastSeen: Self.second, now: 90 * Self.second)
        }
        #expect(presences.nextGivenUp == 105 * Self.second)
        presences.deviceReady("usb-1", now: 104 * Self.second)
        #expect(presences.giveUp(now: 105 * Self.second).map(\.scan) == ["s2"])
        #expect(presences.nextGivenUp == 109 * Self.second)
        #expect(presences.giveUp(now: 109 * Self.second).map(\.scan) == ["s1"])
        #expect(presences.count == 0)
    }

    @Test("nothing is given up on a device with a tag that is still being read")
    func occupied() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        presences.processEnded(1, devices: ["usb-1"], lastSeen: 0, now: 10 * Self.second)
        presences.deviceReady("usb-1", now: 11 * Self.second)
        presences.deviceOccupied("usb-1", process: 2)
        #expect(presences.nextGivenUp == nil)
        #expect(presences.giveUp(now: 60 * Self.second) == [])
        // The tag could not be read in ten seconds, and is taken for the one that lay there.
        #expect(
            presences.arrive(device: "usb-1", process: 2, token: "n", uid: nil, digest: nil)
                == .continues)
        #expect(presences.nextGivenUp == nil)
    }

    @Test("where the tag that was being read is another, the one before is given up then")
    func occupiedByAnother() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        presences.processEnded(1, devices: ["usb-1"], lastSeen: 0, now: 10 * Self.second)
        presences.deviceReady("usb-1", now: 11 * Self.second)
        presences.deviceOccupied("usb-1", process: 2)
        #expect(
            presences.arrive(device: "usb-1", process: 2, token: "n", uid: "04a2", digest: "d")
                == .new)
        #expect(presences.giveUp(now: 60 * Self.second).map(\.scan) == ["s1"])
    }

    @Test("a program that dies while it reads leaves its five seconds to the next one")
    func occupiedAndDead() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        presences.processEnded(1, devices: ["usb-1"], lastSeen: 0, now: 10 * Self.second)
        presences.deviceReady("usb-1", now: 11 * Self.second)
        presences.deviceOccupied("usb-1", process: 2)
        presences.processEnded(2, devices: ["usb-1"], lastSeen: 0, now: 30 * Self.second)
        #expect(presences.nextGivenUp == 35 * Self.second)
    }

    @Test("a device that its program can't reach for a moment keeps its tags, like one restarted")
    func interrupted() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        open(&presences, "t2", scan: "s2", uid: "04a2", device: "usb-2")
        presences.deviceInterrupted("usb-1", process: 1, now: 10 * Self.second)
        #expect(presences.depart(process: 1, token: "t1") == nil, "the token names nothing now")
        presences.deviceReady("usb-1", now: 12 * Self.second)
        #expect(
            presences.arrive(device: "usb-1", process: 1, token: "t3", uid: "04a1", digest: "d")
                == .continues)
        #expect(presences.nextGivenUp == nil)
        #expect(presences.depart(process: 1, token: "t3")?.scan == "s1")
        #expect(presences.depart(process: 1, token: "t2")?.scan == "s2")
    }

    @Test("a device counts as watched over a short gap, not over a long one, nor at first")
    func watched() {
        var presences = Presences()
        presences.deviceReady("usb-1", now: Self.second)
        #expect(!presences.wasWatched("usb-1"))
        presences.processEnded(
            1, devices: ["usb-1"], lastSeen: 10 * Self.second, now: 10 * Self.second)
        presences.deviceReady("usb-1", now: 15 * Self.second - 1)
        #expect(presences.wasWatched("usb-1"))
        presences.deviceInterrupted("usb-1", process: 2, now: 20 * Self.second)
        presences.deviceReady("usb-1", now: 25 * Self.second)
        #expect(!presences.wasWatched("usb-1"))
    }

    @Test("being ready again does not give a tag that is there a time limit")
    func readyWithTag() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        presences.deviceReady("usb-1", now: 2 * Self.second)
        #expect(presences.nextGivenUp == nil)
    }

    @Test("an unplugged device loses its tags at once, others keep theirs")
    func unplugged() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        open(&presences, "t2", scan: "s2", uid: "04a2")
        open(&presences, "t3", scan: "s3", device: "usb-2")
        #expect(presences.deviceGone("usb-1").map(\.scan) == ["s1", "s2"])
        #expect(presences.deviceGone("usb-1") == [])
        #expect(presences.count == 1)
    }

    // MARK: Names and several tags

    @Test("two tags on one device are kept apart across a restart")
    func twoTags() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1", uid: "04a1")
        open(&presences, "t2", scan: "s2", uid: "04a2")
        presences.processEnded(
            1, devices: ["usb-1"], lastSeen: 2 * Self.second, now: 2 * Self.second)
        #expect(
            presences.arrive(device: "usb-1", process: 2, token: "a", uid: "04a2", digest: "d")
                == .continues)
        #expect(presences.depart(process: 2, token: "a")?.scan == "s2")
        #expect(presences.giveUp(now: 7 * Self.second).map(\.scan) == ["s1"])
    }

    @Test("of two tags that look alike each continues once")
    func alike() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1", uid: nil)
        presences.begin(
            device: "usb-1", process: 1, token: "t2", scan: "s2", uid: nil, digest: "d",
            arrivedAt: Self.second)
        presences.processEnded(
            1, devices: ["usb-1"], lastSeen: 2 * Self.second, now: 2 * Self.second)
        let answers = ["a", "b", "c"].map {
            presences.arrive(device: "usb-1", process: 2, token: $0, uid: nil, digest: "d")
        }
        #expect(answers == [.continues, .continues, .new])
    }

    @Test("a tag that lies there twice under the eyes of one process is two tags")
    func noContinuationWithinProcess() {
        var presences = Presences()
        open(&presences, "t1", scan: "s1")
        #expect(
            presences.arrive(device: "usb-1", process: 1, token: "t2", uid: "04a1", digest: "d")
                == .new)
    }

    @Test("a token names one presence of one process and is free again after its departure")
    func tokens() {
        var presences = Presences()
        open(&presences, "t", scan: "s1")
        #expect(presences.isOpen(process: 1, token: "t"))
        #expect(!presences.isOpen(process: 2, token: "t"))
        #expect(presences.depart(process: 2, token: "t") == nil)
        #expect(presences.depart(process: 1, token: "t")?.scan == "s1")
        #expect(presences.depart(process: 1, token: "t") == nil, "a departure is told once")
        #expect(!presences.isOpen(process: 1, token: "t"))
        open(&presences, "t", scan: "s2")
        #expect(presences.depart(process: 1, token: "t")?.scan == "s2")
    }

    @Test("a tag that was not announced is followed like any other")
    func unannounced() {
        var presences = Presences()
        presences.begin(
            device: "usb-1", process: 1, token: "t", scan: nil, uid: "04a1", digest: "d",
            arrivedAt: Self.second)
        presences.processEnded(
            1, devices: ["usb-1"], lastSeen: 2 * Self.second, now: 2 * Self.second)
        #expect(
            presences.arrive(device: "usb-1", process: 2, token: "t", uid: "04a1", digest: "d")
                == .continues)
        #expect(presences.depart(process: 2, token: "t")?.scan == .some(nil))
    }

    // MARK: How long it was held

    struct Held: Sendable {
        let arrivedAt: UInt64
        let lastSeen: UInt64
        let milliseconds: Int64
    }

    @Test(
        "the time held runs from detection to the moment the tag was last seen",
        arguments: [
            Held(arrivedAt: 5_000_000_000, lastSeen: 5_000_999_999, milliseconds: 0),
            Held(arrivedAt: 5_000_000_000, lastSeen: 5_001_000_000, milliseconds: 1),
            Held(arrivedAt: 5_000_000_000, lastSeen: 65_400_000_000, milliseconds: 60_400),
            Held(arrivedAt: 5_000_000_000, lastSeen: 4_000_000_000, milliseconds: 0),
            Held(arrivedAt: 0, lastSeen: 65_000_000_000, milliseconds: 0),
        ])
    func held(_ held: Held) {
        var presences = Presences()
        open(&presences, "t", scan: "s1", at: held.arrivedAt)
        let gone = presences.depart(process: 1, token: "t")
        #expect(gone?.heldMilliseconds(until: held.lastSeen) == held.milliseconds)
    }
}
