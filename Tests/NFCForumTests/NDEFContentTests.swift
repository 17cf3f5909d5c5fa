import NFCForum
import Scanning
import Testing

@Suite("What NDEF records mean")
struct NDEFContentTests {
    static func record(_ type: String, _ payload: [UInt8]) -> NDEFRecord {
        NDEFRecord(format: .wellKnown, type: Array(type.utf8), payload: payload)
    }

    static let uris: [(String, String?)] = [
        ("00 78", "x"), ("01 78", "http://www.x"), ("02 78", "https://www.x"),
        ("03 78", "http://x"), ("04 78", "https://x"), ("05 31", "tel:1"), ("06 61", "mailto:a"),
        ("07 78", "ftp://anonymous:anonymous@x"), ("0D 78", "ftp://x"), ("13 78", "urn:x"),
        ("1D 78", "file://x"), ("1E 78", "urn:epc:id:x"), ("22 78", "urn:epc:x"),
        ("23 78", "urn:nfc:x"), ("24 78", "x"), ("7F 78", "x"), ("FF 78", "x"),
        ("04", "https://"), ("", nil),
        // UTF-8, and bytes that are not: Latin-1.
        ("04 C3 A9 2E 62", "https://é.b"), ("04 E9 2E 62", "https://é.b"),
    ]

    @Test("a URI's first byte stands for a prefix, above 0x23 for none", arguments: uris)
    func uri(hex: String, text: String?) {
        #expect(Self.record("U", bytes(hex)).content == text.map(NDEFContent.uri))
    }

    static let texts: [(String, NDEFText?)] = [
        ("02 65 6E 68 69", NDEFText(text: "hi", language: "en")),
        ("05 64 65 2D 43 48 68 69", NDEFText(text: "hi", language: "de-CH")),
        ("00 68 69", NDEFText(text: "hi", language: "")),
        ("02 65 6E", NDEFText(text: "", language: "en")),
        // The reserved bit 6 is no part of the length.
        ("42 65 6E 68 69", NDEFText(text: "hi", language: "en")),
        // UTF-16: big-endian, big-endian with a mark, little-endian with a mark.
        ("82 65 6E 00 68 00 E9", NDEFText(text: "hé", language: "en")),
        ("82 65 6E FE FF 00 68 00 E9", NDEFText(text: "hé", language: "en")),
        ("82 65 6E FF FE 68 00 E9 00", NDEFText(text: "hé", language: "en")),
        ("82 65 6E D8 3D DE 00", NDEFText(text: "😀", language: "en")),
        // Half a unit, half a pair.
        ("82 65 6E 00 68 00", nil), ("82 65 6E D8 3D", nil),
        ("02 65", nil), ("3F 65 6E", nil), ("", nil),
        ("02 65 6E E9", NDEFText(text: "é", language: "en")),
    ]

    @Test("a text record is read in its encoding and language", arguments: texts)
    func text(hex: String, expected: NDEFText?) {
        #expect(Self.record("T", bytes(hex)).content == expected.map(NDEFContent.text))
    }

    @Test("a Smart Poster gives its URI and title")
    func smartPoster() throws {
        let message = try NDEFMessage(
            bytes(
                """
                D1 02 17 53 70 91 01 09 55 01 63 6E 6E 2E 63 6F 6D 2F
                51 01 06 54 02 65 6E 43 4E 4E
                """))
        let poster = SmartPoster(
            uri: "http://www.cnn.com/", titles: [NDEFText(text: "CNN", language: "en")])
        #expect(message.contents == [.smartPoster(poster)])
        #expect(poster.title == "CNN")
    }

    @Test("a Smart Poster's action and all its titles are read")
    func posterWithAction() {
        let payload = bytes(
            "91 01 02 55 00 78 11 01 03 54 01 64 61 11 01 03 54 01 65 62 51 03 01 61 63 74 02")
        let expected = SmartPoster(
            uri: "x",
            titles: [
                NDEFText(text: "a", language: "d"), NDEFText(text: "b", language: "e"),
            ], action: 2)
        #expect(SmartPoster(payload) == expected)
    }

    @Test("a Smart Poster says how large and of what type its object is; an icon is passed over")
    func posterWithEverything() {
        let icon = bytes("9A 09 02 01 696D6167652F706E67 69 8950")
        let payload =
            icon
            + bytes("11 01 09 54 02 64 65 54 69 74 65 6C 21 11 01 08 54 02 65 6E 54 69 74 6C 65")
            + bytes("11 03 01 61 63 74 00 11 01 04 73 00 01 02 03")
            + bytes("11 01 09 74 746578742F68746D6C 51 01 05 55 04 61 2E 62 2F")
        let poster = SmartPoster(payload)
        let titles = [
            NDEFText(text: "Titel!", language: "de"), NDEFText(text: "Title", language: "en"),
        ]
        let expected = SmartPoster(
            uri: "https://a.b/", titles: titles, action: 0, size: 0x0001_0203,
            mediaType: "text/html")
        #expect(poster == expected)
        #expect(poster?.title == "Titel!")
    }

    @Test(
        "a Smart Poster without a URI, malformed, or with a poster for contents means nothing",
        arguments: [
            "", "D1 01 03 54 01 65 62", "D1 01 09 55 04", "D1 02 06 53 70 D1 01 02 55 00 78",
        ])
    func posterWithoutURI(hex: String) {
        #expect(Self.record("Sp", bytes(hex)).content == nil)
    }

    @Test("an absolute URI stands in the type")
    func absoluteURI() throws {
        let uri = "https://a.example/"
        let message = try NDEFMessage([0xD3, UInt8(uri.utf8.count), 0] + Array(uri.utf8))
        #expect(message.contents == [.absoluteURI(uri)])
    }

    @Test("records that are neither address nor text mean nothing")
    func others() {
        let records = [
            NDEFRecord(format: .external, type: Array("android.com:pkg".utf8), payload: [0x61]),
            NDEFRecord(format: .media, type: Array("text/vcard".utf8), payload: [0x61]),
            NDEFRecord(format: .unknown, type: [], payload: [0x61]),
            NDEFRecord(format: .reserved, type: [0x55], payload: [0x00, 0x78]),
            NDEFRecord(format: .absoluteURI, type: []),
            NDEFRecord(format: .wellKnown, type: Array("Hs".utf8), payload: [0x12]),
        ]
        #expect(NDEFMessage(records: records).contents.isEmpty)
    }
}

@Suite("Which record of a message counts")
struct NDEFChoiceTests {
    private static func uri(_ text: String) -> NDEFRecord {
        NDEFContentTests.record("U", [0] + Array(text.utf8))
    }

    private static func text(_ text: String) -> NDEFRecord {
        NDEFContentTests.record("T", [0] + Array(text.utf8))
    }

    private static func poster(_ text: String) -> NDEFRecord {
        let uri = Array(text.utf8)
        return NDEFContentTests.record(
            "Sp", [0xD1, 0x01, UInt8(uri.count + 1), 0x55, 0x00] + uri)
    }

    private static func absolute(_ text: String) -> NDEFRecord {
        NDEFRecord(format: .absoluteURI, type: Array(text.utf8))
    }

    private static let package = NDEFRecord(
        format: .external, type: Array("android.com:pkg".utf8), payload: Array("a.b".utf8))

    static let messages: [([NDEFRecord], String?)] = [
        ([], nil),
        ([package], nil),
        ([uri("a:1"), package, package], "a:1"),
        ([uri("a:1"), uri("a:2")], "a:1"),
        ([uri("a:1"), poster("a:2")], "a:2"),
        ([absolute("a:1"), uri("a:2")], "a:2"),
        ([text("http://a"), absolute("a:2")], "a:2"),
        ([text("hello"), text(" https://a ")], " https://a "),
        ([text("hello"), text("world")], "hello"),
        ([poster("a:1"), uri("a:2"), text("ours:3")], "ours:3"),
        ([uri("ours:1"), uri("ours:2")], "ours:1"),
        ([text("see https://a"), text("x://b")], "x://b"),
        ([text("1x://a"), text("://"), text("y://b")], "y://b"),
    ]

    @Test(
        "one of ours wherever it stands, else poster, URI, absolute URI, text with a URL, text",
        arguments: messages)
    func choice(records: [NDEFRecord], expected: String?) {
        let message = NDEFMessage(records: records)
        let chosen = message.chosen { $0.hasPrefix("ours:") }
        #expect(chosen?.text == expected)
    }
}
