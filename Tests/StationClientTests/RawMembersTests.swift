import LineProtocols
import Testing

@testable import StationClient

@Suite("The members of an object as they were sent")
struct RawMembersTests {
    private func member(_ name: String, of text: String) -> String? {
        RawMembers(Array(text.utf8))?[name].map { String(decoding: $0, as: UTF8.self) }
    }

    private static let bytesCases: [(String, String)] = [
        (#"{"a":{"b" : [1, 2]} , "c":1}"#, #"{"b" : [1, 2]}"#),
        (#" { "x" : "}" , "a" :  -1.50E+3 } "#, "-1.50E+3"),
        (#"{"a":"\\\"}]"}"#, #""\\\"}]""#),
        (#"{"x":[{"a":1}],"a":true}"#, "true"),
        (#"{"\u0061":[]}"#, "[]"),
        (#"{"x":"\"a\":2","a":null}"#, "null"),
        (#"{"a":1,"a":2}"#, "1"),
    ]

    @Test(
        "keep every byte but the white space around them",
        arguments: bytesCases)
    func bytes(text: String, value: String) {
        #expect(member("a", of: text) == value)
    }

    @Test("white space of every kind ends a value")
    func space() {
        #expect(member("a", of: "{\"a\":\r\n\t\"å\"\t}") == "\"å\"")
        #expect(member("a", of: "{\"a\":12\r\n}") == "12")
    }

    private static let noObjectCases: [String] = [
        "", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":}", "{\"a\":1", "{\"a\":[}", "{\"a",
        "{a:1}",
        "{\"a\":\"\\", "{\"a\":1,}",
    ]

    @Test(
        "what is no object has none",
        arguments: noObjectCases)
    func noObject(text: String) {
        let isObject = RawMembers(Array(text.utf8)) != nil
        #expect(!isObject)
    }

    @Test("absent members are absent")
    func absent() {
        #expect(member("b", of: #"{"a":1}"#) == nil)
        #expect(member("b", of: "{}") == nil)
    }
}
