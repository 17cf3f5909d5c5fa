import LineProtocols
import Scanning
import Testing

@testable import Station

@Suite("What a reader's report means")
struct NormaliserTests {
    private let normaliser = Normaliser(hosts: ["s.plings.io"])

    /// What a reader reports, in a form that reads well in a table.
    struct Report: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var ndef: [Record]?
        var ndefHex: String?
        var payload: String?
        var uid: String? = "04a1b2c3d4e5f6"
        var problem: ReaderMessage.Problem?
        var unrecognised: Unrecognised?
        var content: String?

        var arrival: ReaderMessage.Arrival {
            var arrival = ReaderMessage.Arrival(
                device: "usb-1", token: "t", medium: "nfc", bootNanoseconds: 1)
            arrival.technology = payload == nil ? "iso14443a" : nil
            arrival.uid = uid
            arrival.ndef = ndefHex ?? ndef.map { Hex.encode(Record.message($0)) }
            arrival.payload = payload.map { Hex.encode(Array($0.utf8)) }
            arrival.problem = problem
            return arrival
        }
    }

    private static let url = Sample.url()
    private static let broken = "https://s.plings.io/?t=n&i=0OIl&p=1"
    private static let foreign = "https://example.org/4K7mX9"

    // MARK: Identifiers

    private static let identifierCases: [Report] = [
        Report(testDescription: "alone", ndef: [.uri(url)]),
        Report(testDescription: "behind a foreign URL", ndef: [.uri(foreign), .uri(url)]),
        Report(testDescription: "behind a broken one", ndef: [.uri(broken), .uri(url)]),
        Report(
            testDescription: "before records of Android",
            ndef: [.uri(url), .external("android.com:pkg", "io.plings")]),
        Report(testDescription: "in a text", ndef: [.uri(foreign), .text(url)]),
        Report(testDescription: "in a Smart Poster", ndef: [.poster(url)]),
        Report(testDescription: "in a code", payload: url, uid: nil),
        Report(
            testDescription: "in a code with a mark and a line end",
            payload: "\u{FEFF}\(url)\r\n", uid: nil),
    ]

    @Test(
        "a tag URL is found wherever it stands",
        arguments: identifierCases)
    func identifier(_ report: Report) {
        let reading = normaliser.read(report.arrival)
        #expect(reading.identifier == Sample.identifier())
        #expect(reading.unrecognised == nil)
        #expect(reading.content == nil, "what is ours is shown as the identifier alone")
    }

    // MARK: Reasons

    @Test(
        "every scan without an identifier has its reason",
        arguments: [
            Report(testDescription: "blank says the reader", problem: .blank, unrecognised: .blank),
            Report(testDescription: "no bytes at all", ndefHex: "", unrecognised: .blank),
            Report(testDescription: "one empty record", ndefHex: "d00000", unrecognised: .blank),
            Report(
                testDescription: "another's URL", ndef: [.uri(foreign)], unrecognised: .foreign,
                content: foreign),
            Report(
                testDescription: "another's text", ndef: [.text("hello")], unrecognised: .foreign,
                content: "hello"),
            Report(
                testDescription: "nothing that is text", ndef: [.external("a:b", "c")],
                unrecognised: .foreign),
            Report(
                testDescription: "our host without a key", ndef: [.uri(broken)],
                unrecognised: .malformed, content: broken),
            Report(
                testDescription: "ours and broken behind a foreign one",
                ndef: [.uri(foreign), .uri(broken)], unrecognised: .malformed, content: broken),
            Report(
                testDescription: "a code in capitals",
                payload: url.uppercased(), uid: nil, unrecognised: .malformed,
                content: url.uppercased()),
            Report(
                testDescription: "unsupported says the reader", problem: .unsupported,
                unrecognised: .unsupported),
            Report(testDescription: "no UID and no bytes", uid: nil, unrecognised: .unsupported),
            Report(
                testDescription: "unreadable says the reader", problem: .unreadable,
                unrecognised: .unreadable),
            Report(
                testDescription: "unreadable counts before bytes that came all the same",
                ndef: [.uri(url)], problem: .unreadable, unrecognised: .unreadable),
            Report(
                testDescription: "a length that lies", ndefHex: "d101ff5504",
                unrecognised: .unreadable),
            Report(testDescription: "no hexadecimal", ndefHex: "d1x", unrecognised: .unreadable),
            Report(testDescription: "a UID alone", unrecognised: .uidOnly),
            Report(testDescription: "no UID of any use", uid: "", unrecognised: .unsupported),
            Report(testDescription: "a UID of zeros", uid: "00000000", unrecognised: .unsupported),
        ])
    func reason(_ report: Report) {
        let reading = normaliser.read(report.arrival)
        #expect(reading.unrecognised == report.unrecognised)
        #expect(reading.identifier == nil)
        #expect(reading.content == report.content)
    }

    @Test("the bytes of a code count as UTF-8 where they are that, else as Latin-1")
    func bytes() {
        var arrival = Report(testDescription: "", payload: "Grön", uid: nil).arrival
        #expect(normaliser.read(arrival).content == "Grön")
        arrival.payload = "4772f66e"
        #expect(normaliser.read(arrival).content == "Grön")
        arrival.payload = "b8d690af"
        #expect(normaliser.read(arrival).content == "\u{b8}\u{d6}\\u0090\u{af}")
    }

    // MARK: Contents

    @Test("control characters in foreign contents are written out")
    func controls() {
        let text = "a\u{0}b\u{1b}[31mc\u{7f}d\u{9b}e\n"
        let reading = normaliser.read(text: text)
        #expect(reading.content == "a\\u0000b\\u001b[31mc\\u007fd\\u009be\\u000a")
        let ours = normaliser.read(text: "\(Self.url)\u{1b}x")
        #expect(ours.unrecognised == .malformed)
        #expect(ours.content == "\(Self.url)\\u001bx")
    }

    @Test("of foreign contents 2 KiB are published, cut between characters")
    func limit() throws {
        let limit = Normaliser.contentLimit
        let fits = String(repeating: "x", count: limit)
        #expect(normaliser.read(text: fits).content == fits)
        #expect(normaliser.read(text: fits + "y").content == fits)
        let wide = String(repeating: "x", count: limit - 1) + "ö"
        #expect(normaliser.read(text: wide).content == String(fits.dropLast()))
        let escaped = String(repeating: "\u{1}", count: limit + 1)
        let content = try #require(normaliser.read(text: escaped).content)
        #expect(content == String(repeating: "\\u0001", count: limit), "2 KiB as received")
    }

    // MARK: The tag itself

    @Test("what is known of the tag goes along, whatever is on it")
    func tag() {
        var arrival = Report(testDescription: "", ndef: [.uri(Self.url)]).arrival
        arrival.kind = "NTAG213"
        arrival.uidRandom = true
        let tag = Tag(
            technology: "iso14443a", kind: "NTAG213", uid: "04a1b2c3d4e5f6", uidRandom: true)
        #expect(normaliser.read(arrival).tag == tag)
        arrival.problem = .unreadable
        #expect(normaliser.read(arrival).tag == tag)
    }

    @Test("a code is a barcode where the reader does not say", arguments: [nil, "felica"])
    func technology(_ said: String?) {
        var arrival = Report(testDescription: "", payload: Self.url, uid: nil).arrival
        arrival.technology = said
        #expect(normaliser.read(arrival).tag?.technology == said ?? "barcode")
    }

    @Test("an empty UID and one of zeros are left out", arguments: ["", "00000000", "00"])
    func noUID(_ uid: String) {
        var arrival = Report(testDescription: "", ndef: [.uri(Self.url)], uid: uid).arrival
        let bare = Tag(technology: "iso14443a", kind: nil, uid: nil, uidRandom: nil)
        #expect(normaliser.read(arrival).tag == bare)
        arrival.technology = nil
        #expect(normaliser.read(arrival).tag == nil)
    }

    @Test("what a program submits is read like a code, without a tag")
    func submitted() {
        #expect(normaliser.read(text: Self.url).identifier == Sample.identifier())
        #expect(normaliser.read(text: " \(Self.url)\n").identifier == Sample.identifier())
        #expect(normaliser.read(text: "").unrecognised == .foreign)
        #expect(normaliser.read(text: Self.url).tag == nil)
    }
}
