import LineProtocols
import TestRig
import Testing

@Suite("JSON on a line")
struct JSONLineTests {
    private func problem(_ text: String) -> JSONLine.Malformed? {
        do {
            _ = try JSONLine.decode(JSONValue.self, from: Array(text.utf8))
            return nil
        } catch {
            return error as? JSONLine.Malformed
        }
    }

    private static let good: [String] = [
        "0", "-0", "10", "1.5", "-1.5e3", "1E+2", "1e-2", "0.0", "0e0", "true", "false", "null",
        "\"\"", #""a\"\\\/\b\f\n\r\tb""#, #""\u0000\u00E9\uD83D\uDE00""#, "\"é😀\u{7F}\"",
        "[]", "[ ]", "[1,2 , 3]", "{}", "{ }", #"{"a":1,"b":[{}]}"#, " 1 ", "\t\r\n{}\n",
        "[[],[[]],{}]", #"{"":""}"#,
    ]

    @Test("JSON is read", arguments: good)
    func reads(text: String) throws {
        let own = try JSONLine.decode(JSONValue.self, from: Array(text.utf8))
        #expect(try own == JSONValue(parsing: text))
    }

    private static let bad: [String] = [
        "", " ", "x", "nul", "nulls", "True", "NaN", "Infinity", "-Infinity", "undefined",
        "01", "-01", "00", "-", "+1", ".5", "1.", "1.e2", "1e", "1e+", "1.2.3", "0x1", "1_000",
        "1,2", "[1,]", "[,1]", "[,]", "[1 2]", "[1", "1]", "[", "]", "[}", "{]",
        "{", "}", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a" 1}"#,
        #"{"a":1 "b":2}"#, "{a:1}", "{1:1}", #"{"a":1"#, #"{"a":1}}"#, #"{"a":1,"b"}"#,
        "'a'", "\"", "\"a", #""\""#, #""\q""#, #""\u12""#, #""\u12g4""#, #""\U0041""#,
        #""\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#, #""\udc00""#,
        #""\ud83d\u0041""#, "\"\u{00}\"", "\"\u{1F}\"", "\"\t\"", "\"a\nb\"", "\u{FEFF}1",
        "1\u{00}", "\u{0B}1", "\u{A0}1", "/* */1", "1//", "[1]x", "{} {}",
    ]

    @Test("anything else is not JSON, wherever in the line it stands", arguments: bad)
    func refuses(text: String) {
        #expect(problem(text) == .notJSON)
        #expect(problem("{\"id\":1,\"never read\":\(text)}") == .notJSON)
    }

    @Test("every beginning of a text is refused, and the whole is read")
    func beginnings() {
        let text = #"{"a":[1.5e-3,"\ud83d\ude00é",true,null],"b":{"c":[]}}"#
        let bytes = Array(text.utf8)
        for count in bytes.indices {
            let beginning = Array(bytes[..<count])
            #expect(throws: JSONLine.Malformed.self) {
                try JSONLine.decode(JSONValue.self, from: beginning)
            }
        }
        #expect(problem(text) == nil)
    }

    @Test("JSON of another shape is told apart from what is no JSON")
    func otherShape() {
        let submission = Array(#"{"scan":5}"#.utf8)
        #expect(throws: DecodingError.self) {
            try JSONLine.decode(SubmitResult.self, from: submission)
        }
    }

    @Test("members are written in the order of their names, slashes as they are")
    func writes() throws {
        let value = ["b": "http://x/", "a": "\u{1B}\"\n", "ä": "é"]
        let text = String(decoding: try JSONLine.encode(value), as: UTF8.self)
        #expect(text == #"{"a":"\u001b\"\n","b":"http://x/","ä":"é"}"#)
    }

    @Test("a number that JSON has no form for is an error")
    func unwritable() {
        #expect(throws: EncodingError.self) { try JSONLine.encode(["a": Double.nan]) }
    }

    private static let complaints: [(JSONLine.Malformed, String)] = [
        (.notUTF8, "the line is not UTF-8"),
        (.notJSON, "the line is not JSON"),
        (.tooDeep, "the JSON is nested more than 64 levels deep"),
    ]

    @Test("what is wrong is said in a sentence", arguments: complaints)
    func sentences(problem: JSONLine.Malformed, text: String) {
        #expect(problem.description == text)
    }
}
