import NFCForum
import Scanning
import Testing

/// The commands of every Type 4 Tag, and what it should answer.
private enum Say {
    static let application = ("00A4040007D276000085010100", "9000")
    static let containerFile = ("00A4000C02E103", "9000")
    static let container = ("00B000000F", "000F20 00FF 0034 0406 E104 0100 00 00 9000")
    static let file = ("00A4000C02E104", "9000")
    static let start = [application, containerFile, container, file]
    /// A URI record of six bytes, with its length.
    static let message = "0006 D10102550078"
}

@Suite("Type 4 tags")
struct Type4TagTests {
    static let limit = 24 * 1024

    private func read(
        _ script: [(String, String)], answerLimit: Int = 256
    ) throws -> Type4Reader.Outcome {
        var tag = ScriptedCommands(script, answerLimit: answerLimit)
        let outcome = try Type4Reader.read(over: &tag, messageLimit: Self.limit)
        #expect(tag.rest.isEmpty, "not asked: \(tag.rest)")
        return outcome
    }

    private static let record: [UInt8] = [0xD1, 0x01, 0x02, 0x55, 0x00, 0x78]

    @Test("a message that fits into one answer takes five commands")
    func fiveCommands() throws {
        let outcome = try read(Say.start + [("00B00000FF", "\(Say.message) 9000")])
        #expect(outcome == .ndef(Self.record))
    }

    struct Length: Sendable, CustomTestStringConvertible {
        let message: Int
        let maximumRead: Int
        let commands: Int
        var isExtended = false
        var testDescription: String { "\(message) bytes, \(maximumRead) at a time" }
    }

    /// The container and its like take four commands; the rest is one for each answer that the
    /// length and the message fill.
    static let lengths = [
        Length(message: 1, maximumRead: 255, commands: 5),
        Length(message: 67, maximumRead: 255, commands: 5),
        Length(message: 253, maximumRead: 255, commands: 5),
        Length(message: 254, maximumRead: 255, commands: 6),
        Length(message: 254, maximumRead: 256, commands: 5),
        Length(message: 254, maximumRead: 0xFFFF, commands: 5),
        Length(message: 57, maximumRead: 59, commands: 5),
        Length(message: 58, maximumRead: 59, commands: 6),
        Length(message: 67, maximumRead: 59, commands: 6),
        Length(message: 13, maximumRead: 15, commands: 5),
        Length(message: 67, maximumRead: 15, commands: 9),
        Length(message: 2_000, maximumRead: 255, commands: 12),
        Length(message: 24 * 1024, maximumRead: 255, commands: 101),
        // One read more for the container, two bytes more for the length.
        Length(message: 67, maximumRead: 255, commands: 6, isExtended: true),
        Length(message: 251, maximumRead: 255, commands: 6, isExtended: true),
        Length(message: 252, maximumRead: 255, commands: 7, isExtended: true),
        Length(message: 24 * 1024, maximumRead: 256, commands: 102, isExtended: true),
    ]

    @Test("no more commands than the tag's own lengths need", arguments: lengths)
    func commandCount(length: Length) throws {
        let message = (0..<length.message).map { UInt8($0 & 0xFF) }
        var tag = FileTag(
            message: message, maximumRead: length.maximumRead, isExtended: length.isExtended)
        let outcome = try Type4Reader.read(over: &tag, messageLimit: Self.limit)
        #expect(outcome == .ndef(message))
        #expect(tag.commands.count == length.commands)
    }

    @Test("a file that is shorter than one answer is not read beyond its end")
    func shortFile() throws {
        var tag = FileTag(message: Self.record, size: 10)
        #expect(
            try Type4Reader.read(over: &tag, messageLimit: Self.limit) == .ndef(Self.record))
        #expect(tag.commands.last == "00b000000a")
    }

    @Test("a tag of mapping version 1 is found with one selection more")
    func version1() throws {
        let outcome = try read([
            ("00A4040007D276000085010100", "6A82"), ("00A4040007D276000085010000", "9000"),
            ("00A4000002E103", "9000"), ("00B000000F", "000F10 003B 0034 0406 E104 0040 0000 9000"),
            ("00A4000002E104", "9000"), ("00B000003B", "\(Say.message) 9000"),
        ])
        #expect(outcome == .ndef(Self.record))
    }

    @Test(
        "a tag that knows neither application has none, whatever it says to that",
        arguments: ["6A82", "6D00", "6E00", "6999", "6A86", "9404", "6985"])
    func noApplication(status: String) throws {
        let outcome = try read([
            ("00A4040007D276000085010100", status), ("00A4040007D276000085010000", status),
        ])
        #expect(outcome == .noApplication)
    }

    // MARK: Nothing there, nothing to be had

    private static let readFile = "00B00000FF"
    private static let zeros = "0000000000 0000000000 0000000000"

    static let outcomes: [(name: String, rest: [(String, String)], outcome: Type4Reader.Outcome)] =
        [
            ("an empty message", [(readFile, "0000 0000000000 9000")], .blank),
            ("a length beyond the file", [(readFile, "00FF D101 9000")], .faulty(.lyingLength)),
            ("a length of all ones", [(readFile, "FFFF D101 9000")], .faulty(.lyingLength)),
            ("a read that needs a key", [(readFile, "6982")], .protected),
        ]

    @Test("what the first bytes of the file say is taken at its word, and nothing more is read")
    func outcomes() throws {
        for row in Self.outcomes {
            let outcome = try read(Say.start + row.rest)
            #expect(outcome == row.outcome, "\(row.name)")
        }
    }

    @Test("an application without its files, or with an empty container, is blank")
    func nothingWritten() throws {
        let noContainer = try read([Say.application, ("00A4000C02E103", "6A82")])
        #expect(noContainer == .blank)
        let empty = try read([
            Say.application, Say.containerFile, ("00B000000F", "\(Self.zeros) 9000"),
        ])
        #expect(empty == .blank)
        let noFile = try read([
            Say.application, Say.containerFile, Say.container, ("00A4000C02E104", "6A82"),
        ])
        #expect(noFile == .blank)
    }

    static let containers: [(String, Type4Reader.Outcome)] = [
        // Cut off; a length, a read length below 15; no file control; a file control of another
        // length; a reserved file; a file without room.
        ("000F20 00FF 0034 0406 E104", .faulty(.container)),
        ("000E20 00FF 0034 0406 E104 0100 0000", .faulty(.container)),
        ("000F20 000E 0034 0406 E104 0100 0000", .faulty(.container)),
        ("000F20 0000 0034 0406 E104 0100 0000", .faulty(.container)),
        ("000F20 00FF 0034 0506 E104 0100 0000", .faulty(.container)),
        ("000F20 00FF 0034 0408 E104 0100 0000", .faulty(.container)),
        ("000F20 00FF 0034 0406 E103 0100 0000", .faulty(.container)),
        ("000F20 00FF 0034 0406 0000 0100 0000", .faulty(.container)),
        ("000F20 00FF 0034 0406 E104 0002 0000", .faulty(.container)),
        // An Extended NDEF file in a container that has no room for one.
        ("000F30 00FF 0034 0608 E104 0000 0100", .faulty(.container)),
        // Nobody may read, or only who has a key.
        ("000F20 00FF 0034 0406 E104 0100 FF00", .protected),
        ("000F20 00FF 0034 0406 E104 0100 80FF", .protected),
        // Versions to come, and none.
        ("000F40 00FF 0034 0406 E104 0100 0000", .unknownVersion),
        ("000F00 00FF 0034 0406 E104 0100 0000", .unknownVersion),
    ]

    @Test("a container that can't be used says why, in three commands", arguments: containers)
    func container(hex: String, outcome: Type4Reader.Outcome) throws {
        #expect(
            try read([Say.application, Say.containerFile, ("00B000000F", "\(hex) 9000")])
                == outcome)
    }

    @Test("an Extended NDEF file's control is read with one command more, and checked")
    func extendedContainer() throws {
        let start = [
            Say.application, Say.containerFile,
            ("00B000000F", "001130 00FF 0034 0608 E104 00000100 9000"),
        ]
        #expect(try read(start + [("00B0000F02", "8000 9000")]) == .protected)
        #expect(try read(start + [("00B0000F02", "00 9000")]) == .faulty(.container))
        let file = [("00B0000F02", "0000 9000"), Say.file]
        let whole = try read(
            start + file + [("00B00000FF", "00000006 D10102550078 9000")])
        #expect(whole == .ndef(Self.record))
        for length in ["FFFFFFFF", "000000FD"] {
            let lie = try read(start + file + [("00B00000FF", "\(length) D101 9000")])
            #expect(lie == .faulty(.lyingLength))
        }
    }

    @Test("a message that is too long to be of use is not read")
    func tooLong() throws {
        var tag = FileTag(message: [UInt8](repeating: 0, count: 101), maximumRead: 59)
        #expect(try Type4Reader.read(over: &tag, messageLimit: 100) == .tooLong)
        #expect(tag.commands.count == 5)
    }

    // MARK: Lengths that are refused, and answers in parts

    @Test("another length that the tag asks for is given")
    func rightLength() throws {
        let outcome = try read(
            Say.start + [("00B00000FF", "6C08"), ("00B0000008", "\(Say.message) 9000")])
        #expect(outcome == .ndef(Self.record))
    }

    @Test("a tag that asks for ever other lengths is given up after five exchanges")
    func neverRight() {
        let always = (0..<4).map { _ in ("00B00000FF", "6CFF") }
        var tag = ScriptedCommands(
            [Say.application, Say.containerFile, ("00B000000F", "6CFF")] + always)
        #expect(throws: Type4Refusal.self) {
            try Type4Reader.read(over: &tag, messageLimit: Self.limit)
        }
        #expect(tag.rest.isEmpty)
    }

    @Test("an answer that is kept back is fetched, and one to a selection left alone")
    func fetched() throws {
        let outcome = try read(
            [("00A4040007D276000085010100", "6110"), ("00A4000C02E103", "6115")]
                + Say.start[2...] + [
                    ("00B00000FF", "6108"), ("00C0000008", "0006 D101 6104"),
                    ("00C0000004", "02550078 9000"),
                ])
        #expect(outcome == .ndef(Self.record))
        var tag = FileTag(message: [UInt8](repeating: 7, count: 300), maximumRead: 59)
        tag.keepsAnswers = true
        let whole = try Type4Reader.read(over: &tag, messageLimit: Self.limit)
        #expect(whole == .ndef([UInt8](repeating: 7, count: 300)))
        // The container and six parts of the file are fetched.
        #expect(tag.commands.count == 4 + 6 + 7)
    }

    @Test(
        "a reader with room for less is asked for less, and that is remembered",
        arguments: [(254, 254), (200, 126), (62, 62), (61, 30), (15, 15)])
    func smallReader(limit: Int, learned: Int) throws {
        let message = [UInt8](repeating: 7, count: 400)
        var tag = FileTag(message: message)
        tag.readerLimit = limit
        let first = try Type4Reader.read(over: &tag, messageLimit: Self.limit)
        #expect(first == .ndef(message))
        #expect(tag.answerLimit == learned)
        let before = tag.commands.count
        let again = try Type4Reader.read(over: &tag, messageLimit: Self.limit)
        #expect(again == .ndef(message))
        #expect(tag.commands.count - before == 4 + (402 + learned - 1) / learned)
    }

    @Test("a tag that knows no read but that of the length is asked for it alone")
    func lengthAlone() throws {
        let outcome = try read(
            Say.start + [
                ("00B00000FF", "6A86"), ("00B0000002", "0006 9000"),
                ("00B0000206", "D10102550078 9000"),
            ])
        #expect(outcome == .ndef(Self.record))
    }

    @Test("a warning that the file has ended leaves what came, and the rest is asked for")
    func endOfFile() throws {
        let outcome = try read(
            Say.start + [
                ("00B00000FF", "0006 D101 6282"), ("00B0000404", "02550078 6282"),
            ])
        #expect(outcome == .ndef(Self.record))
    }

    @Test("more bytes than were asked for are ignored")
    func tooMany() throws {
        var tag = ScriptedCommands(
            Say.start + [
                ("00B000000F", "0010 D1010C550078787878 787878 AAAAAA 9000"),
                ("00B0000F03", "797979 BBBBBB 9000"),
            ], answerLimit: 15)
        let outcome = try Type4Reader.read(over: &tag, messageLimit: Self.limit)
        let expected = bytes("D1010C550078787878 787878 AA 797979")
        #expect(outcome == .ndef(expected))
    }

    // MARK: Refusals

    static let refusals: [(rest: [(String, String)], words: String)] = [
        (
            [("00A4040007D276000085010100", "6300")],
            "selecting the NDEF application was answered by 6300"
        ),
        (
            [("00A4040007D276000085010100", "90")],
            "selecting the NDEF application was answered by 6F00"
        ),
        (
            [Say.application, ("00A4000C02E103", "6A86")],
            "selecting the capability container was answered by 6A86"
        ),
        (
            [Say.application, Say.containerFile, ("00B000000F", "6B00")],
            "reading byte 0 of a file was answered by 6B00"
        ),
        (
            [Say.application, Say.containerFile, Say.container, ("00A4000C02E104", "6300")],
            "selecting the NDEF file was answered by 6300"
        ),
        (
            Say.start + [(readFile, "0006 D101 9000"), ("00B0000404", "6300")],
            "reading byte 4 of a file was answered by 6300"
        ),
        (
            Say.start + [(readFile, "0006 D101 9000"), ("00B0000404", "9000")],
            "reading byte 4 of a file brought nothing"
        ),
    ]

    @Test("a command that is not carried out is named with the answer")
    func refusals() throws {
        for row in Self.refusals {
            var tag = ScriptedCommands(row.rest)
            do {
                _ = try Type4Reader.read(over: &tag, messageLimit: Self.limit)
                Issue.record("read: \(row.words)")
            } catch let refusal as Type4Refusal {
                #expect("\(refusal)" == row.words)
            }
        }
    }

    @Test("the transport's own error comes through")
    func transportError() {
        var tag = ScriptedCommands([])
        #expect(throws: ScriptedCommands.Unexpected(command: "00a4040007d276000085010100")) {
            try Type4Reader.read(over: &tag, messageLimit: Self.limit)
        }
    }

    @Test("a tag that gives its contents byte by byte is given up, and the words say why")
    func tooManyCommands() throws {
        var tag = DrippingTag()
        do {
            _ = try Type4Reader.read(over: &tag, messageLimit: 1_000)
            Issue.record("read")
        } catch let refusal as Type4Refusal {
            #expect("\(refusal)".hasSuffix("came after more commands than the message can need"))
        }
        #expect(tag.commands == Type4Reader.commandLimit(messageLimit: 1_000))
        #expect(tag.commands == 48 + 2 * 67)
    }
}

/// A tag that answers every read of its file with one byte of it.
private struct DrippingTag: TagCommandTransport {
    var answerLimit = 256
    private(set) var commands = 0

    mutating func transmit(_ command: [UInt8]) -> [UInt8] {
        commands += 1
        guard command[1] == 0xB0 else { return [0x90, 0x00] }
        if command[4] == 0x0F { return bytes("000F20 00FF 0034 0406 E104 1000 0000 9000") }
        // The length is 03 03.
        return [0x03, 0x90, 0x00]
    }
}
