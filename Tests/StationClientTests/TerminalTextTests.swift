import LineProtocols
import Testing

@testable import StationClient

@Suite("Text for a terminal")
struct TerminalTextTests {
    /// A dangerous text, which the test's own report must not print.
    struct Sample: Sendable, CustomTestStringConvertible {
        let text: String
        let shown: String

        init(_ text: String, _ shown: String) {
            self.text = text
            self.shown = shown
        }

        var testDescription: String { shown }
    }

    private static let escapesCases: [Sample] = [
        Sample("plain text åäö 漢字", "plain text åäö 漢字"),
        Sample("\u{1B}[2J", #"\u001b[2J"#),
        Sample("a\nb\r\tc\u{0}\u{7F}", #"a\u000ab\u000d\u0009c\u0000\u007f"#),
        Sample("\u{9B}31m\u{85}", #"\u009b31m\u0085"#),
        Sample("\u{202E}gpj.exe\u{2066}\u{200F}", #"\u202egpj.exe\u2066\u200f"#),
        Sample("a\u{2028}b\u{2029}c", #"a\u2028b\u2029c"#),
        Sample("\u{FEFF}\u{200B}\u{AD}", #"\ufeff\u200b\u00ad"#),
        Sample("\u{E0041}", #"\ue0041"#),
        // A family needs its joiners.
        Sample("👩\u{200D}👧", "👩\u{200D}👧"),
        Sample(#"\u001b"#, #"\u001b"#),
    ]

    @Test(
        "what could do something is escaped, the rest stays",
        arguments: escapesCases)
    func escapes(sample: Sample) {
        #expect(TerminalText.escape(sample.text) == sample.shown)
    }

    @Test("a long text is cut and shows it")
    func cut() {
        #expect(TerminalText.escape("abcdef", limit: 6) == "abcdef")
        #expect(TerminalText.escape("abcdefg", limit: 6) == "abcdef…")
        let marks = "a" + String(repeating: "\u{301}", count: 1000)
        #expect(TerminalText.escape(marks, limit: 10).unicodeScalars.count == 11)
    }

    @Test("JSON on a terminal says the same and has nothing that does something")
    func json() throws {
        let line = "{\"a\" :\t\"x\u{9B}\u{202E}\u{E0041}\u{7F}å\",\r\"b\":\"\\u001b\"}"
        let shown = TerminalText.escapeJSON(Array(line.utf8))
        let text = #"{"a" : "x\u009b\u202e\udb40\udc41\u007få", "b":"\u001b"}"#
        #expect(String(decoding: shown, as: UTF8.self) == text)
        let before = try JSONLine.decode(JSONValue.self, from: Array(line.utf8))
        #expect(try JSONLine.decode(JSONValue.self, from: shown) == before)
    }
}

@Suite("Colours")
struct PaintTests {
    @Test(
        "are for terminals whose person has not declined them",
        arguments: [
            (Paint.Choice.auto, [:], true, true),
            (.auto, [:], false, false),
            (.auto, ["NO_COLOR": "1"], true, false),
            (.auto, ["NO_COLOR": ""], true, true),
            (.auto, ["TERM": "dumb"], true, false),
            (.always, ["NO_COLOR": "1", "TERM": "dumb"], false, true),
            (.never, [:], true, false),
        ] as [(Paint.Choice, [String: String], Bool, Bool)])
    func choice(
        choice: Paint.Choice, environment: [String: String], isTerminal: Bool, isColoured: Bool
    ) {
        let paint = Paint(choice, environment: environment, isTerminal: isTerminal)
        #expect(paint("x", .bad) == (isColoured ? "\u{1B}[31mx\u{1B}[0m" : "x"))
        #expect(paint("x", nil) == "x")
    }
}

@Suite("Numbers in plain words")
struct PlainWordsTests {
    @Test(
        "spans have at most two units",
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 min"), (185, "3 min 5 s"), (7200, "2 h"),
            (7384, "2 h 3 min"), (273_600, "3 d 4 h"), (86_405, "1 d"), (-5, "0 s"),
        ] as [(Int64, String)])
    func spans(seconds: Int64, text: String) {
        #expect(PlainWords.span(seconds: seconds) == text)
    }

    @Test(
        "how long a tag was held",
        arguments: [
            (0, "0 ms"), (340, "340 ms"), (1249, "1.2 s"), (59_999, "59.9 s"),
            (61_000, "1 min 1 s"),
        ] as [(Int64, String)])
    func held(milliseconds: Int64, text: String) {
        #expect(PlainWords.held(milliseconds: milliseconds) == text)
    }

    @Test(
        "ages have one unit, whatever number comes",
        arguments: [(185.9, "3 min"), (0.4, "0 s"), (-3, "0 s"), (1e300, "11574074074 d")])
    func ages(seconds: Double, text: String) {
        #expect(PlainWords.age(seconds: seconds) == text)
    }

    @Test(
        "sizes",
        arguments: [
            (1, "1 byte"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (12_976_128, "12.3 MiB"),
            (Int64.max, "8388607.9 TiB"),
        ] as [(Int64, String)])
    func sizes(bytes: Int64, text: String) {
        #expect(PlainWords.size(bytes: bytes) == text)
    }

    @Test(
        "degrees have five places, whatever number comes",
        arguments: [
            (65.5841, "65.58410"), (-0.000014, "-0.00001"), (0, "0.00000"), (1e300, "1000.00000"),
        ])
    func degrees(value: Double, text: String) {
        #expect(PlainWords.degrees(value) == text)
    }
}
