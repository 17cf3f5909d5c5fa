import Scanning
import Testing

@Suite("hexadecimal")
struct HexTests {
    private static let pairs: [([UInt8], String)] = [
        ([], ""),
        ([0], "00"),
        ([0x0F, 0xF0], "0ff0"),
        ([0xDE, 0xAD, 0xBE, 0xEF], "deadbeef"),
        (Array(0...255), Self.allBytes),
    ]

    private static let allBytes: String = (0...255).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()

    @Test("bytes are two lower-case digits each", arguments: pairs)
    func roundTrip(bytes: [UInt8], text: String) {
        #expect(Hex.encode(bytes) == text)
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.decode(text.uppercased()) == bytes)
    }

    private static let wrong: [String] = [
        "0", "000", "0g", "g0", "0x00", " 00", "00 ", "0-", "-0", "+1", "00\n", "é0", "００",
        "0/", "0:", "0@", "0`", "0G",
    ]

    @Test("anything else is no hexadecimal", arguments: wrong)
    func refuses(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}

@Suite("Base58")
struct Base58Tests {
    @Test("58 of the bytes are digits: letters and figures but 0, O, I and l")
    func alphabet() {
        let digits = (UInt8(0)...127).filter { byte in
            Base58.isValid(String(decoding: [byte], as: UTF8.self))
        }
        let expected = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
        #expect(String(decoding: digits, as: UTF8.self) == expected)
        #expect(digits.count == 58)
    }

    private static let words: [(String, Bool)] = [
        ("", false), ("1", true), ("ABC", true), ("abc", true), ("AB0", false), ("é", false),
        ("A\u{301}", false), (" A", false), ("A\n", false),
        ("4kyQCd5tMDjJVWJH5h95gUcjq3qTX2cj5nwjVyqBRwLo", true),
    ]

    @Test("a word is one digit or more and nothing else", arguments: words)
    func word(text: String, isValid: Bool) {
        #expect(Base58.isValid(text) == isValid)
    }
}
