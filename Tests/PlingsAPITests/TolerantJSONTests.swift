import Testing

@testable import PlingsAPI

@Suite("JSON that strangers wrote")
struct TolerantJSONTests {
    struct Named: Decodable {
        let a: String
    }

    private func read(_ text: [UInt8]) -> String? {
        TolerantJSON.decode(Named.self, from: text)?.a
    }

    private static let brokenNames: [String] = [
        #"{"a":"1","\ud800":2}"#, #"{"\udc00\ud800":2,"a":"1"}"#, #"{"\ud800\u0041":2,"a":"1"}"#,
    ]

    @Test("half a surrogate pair in a name or a text costs nothing else", arguments: brokenNames)
    func surrogates(text: String) {
        #expect(read(Array(text.utf8)) == "1")
    }

    @Test("what is cut or broken inside a text is replaced, and pairs are left whole")
    func texts() {
        #expect(read(Array(#"{"a":"x\ud83d"}"#.utf8)) == "x\u{FFFD}")
        #expect(read(Array(#"{"a":"\ud83d\ude00\\ud800"}"#.utf8)) == "\u{1F600}\\ud800")
        #expect(
            read(Array(#"{"a":"x"#.utf8) + [0xC3] + Array(#"","#.utf8) + Array(#""b":1}"#.utf8))
                == "x\u{FFFD}")
        #expect(
            read(Array(#"{"a":"1",""#.utf8) + [0xFF, 0xE2, 0x82] + Array(#"":1}"#.utf8)) == "1")
    }

    private static let refused: [String] = [
        #"{"\x":1,"a":"1"}"#, #"{"\u12":1,"a":"1"}"#, #"{"a":"1","b":"\"#, #"{"a":"1",}"#, "",
        #"{"a":"1"} x"#, #"{"a":"\ud8"#, "\\u", "\\",
    ]

    @Test("what is no JSON is refused whole", arguments: refused)
    func refusal(text: String) {
        #expect(read(Array(text.utf8)) == nil)
    }

    @Test("nesting beyond reason is refused, whatever stands beside it")
    func depth() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(read(Array(#"{"a":"1","b":"#.utf8) + Array(deep.utf8)) == nil)
    }
}
