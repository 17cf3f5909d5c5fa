import PCSCReader
import Testing

@Suite("What happened between two looks at a slot")
struct GlimpseTests {
    /// Flags of dwEventState.
    ///
    /// Source: pcsclite.h.
    private enum Flag {
        static let changed: UInt32 = 0x002
        static let unknown: UInt32 = 0x004
        static let unavailable: UInt32 = 0x008
        static let empty: UInt32 = 0x010
        static let present: UInt32 = 0x020
        static let exclusive: UInt32 = 0x080
        static let inUse: UInt32 = 0x100
        static let mute: UInt32 = 0x200
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let old: UInt32?
        let new: UInt32
        let seen: [Glimpse]

        init(_ name: String, _ old: UInt32?, _ new: UInt32, _ seen: [Glimpse]) {
            testDescription = name
            self.old = old
            self.new = new
            self.seen = seen
        }
    }

    private static func empty(_ counter: UInt32) -> UInt32 { Flag.empty | counter << 16 }
    private static func present(_ counter: UInt32, _ more: UInt32 = 0) -> UInt32 {
        Flag.present | more | Flag.changed | counter << 16
    }
    private static let came = Glimpse.came(at: 90, atr: [0x3B])
    private static let left = Glimpse.left(at: 80)

    static let cases = [
        Case("first look, nothing there", nil, empty(0), []),
        Case("first look, a tag there", nil, present(0), [came]),
        Case("nothing changed", empty(4), empty(4), []),
        Case("a tag came", empty(4), present(5), [came]),
        Case("it came, went and came", empty(4), present(7), [came]),
        Case("it left", present(5), empty(6), [left]),
        Case("it left, came and left", present(5), empty(8), [left]),
        Case("it lies still", present(5), present(5), []),
        Case("another program uses it", present(5), present(5, Flag.inUse), []),
        Case("another program holds it", present(5), present(5, Flag.exclusive), []),
        Case("it turned mute", present(5), present(5, Flag.mute), []),
        Case(
            "it left and came again", present(5), present(7),
            [.left(at: 80), came]),
        Case(
            "it left and came again while the counter wrapped around", present(0xFFFF), present(1),
            [.left(at: 80), came]),
        Case(
            "one came and went unseen", empty(4), empty(6),
            [.came(at: 90, atr: []), .left(at: 90)]),
        Case("another reader under the same name, empty", empty(6), empty(0), []),
        Case(
            "another reader under the same name, with a tag", present(6), present(0),
            [.left(at: 80), came]),
        Case("the reader is going", present(5), Flag.unknown | Flag.unavailable, [left]),
        Case("the driver fails", present(5), Flag.unavailable | 5 << 16, [left]),
        Case("the driver works again", Flag.unavailable, present(6), [came]),
        Case("the driver works again, nothing lies there", Flag.unavailable, empty(4), []),
    ]

    @Test("a change of state and counter tells what came and went", arguments: cases)
    func glimpses(expected: Case) {
        var before = ReaderStatus(name: "R")
        if let old = expected.old { before.update(event: old, atr: [0x3B]) }
        var after = before
        after.update(event: expected.new, atr: [0x3B])
        #expect(Glimpse.between(before, after, at: 90, lastSeen: 80) == expected.seen)
    }

    @Test("a tag that lies still and has no answer to reset any more has turned mute, once")
    func turnedMute() {
        var before = ReaderStatus(name: "R")
        before.update(event: Flag.present | 5 << 16, atr: [0x3B])
        var after = before
        after.update(event: Flag.present | Flag.mute | 5 << 16, atr: [])
        #expect(Glimpse.between(before, after, at: 90, lastSeen: 80) == [.turnedMute(at: 90)])
        #expect(Glimpse.between(after, after, at: 91, lastSeen: 91) == [])
    }
}
