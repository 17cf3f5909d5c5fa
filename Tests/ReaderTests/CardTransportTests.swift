import NFCForum
import ReaderKit
import Scanning
import Testing

@testable import PCSCReader

/// A tag on a reader that knows exactly which commands will come and fails on any other.
private final class ScriptedCard: APDUChannel {
    struct Exchange {
        let command: String
        let answer: Result<String, PCSCError>

        init(_ command: String, _ answer: String) {
            self.command = command
            self.answer = .success(answer)
        }

        init(_ command: String, fails code: UInt32) {
            self.command = command
            answer = .failure(PCSCError("SCardTransmit", reader: "R", code: PCSCCode(code)))
        }
    }

    private var rest: [Exchange]
    private(set) var strays: [String] = []

    init(_ exchanges: [Exchange]) {
        rest = exchanges
    }

    /// How many commands had been sent when the tag was to be kept from others.
    private(set) var keptAfter: Int?
    private var count = 0

    func keepToOurselves() {
        keptAfter = count
    }

    var isDone: Bool { rest.isEmpty && strays.isEmpty }

    func transmit(_ command: [UInt8]) throws(PCSCError) -> [UInt8] {
        let text = Hex.encode(command)
        guard let next = rest.first, next.command.compact == text else {
            strays.append(text)
            return []
        }
        rest.removeFirst()
        count += 1
        return Hex.decode(try next.answer.get().compact) ?? []
    }
}

extension String {
    fileprivate var compact: String { lowercased().filter { $0 != " " } }
}

@Suite("Tags through a reader's commands")
struct CardTransportTests {
    /// The ATR of a Type 2 tag.
    ///
    /// Source: PC/SC 2.01, part 3, supplement.
    private static let type2 = "3B8F8001804F0CA0000003060300030000000068"

    private func read(
        _ exchanges: [ScriptedCard.Exchange], atr: String = type2, limits: ReadLimits = .init()
    ) -> (outcome: Attempt.Outcome, limits: ReadLimits) {
        let card = ScriptedCard(exchanges)
        var transport = CardTransport(card, limits: limits)
        let outcome = transport.readTag(atr: Hex.decode(atr) ?? [])
        #expect(card.isDone, "unexpected: \(card.strays)")
        return (outcome, transport.limits)
    }

    private static let uid = ScriptedCard.Exchange("FFCA000000", "04A1B2C3D4E5F6 9000")
    private static let page3 = "E1101200 0310D101 0C540265 6E616263"
    private static let page7 = "64656667 68690000"

    private func report(
        _ contents: TagReport.Contents, technology: String? = "iso14443a", kind: String? = nil
    ) -> TagReport {
        TagReport(
            technology: technology, kind: kind, uid: [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6],
            contents: contents)
    }

    private static let message = Hex.decode("d1010c5402656e616263646566676869") ?? []

    @Test("a tag is read with the fewest commands, the last no longer than needed")
    func whole() {
        let result = read([
            Self.uid, .init("FFB0000310", "\(Self.page3) 9000"),
            .init("FFB0000708", "\(Self.page7) 9000"),
        ])
        #expect(result.outcome == .read(report(.ndef(Self.message))))
        #expect(result.limits == ReadLimits())
    }

    @Test("a reader that says which length is right gets it, and is remembered")
    func rightLength() {
        let result = read([
            Self.uid, .init("FFB0000310", "6C08"), .init("FFB0000308", "E1101200 0306D101 9000"),
            .init("FFB0000504", "02550078 9000"),
        ])
        #expect(result.outcome == .read(report(.ndef([0xD1, 0x01, 0x02, 0x55, 0x00, 0x78]))))
        #expect(result.limits.most == 8)
    }

    @Test("a reader that refuses a length gets half of it, and is remembered")
    func wrongLength() {
        let result = read([
            Self.uid, .init("FFB0000310", "6700"), .init("FFB0000308", "E1101200 0306D101 9000"),
            .init("FFB0000504", "02550078 9000"),
        ])
        #expect(result.outcome == .read(report(.ndef([0xD1, 0x01, 0x02, 0x55, 0x00, 0x78]))))
        #expect(result.limits.most == 8)
    }

    @Test("a reader that gives sixteen bytes alone is asked for them, and the rest is dropped")
    func longerThanNeeded() {
        let result = read([
            Self.uid, .init("FFB0000310", "\(Self.page3) 9000"), .init("FFB0000708", "6C10"),
            .init("FFB0000710", "\(Self.page7) 0000000000000000 9000"),
        ])
        #expect(result.outcome == .read(report(.ndef(Self.message))))
        #expect(result.limits.most == 16 && result.limits.least == 16)
        let again = read(
            [
                Self.uid, .init("FFB0000310", "\(Self.page3) 9000"),
                .init("FFB0000710", "\(Self.page7) 0000000000000000 9000"),
            ], limits: result.limits)
        #expect(again.outcome == result.outcome)
    }

    private func failure(
        _ outcome: Attempt.Outcome, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Attempt.Failure {
        guard case .failed(let failure) = outcome else {
            throw try #require(nil as (any Error)?, sourceLocation: sourceLocation)
        }
        return failure
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: String
        let reason: String
    }

    static let refused = [
        Refused(
            testDescription: "every error is 63 00", status: "6300",
            reason: "reading page 3 was answered by 6300"),
        Refused(
            testDescription: "a missing block", status: "6A82",
            reason: "reading page 3 was answered by 6A82"),
        Refused(
            testDescription: "6A 00 is no success", status: "6A00",
            reason: "reading page 3 was answered by 6A00"),
        Refused(
            testDescription: "no status word at all", status: "90",
            reason: "reading page 3 was answered by 6F00"),
        Refused(
            testDescription: "data with less than a page", status: "E110 9000",
            reason: "less than one page came back for page 3"),
    ]

    @Test(
        "a refused read fails with the page and the status word, and the UID is kept",
        arguments: refused)
    func refusal(expected: Refused) throws {
        let result = read([Self.uid, .init("FFB0000310", expected.status)])
        let failure = try failure(result.outcome)
        #expect(failure.trouble == .exchange)
        #expect(failure.reason == expected.reason)
        #expect(failure.report == report(.unreadable(expected.reason)))
        #expect(result.limits == ReadLimits())
    }

    @Test("only a refused read may be for its length alone")
    func readRefused() throws {
        let read = read([Self.uid, .init("FFB0000310", "6300")])
        #expect(try failure(read.outcome).isReadRefused)
        let uid = self.read([.init("FFCA000000", "6300")])
        #expect(try !failure(uid.outcome).isReadRefused)
    }

    @Test("a UID that can't be had now fails; one that can't be had at all is none")
    func missingUID() throws {
        let now = read([.init("FFCA000000", "6300")])
        #expect(try failure(now.outcome).reason == "reading the UID was answered by 6300")
        let never = read(
            [.init("FFCA000000", "6D00")], atr: "3BFF1300FF81318073")
        let expected = TagReport(
            technology: nil, kind: nil, uid: nil, contents: .unsupported("unknown"))
        #expect(never.outcome == .read(expected))
    }

    static let codes: [(UInt32, PCSCCode.Trouble)] = [
        (0x8010_0069, .tagGone), (0x8010_0016, .exchange), (0x8010_0068, .reset),
        (0x8010_000B, .held), (0x8010_001D, .service),
    ]

    @Test("a failed call is told with its meaning, and the UID is kept", arguments: codes)
    func failedCall(code: UInt32, trouble: PCSCCode.Trouble) throws {
        let result = read([Self.uid, .init("FFB0000310", fails: code)])
        let failure = try failure(result.outcome)
        #expect(failure.trouble == trouble)
        #expect(failure.reason.hasPrefix("SCardTransmit on R: "))
        #expect(failure.report.uid == [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6])
    }

    static let contents: [(String, TagReport.Contents)] = [
        ("00000000 00000000 00000000 00000000", .blank),
        ("E1101200 0300FE00 00000000 00000000", .blank),
        ("FFFF0000 00000000 00000000 00000000", .uidOnly),
        (
            "E1101200 03FFFFF0 00000000 00000000",
            .unreadable("a length on the tag goes beyond the tag's memory")
        ),
    ]

    @Test("a tag without a message is told as what it is, in two commands", arguments: contents)
    func withoutMessage(page3: String, contents: TagReport.Contents) {
        let result = read([Self.uid, .init("FFB0000310", "\(page3) 9000")])
        #expect(result.outcome == .read(report(contents)))
    }

    static let others: [(String, String?, String?, String)] = [
        (
            "3B8F8001804F0CA000000306030001000000006A", "iso14443a", "MIFARE Classic 1K",
            "mifareClassic"
        ),
        ("3B8F8001804F0CA00000030611003B0000000042", "felica", nil, "type3"),
        ("3B8F8001804F0CA0000003060B00140000000077", "iso15693", nil, "type5"),
    ]

    @Test("other kinds of tags are told with their UID and their type", arguments: others)
    func unsupported(atr: String, technology: String?, kind: String?, type: String) {
        let result = read([Self.uid], atr: atr)
        let expected = report(.unsupported(type), technology: technology, kind: kind)
        #expect(result.outcome == .read(expected))
    }

    // MARK: Tags that answer commands

    private static let application = "00A4040007D276000085010100"
    private static let container: [ScriptedCard.Exchange] = [
        uid, .init(application, "9000"), .init("00A4000C02E103", "9000"),
        .init("00B000000F", "000F20 003B 0034 0406 E104 0100 0000 9000"),
        .init("00A4000C02E104", "9000"),
    ]

    /// A DESFire's answer to reset, and one of eight historical bytes, as Type B cards have.
    static let isoDEP: [(String, String?)] = [
        ("3B8180018080", "iso14443a"), ("3B88800100000000F771850009", nil),
    ]

    @Test(
        "a Type 4 tag is read by its own commands, whatever technology it is of",
        arguments: isoDEP)
    func type4(atr: String, technology: String?) {
        let result = read(
            Self.container + [.init("00B000003B", "0006 D10102550078 9000")],
            atr: atr)
        let expected = report(
            .ndef([0xD1, 0x01, 0x02, 0x55, 0x00, 0x78]), technology: technology)
        #expect(result.outcome == .read(expected))
    }

    static let endings: [(rest: [(String, String)], contents: TagReport.Contents)] = [
        ([("00B000003B", "0000 9000")], .blank),
        (
            [("00B000003B", "00FF 9000")],
            .unreadable("a length on the tag goes beyond the tag's memory")
        ),
        ([("00B000003B", "6982")], .unreadable("the tag does not let everybody read it")),
    ]

    @Test("what a Type 4 tag holds in place of a message is told in words")
    func type4Endings() {
        for ending in Self.endings {
            let rest = ending.rest.map { ScriptedCard.Exchange($0.0, $0.1) }
            let result = read(Self.container + rest, atr: "3B8180018080")
            #expect(result.outcome == .read(report(ending.contents)))
        }
    }

    @Test("a phone without the application has its UID alone; without one it is not supported")
    func noApplication() {
        let selections: [ScriptedCard.Exchange] = [
            .init(Self.application, "6A82"), .init("00A4040007D276000085010000", "6A82"),
        ]
        let phone = read([Self.uid] + selections, atr: "3B80800101")
        #expect(phone.outcome == .read(report(.uidOnly)))
        let noUID = read([.init("FFCA000000", "9000")] + selections, atr: "3B80800101")
        let expected = TagReport(
            technology: "iso14443a", kind: nil, uid: nil, contents: .unsupported("noUID"))
        #expect(noUID.outcome == .read(expected))
    }

    @Test("a refused command fails with its name and the status word, and the UID is kept")
    func type4Refusal() throws {
        let reading = read(
            Self.container + [.init("00B000003B", "6300")], atr: "3B8180018080")
        let failure = try failure(reading.outcome)
        #expect(failure.reason == "reading byte 0 of a file was answered by 6300")
        #expect(failure.isReadRefused && failure.trouble == .exchange)
        #expect(failure.report.uid == [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6])
        let selecting = read(
            [Self.uid, .init(Self.application, "6300")], atr: "3B8180018080")
        #expect(try !self.failure(selecting.outcome).isReadRefused)
    }

    @Test("a tag that remembers what is selected is kept from others once its UID is known")
    func keptToOurselves() {
        for (atr, kept) in [("3B8180018080", 1), (Self.type2, nil)] as [(String, Int?)] {
            let card = ScriptedCard([Self.uid])
            var transport = CardTransport(card, limits: ReadLimits())
            _ = transport.readTag(atr: Hex.decode(atr) ?? [])
            #expect(card.keptAfter == kept)
        }
    }

    @Test("a call that fails when contents are read may be for the length alone")
    func failedRead() throws {
        let memory = read([Self.uid, .init("FFB0000310", fails: 0x8010_0016)])
        #expect(try failure(memory.outcome).isReadRefused)
        let file = read(
            Self.container + [.init("00B000003B", fails: 0x8010_0016)], atr: "3B8180018080")
        #expect(try failure(file.outcome).isReadRefused)
        let selection = read(
            [Self.uid, .init(Self.application, fails: 0x8010_0016)], atr: "3B8180018080")
        #expect(try !failure(selection.outcome).isReadRefused)
    }

    @Test("what the reader gives in one answer is learned from a Type 4 tag")
    func answerLimit() {
        let result = read(
            Self.container + [
                .init("00B000003B", "6700"), .init("00B000001E", "0006 D10102550078 9000"),
            ], atr: "3B8180018080")
        #expect(result.limits.answer == 30)
        #expect(result.limits.most == 16)
    }
}
