import LineProtocols
import Scanning
import TestRig
import Testing

/// Every kind of tag that can be read on every kind of reader, with the commands that it takes.
@Suite("Reader models on a real pcscd", .serialized)
struct ReaderModelTests {
    /// A tag with a message of some length, and how many commands reading it takes.
    struct Row: Sendable {
        let kind: String
        let length: Int
        var more = ""
        let commands: Int

        var message: [UInt8] {
            let payload = (0..<(length - 6)).map { UInt8($0 & 0xFF) }
            return [0xC5, 0x00, 0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
                + payload
        }

        var tag: String {
            #"{"kind":"\#(kind)","ndef_hex":"\#(Hex.encode(message))"\#(more)}"#
        }
    }

    /// The UID is one command.
    ///
    /// Type 2: the container comes with 12 bytes of the blocks, then each
    /// read brings 16. Type 4: four commands up to the file, then as much as MLe allows at a time.
    static let rows = [
        Row(kind: "ultralight", length: 40, commands: 2 + 2),
        Row(kind: "ntag213", length: 65, commands: 2 + 4),
        Row(kind: "ntag213", length: 65, more: #","pre":["lock"]"#, commands: 2 + 4),
        Row(kind: "ntag215", length: 480, commands: 2 + 30),
        Row(kind: "ntag216", length: 860, commands: 2 + 54),
        Row(kind: "type4", length: 65, commands: 5 + 2),
        Row(kind: "type4", length: 65, more: #","mle":255"#, commands: 5 + 1),
        Row(kind: "type4", length: 300, more: #","mle":255"#, commands: 5 + 2),
        Row(kind: "type4b", length: 65, commands: 5 + 2),
        Row(kind: "type4b", length: 300, more: #","mle":255"#, commands: 5 + 2),
        Row(kind: "desfire", length: 100, commands: 5 + 2),
        Row(kind: "type4", length: 65, more: #","extended":true,"mle":255"#, commands: 6 + 1),
        Row(kind: "type4", length: 65, more: #","v1":true"#, commands: 6 + 2),
    ]

    /// What a model costs more than that.
    struct Model: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Commands that a row (by its number) takes more the first time, while the reader shows
        /// what it gives, and ever after.
        var first: [Int: Int] = [:]
        var always: [Int: Int] = [:]
    }

    static let models = [
        Model(testDescription: "acr122u"),
        Model(testDescription: "omnikey"),
        Model(testDescription: "identiv"),
        // The first read shorter than 16 bytes is refused with the right length, once for all.
        Model(testDescription: "whole16", first: [1: 1]),
        // A Type 4 tag would give 255 bytes: of 255, 254, 126 and 62 the last is taken, and kept to.
        Model(
            testDescription: "limited64", first: [6: 3], always: [6: 1, 7: 3, 9: 3, 11: 1]),
    ]

    @Test("each tag is read whole, with no more commands than the table says", arguments: models)
    func commands(model: Model) async throws {
        let rig = try await Rig([model.testDescription])
        for isFirst in [true, false] {
            for (number, row) in Self.rows.enumerated() {
                let arrival = try await rig.tap(row.tag)
                #expect(arrival.ndef == Hex.encode(row.message), "\(row.tag)")
                #expect(arrival.uid != nil && arrival.problem == nil)
                var commands = row.commands + (model.always[number] ?? 0)
                if isFirst { commands += model.first[number] ?? 0 }
                #expect(rig.lastCommands == commands, "\(row.tag)")
            }
        }
        #expect(rig.program.counts.arrivals == 2 * Self.rows.count)
    }

    @Test("what a reader has shown is remembered while it is unplugged")
    func replugged() async throws {
        let rig = try await Rig(["limited64"])
        let row = Self.rows[7]
        #expect(try await rig.tap(row.tag).ndef == Hex.encode(row.message))
        #expect(rig.lastCommands == 5 + 3 + 5)
        try await rig.readers.unplug(rig.port)
        _ = try await rig.program.device(.disconnected)
        try await rig.readers.plug(rig.port, "limited64")
        _ = try await rig.program.device(.ready)
        #expect(try await rig.tap(row.tag).ndef == Hex.encode(row.message))
        #expect(rig.lastCommands == 5 + 5)
    }
}
