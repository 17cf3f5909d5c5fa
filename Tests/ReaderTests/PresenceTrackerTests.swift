import ReaderKit
import Testing

/// Tags and times for the tables of presences.
enum Sample {
    static let grace: UInt64 = 300

    static func tag(_ uid: UInt8, _ message: [UInt8] = [0xD0, 0, 0]) -> TagReport {
        TagReport(
            technology: "iso14443a", kind: nil, uid: [4, uid], contents: .ndef(message))
    }

    static func unreadable(_ uid: UInt8?) -> TagReport {
        TagReport(
            technology: "iso14443a", kind: nil, uid: uid.map { [4, $0] },
            contents: .unreadable("taken away while it was read"))
    }
}

@Suite("Presence and grace")
struct PresenceTrackerTests {
    enum Step: Sendable {
        case detected(UInt64)
        case read(TagReport, UInt64)
        case pulled(TagReport, UInt64)
        case lost(UInt64)
        case passed(UInt64)
        case ended(UInt64)
        case interrupted(UInt64)
        case abandoned(String)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        let told: [PresenceTracker.Action]

        init(_ name: String, _ steps: [Step], _ told: [PresenceTracker.Action]) {
            testDescription = name
            self.steps = steps
            self.told = told
        }
    }

    private static let one = Sample.tag(1)
    private static let two = Sample.tag(2)

    static let cases = [
        Case(
            "a tag that lies still",
            [.detected(10), .read(one, 20), .passed(5_000)],
            [.arrive(one, detected: 10)]),
        Case(
            "a tag that goes: departure when it was last seen",
            [.detected(10), .read(one, 20), .lost(500), .passed(799), .passed(800)],
            [.arrive(one, detected: 10), .depart(lastSeen: 500)]),
        Case(
            "seen, missed, missed, seen, missed, seen: one arrival, no departure",
            [
                .detected(10), .read(one, 20), .lost(100), .passed(250), .detected(300),
                .read(one, 310), .lost(400), .passed(600), .detected(650), .read(one, 660),
                .passed(5_000),
            ],
            [.arrive(one, detected: 10)]),
        Case(
            "back at the last moment of the grace",
            [.detected(10), .read(one, 20), .lost(500), .detected(799), .read(one, 900)],
            [.arrive(one, detected: 10)]),
        Case(
            "back after the grace: two presences",
            [.detected(10), .read(one, 20), .lost(500), .detected(800), .read(one, 810)],
            [
                .arrive(one, detected: 10), .depart(lastSeen: 500),
                .arrive(one, detected: 800),
            ]),
        Case(
            "another tag within the grace: the first has gone, the second has come",
            [.detected(10), .read(one, 20), .lost(500), .detected(600), .read(two, 620)],
            [
                .arrive(one, detected: 10), .depart(lastSeen: 500),
                .arrive(two, detected: 600),
            ]),
        Case(
            "the same UID with other bytes: departure and arrival",
            [
                .detected(10), .read(one, 20), .lost(500), .detected(600),
                .read(Sample.tag(1, [0xD1, 1, 0, 0x55]), 620),
            ],
            [
                .arrive(one, detected: 10), .depart(lastSeen: 500),
                .arrive(Sample.tag(1, [0xD1, 1, 0, 0x55]), detected: 600),
            ]),
        Case(
            "reading again does not end the grace",
            [.detected(10), .read(one, 20), .lost(500), .detected(600), .passed(2_000)],
            [.arrive(one, detected: 10)]),
        Case(
            "pulled before it was read and not back: unreadable, after the grace",
            [
                .detected(10), .pulled(Sample.unreadable(1), 50), .lost(55), .passed(349),
                .passed(350),
            ],
            [.arrive(Sample.unreadable(1), detected: 10), .depart(lastSeen: 50)]),
        Case(
            "pulled, back within the grace and read: one arrival of the whole tag",
            [
                .detected(10), .pulled(Sample.unreadable(1), 50), .lost(55), .detected(200),
                .read(one, 230),
            ],
            [.arrive(one, detected: 10)]),
        Case(
            "pulled before anything was known, then another: it may have been the same",
            [.detected(10), .pulled(Sample.unreadable(nil), 50), .detected(200), .read(two, 230)],
            [.arrive(two, detected: 10)]),
        Case(
            "pulled, then one with another UID: two tags",
            [.detected(10), .pulled(Sample.unreadable(1), 50), .detected(200), .read(two, 230)],
            [
                .arrive(Sample.unreadable(1), detected: 10), .depart(lastSeen: 50),
                .arrive(two, detected: 200),
            ]),
        Case(
            "pulled twice, each time another UID",
            [
                .detected(10), .pulled(Sample.unreadable(1), 50), .detected(200),
                .pulled(Sample.unreadable(2), 230), .passed(530),
            ],
            [
                .arrive(Sample.unreadable(1), detected: 10), .depart(lastSeen: 50),
                .arrive(Sample.unreadable(2), detected: 200), .depart(lastSeen: 230),
            ]),
        Case(
            "the UID known from a first attempt is kept when a second gets none",
            [
                .detected(10), .pulled(Sample.unreadable(1), 50), .detected(200),
                .pulled(Sample.unreadable(nil), 230), .passed(530),
            ],
            [.arrive(Sample.unreadable(1), detected: 10), .depart(lastSeen: 230)]),
        Case(
            "announced, then pulled while read again: the grace runs anew",
            [
                .detected(10), .read(one, 20), .lost(500), .detected(600),
                .pulled(Sample.unreadable(1), 650), .passed(949), .passed(950),
            ],
            [.arrive(one, detected: 10), .depart(lastSeen: 650)]),
        Case(
            "announced, then another pulled while it was read",
            [
                .detected(10), .read(one, 20), .lost(500), .detected(600),
                .pulled(Sample.unreadable(2), 650), .passed(950),
            ],
            [
                .arrive(one, detected: 10), .depart(lastSeen: 500),
                .arrive(Sample.unreadable(2), detected: 600), .depart(lastSeen: 650),
            ]),
        Case(
            "unreadable at first and announced, then read: a fresh presence",
            [
                .detected(10), .read(Sample.unreadable(1), 50), .lost(100), .detected(200),
                .read(one, 230),
            ],
            [
                .arrive(Sample.unreadable(1), detected: 10), .depart(lastSeen: 100),
                .arrive(one, detected: 200),
            ]),
        Case(
            "read, then unreadable within the grace: the same as long as the UID is no other",
            [
                .detected(10), .read(one, 20), .lost(100), .detected(200),
                .read(Sample.unreadable(nil), 230), .lost(400), .passed(700),
            ],
            [.arrive(one, detected: 10), .depart(lastSeen: 400)]),
        Case(
            "gone before an attempt had ended",
            [.detected(10), .lost(12), .passed(312)],
            [
                .arrive(.gone(PresenceTracker.neverRead), detected: 10),
                .depart(lastSeen: 12),
            ]),
        Case(
            "unplugged: departure at once",
            [.detected(10), .read(one, 20), .ended(500), .passed(5_000)],
            [.arrive(one, detected: 10), .depart(lastSeen: 500)]),
        Case(
            "unplugged within the grace: departure when it was last seen",
            [.detected(10), .read(one, 20), .lost(400), .ended(500)],
            [.arrive(one, detected: 10), .depart(lastSeen: 400)]),
        Case(
            "unplugged while a tag was read: it was there",
            [.detected(10), .ended(500)],
            [
                .arrive(.gone(PresenceTracker.neverRead), detected: 10),
                .depart(lastSeen: 500),
            ]),
        Case(
            "pcscd ended with a tag that was announced: it may lie there still",
            [.detected(10), .read(one, 20), .interrupted(500), .passed(5_000)],
            [.arrive(one, detected: 10)]),
        Case(
            "pcscd ended while a tag that was announced was lifted: it may come back",
            [.detected(10), .read(one, 20), .lost(400), .interrupted(500), .passed(5_000)],
            [.arrive(one, detected: 10)]),
        Case(
            "pcscd ended while a tag was read: it was there",
            [.detected(10), .interrupted(500)],
            [
                .arrive(.gone(PresenceTracker.neverRead), detected: 10),
                .depart(lastSeen: 500),
            ]),
        Case(
            "a tag that makes the reader hang is there until the call comes back",
            [.detected(10), .abandoned("it hangs"), .passed(5_000), .ended(9_000)],
            [.arrive(.gone("it hangs"), detected: 10), .depart(lastSeen: 9_000)]),
        Case(
            "a tag that makes the reader hang after it was announced is no news",
            [.detected(10), .read(one, 20), .abandoned("it hangs"), .ended(9_000)],
            [.arrive(one, detected: 10), .depart(lastSeen: 9_000)]),
        Case("nothing was ever there", [.lost(10), .passed(900), .ended(1_000)], []),
    ]

    @Test("what is told of a tag", arguments: cases)
    func presence(expected: Case) {
        var tracker = PresenceTracker(grace: Sample.grace)
        let told = expected.steps.flatMap { step in
            switch step {
            case .detected(let time): tracker.detected(at: time)
            case .read(let report, let time): tracker.read(report, at: time)
            case .pulled(let report, let time): tracker.pulled(report, at: time)
            case .lost(let time): tracker.lost(at: time)
            case .passed(let time): tracker.passed(time)
            case .ended(let time): tracker.ended(at: time)
            case .interrupted(let time): tracker.interrupted(at: time)
            case .abandoned(let reason): tracker.abandoned(reason)
            }
        }
        #expect(told == expected.told)
    }

    @Test("arrivals and departures alternate, whatever happens", arguments: 1...20)
    func alternation(seed: UInt64) {
        var random = Lehmer(state: seed)
        var tracker = PresenceTracker(grace: Sample.grace)
        var isOpen = false
        var time: UInt64 = 0
        for _ in 0..<2_000 {
            time += UInt64.random(in: 0...200, using: &random)
            let uid: UInt8? = [1, 2, nil].randomElement(using: &random) ?? nil
            let actions =
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1: tracker.detected(at: time)
                case 2: tracker.read(Sample.tag(uid ?? 1), at: time)
                case 3: tracker.read(Sample.unreadable(uid), at: time)
                case 4: tracker.pulled(Sample.unreadable(uid), at: time)
                case 5: tracker.lost(at: time)
                case 6: tracker.abandoned("it hangs")
                default: tracker.passed(time)
                }
            for action in actions {
                if case .arrive = action {
                    #expect(!isOpen)
                    isOpen = true
                } else {
                    #expect(isOpen)
                    isOpen = false
                }
            }
        }
    }

    @Test("there is something to wait for only while a tag is away")
    func deadline() {
        var tracker = PresenceTracker(grace: Sample.grace)
        #expect(tracker.deadline == nil)
        _ = tracker.detected(at: 10)
        #expect(tracker.deadline == nil)
        _ = tracker.read(Sample.tag(1), at: 20)
        _ = tracker.lost(at: 100)
        #expect(tracker.deadline == 400)
        _ = tracker.detected(at: 200)
        #expect(tracker.deadline == nil)
    }
}

/// A small generator whose sequence depends on the seed alone.
///
/// Source: Park and Miller, "Random number generators: good ones are hard to find", 1988.
struct Lehmer: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<3 {
            state = (state &* 48_271) % 0x7FFF_FFFF
            value = value << 31 | state
        }
        return value
    }
}
