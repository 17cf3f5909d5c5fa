import PCSCReader
import ReaderKit
import Scanning
import Testing

@Suite("One reader's tags")
struct TagSessionTests {
    private static let millisecond: UInt64 = 1_000_000
    private static let atr: [UInt8] = [0x3B, 0x8F]
    private static let tag = Sample.tag(1)

    /// A session with 300 ms of grace, in which a tag came at 1 s.
    private func sessionWithTag(atr: [UInt8] = atr) -> TagSession {
        var session = TagSession(grace: 300 * Self.millisecond)
        #expect(session.saw(.came(at: at(1_000), atr: atr)) == [])
        return session
    }

    private func at(_ milliseconds: UInt64) -> UInt64 { milliseconds * Self.millisecond }

    private func failure(
        _ trouble: PCSCCode.Trouble, uid: [UInt8]? = nil, isReadRefused: Bool = false
    ) -> Attempt.Outcome {
        .failed(
            Attempt.Failure(
                trouble, reason: "\(trouble)", uid: uid, isReadRefused: isReadRefused))
    }

    private func arrived(_ report: TagReport, _ detected: UInt64 = 1_000) -> TagSession.Effect {
        .tell(.arrive(report, detected: at(detected)))
    }

    private func unreadable(_ reason: String, uid: [UInt8]? = nil) -> TagReport {
        TagReport(technology: nil, kind: nil, uid: uid, contents: .unreadable(reason))
    }

    @Test("a tag is read at once, told once, and left alone until it goes")
    func oneArrival() {
        var session = sessionWithTag()
        #expect(session.next(at: at(1_000)) == .attempt(Attempt(atr: Self.atr)))
        #expect(session.attempted(.read(Self.tag), at: at(1_020)) == [arrived(Self.tag)])
        #expect(session.next(at: at(9_000)) == .wait(until: nil))
        #expect(session.saw(.left(at: at(9_000))) == [])
        #expect(session.next(at: at(9_001)) == .wait(until: at(9_300)))
        #expect(session.passed(at(9_300)) == [.tell(.depart(lastSeen: at(9_000)))])
    }

    struct Repeating: Sendable, CustomTestStringConvertible {
        let trouble: PCSCCode.Trouble
        /// After how many milliseconds each next attempt begins.
        let pauses: [UInt64]
        var testDescription: String { "\(trouble)" }
    }

    static let repeating = [
        Repeating(trouble: .exchange, pauses: [0]),
        Repeating(trouble: .reset, pauses: [0, 0, 0]),
        Repeating(trouble: .mute, pauses: [100, 100]),
        Repeating(trouble: .tagGone, pauses: [100, 100]),
        Repeating(trouble: .reader, pauses: [500, 500]),
    ]

    @Test(
        "attempts are repeated before the arrival, and in the end the tag is unreadable",
        arguments: repeating)
    func repeats(expected: Repeating) {
        var session = sessionWithTag()
        var now = at(1_000)
        for pause in expected.pauses {
            #expect(session.attempted(failure(expected.trouble), at: now) == [])
            if pause > 0 { #expect(session.next(at: now) == .wait(until: now + at(pause))) }
            now += at(pause)
            #expect(session.next(at: now) == .attempt(Attempt(atr: Self.atr)))
        }
        let told = session.attempted(failure(expected.trouble, uid: [4, 1]), at: now)
        #expect(told == [arrived(unreadable("\(expected.trouble)", uid: [4, 1]))])
        #expect(session.next(at: now) == .wait(until: nil))
    }

    @Test("a success after failures is told as if there had been none", arguments: repeating)
    func successAfterFailures(expected: Repeating) {
        var session = sessionWithTag()
        for _ in expected.pauses {
            _ = session.attempted(failure(expected.trouble, uid: [4, 1]), at: at(1_000))
        }
        #expect(session.attempted(.read(Self.tag), at: at(9_000)) == [arrived(Self.tag)])
    }

    @Test("a reader that refuses to read twice is asked for one page at a time")
    func smallerReads() {
        var session = sessionWithTag()
        _ = session.attempted(failure(.exchange, isReadRefused: true), at: at(1_000))
        #expect(session.next(at: at(1_000)) == .attempt(Attempt(atr: Self.atr)))
        #expect(session.attempted(failure(.exchange, isReadRefused: true), at: at(1_000)) == [])
        #expect(
            session.next(at: at(1_000)) == .attempt(Attempt(atr: Self.atr, inSmallestPieces: true)))
        #expect(session.attempted(.read(Self.tag), at: at(1_000)) == [arrived(Self.tag)])
    }

    @Test(
        "a refusal by polkit is a state of the device, until a tag can be read again",
        arguments: [PCSCCode.Trouble.access, .service])
    func accessDenied(trouble: PCSCCode.Trouble) {
        var session = sessionWithTag()
        #expect(session.attempted(failure(trouble), at: at(1_000)) == [])
        #expect(session.attempted(failure(trouble), at: at(1_500)) == [])
        #expect(
            session.attempted(failure(trouble), at: at(2_000))
                == [arrived(unreadable("\(trouble)")), .device(.degraded, reason: "\(trouble)")])
        #expect(session.saw(.left(at: at(2_000))) == [])
        _ = session.passed(at(2_300))
        _ = session.saw(.came(at: at(3_000), atr: Self.atr))
        for _ in 0..<2 { _ = session.attempted(failure(trouble), at: at(3_000)) }
        #expect(
            session.attempted(failure(trouble), at: at(3_000))
                == [arrived(unreadable("\(trouble)"), 3_000)])
        _ = session.saw(.left(at: at(4_000)))
        _ = session.passed(at(4_300))
        _ = session.saw(.came(at: at(5_000), atr: Self.atr))
        #expect(
            session.attempted(.read(Self.tag), at: at(5_000))
                == [arrived(Self.tag, 5_000), .device(.ready, reason: nil)])
    }

    @Test("a tag that another program holds is tried ever more seldom, and told after a second")
    func held() {
        var session = sessionWithTag()
        var now = at(1_000)
        var waits: [UInt64] = []
        var told: [TagSession.Effect] = []
        for _ in 0..<9 {
            told += session.attempted(failure(.held), at: now)
            guard case .wait(let until?) = session.next(at: now) else {
                Issue.record("no pause")
                return
            }
            waits.append((until - now) / Self.millisecond)
            now = until
        }
        #expect(waits == [50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000])
        #expect(told == [.device(.degraded, reason: "the tag is held by another program")])
        #expect(
            session.attempted(.read(Self.tag), at: now)
                == [arrived(Self.tag), .device(.ready, reason: nil)])
    }

    @Test("a held tag that goes was there all the same, and the device is well again")
    func heldToTheEnd() {
        var session = sessionWithTag()
        for _ in 0..<6 { _ = session.attempted(failure(.held), at: at(1_000)) }
        #expect(session.saw(.left(at: at(9_000))) == [.device(.ready, reason: nil)])
        #expect(
            session.passed(at(9_300))
                == [
                    arrived(unreadable("taken away while it was read")),
                    .tell(.depart(lastSeen: at(9_000))),
                ])
    }

    @Test("a tag that goes between two attempts is told as unreadable, with its UID")
    func pulled() {
        var session = sessionWithTag()
        #expect(session.attempted(failure(.tagGone, uid: [4, 1]), at: at(1_010)) == [])
        #expect(session.saw(.left(at: at(1_012))) == [])
        #expect(session.next(at: at(1_012)) == .wait(until: at(1_312)))
        #expect(
            session.passed(at(1_312))
                == [
                    arrived(unreadable("taken away while it was read", uid: [4, 1])),
                    .tell(.depart(lastSeen: at(1_012))),
                ])
    }

    @Test("a tag that comes back whole within the grace is one presence, told once")
    func pulledAndBack() {
        var session = sessionWithTag()
        _ = session.attempted(failure(.tagGone, uid: [4, 1]), at: at(1_010))
        _ = session.saw(.left(at: at(1_012)))
        #expect(session.saw(.came(at: at(1_200), atr: Self.atr)) == [])
        #expect(session.attempted(.read(Self.tag), at: at(1_220)) == [arrived(Self.tag)])
    }

    @Test("what happened during an attempt counts with its own time: longer than the grace")
    func longBlinkWhileReading() {
        var session = sessionWithTag()
        #expect(session.attempted(.read(Self.tag), at: at(3_000)) == [arrived(Self.tag)])
        #expect(session.saw(.left(at: at(1_500))) == [])
        #expect(
            session.saw(.came(at: at(2_500), atr: Self.atr))
                == [.tell(.depart(lastSeen: at(1_500)))])
        #expect(
            session.attempted(.read(Self.tag), at: at(3_020)) == [arrived(Self.tag, 2_500)])
    }

    @Test("what happened during an attempt counts with its own time: shorter than the grace")
    func shortBlinkWhileReading() {
        var session = sessionWithTag()
        #expect(session.attempted(.read(Self.tag), at: at(3_000)) == [arrived(Self.tag)])
        #expect(session.saw(.left(at: at(1_500))) == [])
        #expect(session.saw(.came(at: at(1_700), atr: Self.atr)) == [])
        #expect(session.attempted(.read(Self.tag), at: at(3_020)) == [])
    }

    @Test("a mute tag is looked at until it has gone")
    func muteTag() {
        var session = sessionWithTag(atr: [])
        #expect(session.looksAfterMuteTag)
        for now in [1_000, 1_100, 1_200] as [UInt64] {
            #expect(session.next(at: at(now)) == .attempt(Attempt(atr: [])))
            let told = session.attempted(failure(.mute), at: at(now))
            #expect(told == (now == 1_200 ? [arrived(unreadable("mute"))] : []))
        }
        #expect(session.next(at: at(1_200)) == .wait(until: at(1_700)))
        #expect(session.next(at: at(1_700)) == .attempt(Attempt(atr: [])))
        #expect(session.attempted(failure(.mute), at: at(1_700)) == [])
        #expect(session.looksAfterMuteTag)
        #expect(session.attempted(failure(.tagGone), at: at(2_200)) == [])
        #expect(!session.looksAfterMuteTag)
        #expect(session.passed(at(2_500)) == [.tell(.depart(lastSeen: at(2_200)))])
    }

    @Test("a mute tag that answers after it was told is another presence")
    func muteTagAnswers() {
        var session = sessionWithTag(atr: [])
        for _ in 0..<3 { _ = session.attempted(failure(.mute), at: at(1_000)) }
        #expect(
            session.attempted(.read(Self.tag), at: at(2_000))
                == [.tell(.depart(lastSeen: at(2_000))), arrived(Self.tag, 2_000)])
        #expect(!session.looksAfterMuteTag)
        #expect(session.next(at: at(9_000)) == .wait(until: nil))
    }

    @Test("a mute tag that goes between the first attempts is gone, whatever the watch sees")
    func muteTagGone() {
        var session = sessionWithTag(atr: [])
        _ = session.attempted(failure(.mute), at: at(1_000))
        #expect(session.attempted(failure(.tagGone), at: at(1_100)) == [])
        #expect(session.next(at: at(1_100)) == .wait(until: at(1_400)))
        #expect(session.saw(.left(at: at(1_600))) == [])
        #expect(
            session.passed(at(1_600))
                == [
                    arrived(unreadable("taken away while it was read")),
                    .tell(.depart(lastSeen: at(1_100))),
                ])
    }

    @Test("a tag that turns mute after it was read is looked at, and may answer again")
    func turnedMute() {
        var session = sessionWithTag()
        _ = session.attempted(.read(Self.tag), at: at(1_020))
        #expect(session.saw(.turnedMute(at: at(1_500))) == [])
        #expect(session.looksAfterMuteTag)
        #expect(session.next(at: at(2_000)) == .attempt(Attempt(atr: Self.atr)))
        #expect(session.attempted(.read(Self.tag), at: at(2_010)) == [])
        #expect(!session.looksAfterMuteTag)
        _ = session.saw(.turnedMute(at: at(3_000)))
        #expect(session.attempted(failure(.tagGone), at: at(3_500)) == [])
        #expect(session.passed(at(3_800)) == [.tell(.depart(lastSeen: at(3_500)))])
    }

    @Test("a driver's errors are a state of the device")
    func driver() {
        var session = TagSession(grace: 0)
        let reason = "the reader's driver reports an error"
        #expect(session.saw(.driverFailed(true)) == [.device(.degraded, reason: reason)])
        #expect(session.saw(.driverFailed(true)) == [])
        #expect(session.saw(.driverFailed(false)) == [.device(.ready, reason: nil)])
        #expect(session.saw(.driverFailed(false)) == [])
    }

    @Test("an unplugged reader takes its tag with it at once")
    func ended() {
        var session = sessionWithTag()
        _ = session.attempted(.read(Self.tag), at: at(1_020))
        #expect(session.ended(at: at(2_000)) == [.tell(.depart(lastSeen: at(2_000)))])
        #expect(session.next(at: at(2_000)) == .wait(until: nil))
        #expect(session.attempted(.read(Self.tag), at: at(2_010)) == [])
    }
}
