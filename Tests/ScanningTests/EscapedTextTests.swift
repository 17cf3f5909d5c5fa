import Scanning
import Testing

@Suite("text from a tag")
struct EscapedTextTests {
    private static let texts: [(String, String)] = [
        ("", ""),
        ("http://example.org/é😀", "http://example.org/é😀"),
        ("\u{1B}[31mred\u{7}", "\\u001b[31mred\\u0007"),
        ("a\0b\tc\nd\re", "a\\u0000b\\u0009c\\u000ad\\u000de"),
        ("\r\n", "\\u000d\\u000a"),
        ("\u{7F}\u{80}\u{9B}\u{9F}\u{A0}", "\\u007f\\u0080\\u009b\\u009f\u{A0}"),
        ("e\u{301}\u{1}", "e\u{301}\\u0001"),
        ("\\u0007", "\\u0007"),
    ]

    @Test("its control characters are written out, all else stays", arguments: texts)
    func escapes(text: String, expected: String) {
        #expect(EscapedText.withoutControls(text, limit: 2048) == expected)
    }

    private static let cuts: [(String, Int, String)] = [
        ("abcdef", 3, "abc"),
        ("abc", 3, "abc"),
        ("abc", 0, ""),
        ("aé", 2, "a"),
        ("aé", 3, "aé"),
        ("😀", 3, ""),
        ("\u{1}\u{2}\u{3}", 2, "\\u0001\\u0002"),
        ("a\u{9B}b", 3, "a\\u009b"),
    ]

    @Test("it is cut by the bytes that came, between characters", arguments: cuts)
    func cut(text: String, limit: Int, expected: String) {
        #expect(EscapedText.withoutControls(text, limit: limit) == expected)
    }

    @Test("no control character is left of all there are")
    func allControls() {
        let scalars = (UInt32(0)...0x2FF).compactMap(Unicode.Scalar.init)
        let text = String(String.UnicodeScalarView(scalars))
        let escaped = EscapedText.withoutControls(text, limit: .max)
        let left = escaped.unicodeScalars.filter { $0.properties.generalCategory == .control }
        #expect(left.isEmpty)
        #expect(escaped.unicodeScalars.count == scalars.count + 65 * 5)
    }
}
