import LineProtocols
import ReaderKit
import Scanning
import Testing

@Suite("What is told of a tag")
struct TagReportTests {
    private func arrival(
        uid: [UInt8]?, _ contents: TagReport.Contents
    ) -> ReaderMessage.Arrival {
        let report = TagReport(
            technology: "iso14443a", kind: "MIFARE Ultralight C", uid: uid, contents: contents)
        return .init(report, device: "pcsc:x", token: "7", bootNanoseconds: 12)
    }

    @Test("a message is told in hexadecimal, with everything that is known")
    func message() {
        let arrival = arrival(uid: [0x04, 0xA1, 0xB2], .ndef([0xD0, 0x00, 0x00]))
        #expect(arrival.device == "pcsc:x")
        #expect(arrival.token == "7")
        #expect(arrival.medium == "nfc")
        #expect(arrival.bootNanoseconds == 12)
        #expect(arrival.technology == "iso14443a")
        #expect(arrival.kind == "MIFARE Ultralight C")
        #expect(arrival.uid == "04a1b2")
        #expect(arrival.uidRandom == nil)
        #expect(arrival.ndef == "d00000")
        #expect(arrival.problem == nil && arrival.reason == nil)
    }

    @Test("UIDs of zeros and empty ones are none", arguments: [[], [0, 0, 0, 0]])
    func noUID(uid: [UInt8]) {
        #expect(arrival(uid: uid, .blank).uid == nil)
    }

    @Test("four bytes that begin with 08 are random, and told as such")
    func randomUID() {
        #expect(arrival(uid: [0x08, 0xCB, 0xE1, 0xF4], .blank).uidRandom == true)
        #expect(arrival(uid: [0x08, 0xCB, 0xE1, 0xF4], .blank).uid == "08cbe1f4")
        #expect(arrival(uid: [0x08, 0xCB, 0xE1, 0xF4, 0, 0, 0], .blank).uidRandom == nil)
        #expect(arrival(uid: [0x18, 0xCB, 0xE1, 0xF4], .blank).uidRandom == nil)
    }

    @Test("a tag that can be read and has no NDEF is told by its UID alone")
    func uidOnly() {
        let known = arrival(uid: [4, 1], .uidOnly)
        #expect(known.uid == "0401" && known.problem == nil && known.ndef == nil)
        let unknown = arrival(uid: [0, 0], .uidOnly)
        #expect(unknown.problem == .unsupported && unknown.reason == "noUID")
    }

    @Test("a message of more than 24 KiB is told as too long, and fits into a line up to there")
    func tooLong() throws {
        let longest = arrival(uid: [4], .ndef([UInt8](repeating: 0xFF, count: 24 * 1024)))
        #expect(longest.problem == nil)
        #expect(try JSONLine.encode(ReaderMessage.arrive(longest)).count < LineSplitter.limit)
        let longer = arrival(uid: [4], .ndef([UInt8](repeating: 0xFF, count: 24 * 1024 + 1)))
        #expect(longer.problem == .unsupported && longer.reason == "tooLong")
        #expect(longer.ndef == nil)
    }

    @Test("problems come with their reasons")
    func problems() {
        #expect(arrival(uid: [4], .blank).problem == .blank)
        let unreadable = arrival(uid: [4], .unreadable("taken away"))
        #expect(unreadable.problem == .unreadable && unreadable.reason == "taken away")
        let unsupported = arrival(uid: [4], .unsupported("type4"))
        #expect(unsupported.problem == .unsupported && unsupported.reason == "type4")
    }

    @Test("each presence has a token of its own, which its departure repeats")
    func tokens() {
        var reporter = PresenceReporter(device: "pcsc:x")
        var other = PresenceReporter(device: "pcsc:y")
        let actions: [PresenceTracker.Action] = [
            .arrive(Sample.tag(1), detected: 1), .depart(lastSeen: 2),
            .arrive(Sample.tag(1), detected: 3), .depart(lastSeen: 4),
        ]
        var tokens: [String] = []
        for message in reporter.messages(for: actions) + other.messages(for: actions) {
            if case .arrive(let arrival) = message { tokens.append(arrival.token) }
            if case .depart(let departure) = message { #expect(departure.token == tokens.last) }
        }
        #expect(Set(tokens).count == 4)
    }
}
