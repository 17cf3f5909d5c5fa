import LineProtocols
import Testing

@Suite("a line of a client")
struct StationRequestTests {
    /// What a line is to turn out to be.
    enum Expected: Equatable {
        case request(RequestID, String)
        case notification
        case refused(RequestError.Code, RequestID?, says: String)
    }

    struct Line: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let expected: Expected

        init(_ text: String, _ expected: Expected) {
            self.init(Array(text.utf8), expected)
        }

        init(_ bytes: [UInt8], _ expected: Expected) {
            self.bytes = bytes
            self.expected = expected
        }

        var testDescription: String { String(decoding: bytes.prefix(100), as: UTF8.self) }
    }

    private func read(_ bytes: [UInt8]) -> Expected {
        switch StationRequest.read(bytes) {
        case .request(let request): .request(request.id, request.method)
        case .notification: .notification
        case .refused(let error, let id): .refused(error.code, id, says: error.message)
        }
    }

    private static func withID(_ id: String) -> String {
        #"{"jsonrpc":"2.0","id":"# + id + #","method":"status"}"#
    }

    private static let idSentence =
        "\"id\" must be a string or an integer of at most 64 bits"

    private static let ids: [Line] = [
        Line(withID("1"), .request(.integer(1), "status")),
        Line(withID("0"), .request(.integer(0), "status")),
        Line(withID("-7"), .request(.integer(-7), "status")),
        Line(withID("9223372036854775807"), .request(.integer(.max), "status")),
        Line(withID("-9223372036854775808"), .request(.integer(.min), "status")),
        Line(withID("9223372036854775808"), .request(.unsigned(1 << 63), "status")),
        Line(withID("18446744073709551615"), .request(.unsigned(.max), "status")),
        Line(withID("\"\""), .request(.text(""), "status")),
        Line(withID("\"seven\""), .request(.text("seven"), "status")),
        Line(withID(#""\u0041\ud83d\ude00""#), .request(.text("A😀"), "status")),
        Line(withID("\"12\""), .request(.text("12"), "status")),
    ]

    @Test("an id may be any text and any integer of 64 bits", arguments: ids)
    func readableIDs(line: Line) {
        #expect(read(line.bytes) == line.expected)
    }

    private static let unreadableIDs: [String] = [
        "18446744073709551616", "-9223372036854775809", "1.5", "1e400", "null", "true", "false",
        "[1]", "{}", "{\"id\":1}",
    ]

    @Test("any other id is refused without one", arguments: unreadableIDs)
    func refusedIDs(id: String) {
        let line = Self.withID(id)
        #expect(
            read(Array(line.utf8)) == .refused(.invalidRequest, nil, says: Self.idSentence))
    }

    private static let requests: [Line] = [
        Line(#"{"id":1,"method":"status"}"#, .request(.integer(1), "status")),
        Line(#"{"jsonrpc":"2.0","method":"status","id":1}"#, .request(.integer(1), "status")),
        Line(#" { "id" : 1 , "method" : "status" } "#, .request(.integer(1), "status")),
        Line("\t{\"id\":1,\r\"method\":\"status\"}", .request(.integer(1), "status")),
        Line(
            #"{"id":1,"method":"status","params":{}}"#, .request(.integer(1), "status")),
        Line(
            #"{"id":1,"method":"status","params":{"later":[null]}}"#,
            .request(.integer(1), "status")),
        Line(
            #"{"id":1,"method":"status","later":{"a":[1,2.5e-3,true,null]}}"#,
            .request(.integer(1), "status")),
        Line(#"{"id":1,"method":""}"#, .request(.integer(1), "")),
        Line(#"{"id":1,"method":"no.such"}"#, .request(.integer(1), "no.such")),
    ]

    @Test("a request is read whatever else it carries", arguments: requests)
    func readsRequests(line: Line) {
        #expect(read(line.bytes) == line.expected)
    }

    private static let notifications: [Line] = [
        Line(#"{"jsonrpc":"2.0","method":"status"}"#, .notification),
        Line(#"{"method":"status","params":{}}"#, .notification),
        Line(#"{"method":"status","params":[1]}"#, .notification),
        Line(#"{"jsonrpc":"1.0","method":"status"}"#, .notification),
    ]

    @Test("a method without an id wants no answer", arguments: notifications)
    func ignoresNotifications(line: Line) {
        #expect(read(line.bytes) == line.expected)
    }

    private static let notObject = "not a request object"
    private static let versionSentence = "\"jsonrpc\" must be \"2.0\""
    private static let methodSentence = "\"method\" must be a string"

    private static let invalid: [Line] = [
        Line("[]", .refused(.invalidRequest, nil, says: notObject)),
        Line(
            #"[{"id":1,"method":"status"},{"id":2,"method":"status"}]"#,
            .refused(.invalidRequest, nil, says: notObject)),
        Line("7", .refused(.invalidRequest, nil, says: notObject)),
        Line("\"status\"", .refused(.invalidRequest, nil, says: notObject)),
        Line("null", .refused(.invalidRequest, nil, says: notObject)),
        Line("true", .refused(.invalidRequest, nil, says: notObject)),
        Line("{}", .refused(.invalidRequest, nil, says: methodSentence)),
        Line(#"{"id":3}"#, .refused(.invalidRequest, .integer(3), says: methodSentence)),
        Line(
            #"{"id":3,"result":{}}"#,
            .refused(.invalidRequest, .integer(3), says: methodSentence)),
        Line(
            #"{"id":3,"method":null}"#,
            .refused(.invalidRequest, .integer(3), says: methodSentence)),
        Line(
            #"{"id":"x","method":5}"#,
            .refused(.invalidRequest, .text("x"), says: methodSentence)),
        Line(#"{"method":5}"#, .refused(.invalidRequest, nil, says: methodSentence)),
        Line(
            #"{"jsonrpc":"1.0","id":4,"method":"status"}"#,
            .refused(.invalidRequest, .integer(4), says: versionSentence)),
        Line(
            #"{"jsonrpc":2.0,"id":4,"method":"status"}"#,
            .refused(.invalidRequest, .integer(4), says: versionSentence)),
        Line(
            #"{"jsonrpc":null,"id":4,"method":"status"}"#,
            .refused(.invalidRequest, .integer(4), says: versionSentence)),
    ]

    @Test("JSON that is no request is refused with its id where it has one", arguments: invalid)
    func refusesOthers(line: Line) {
        #expect(read(line.bytes) == line.expected)
    }

    private static let wrongParameters: [String] = ["[]", "[1]", "null", "5", "\"x\"", "true"]

    @Test("parameters that are no object are refused by name", arguments: wrongParameters)
    func refusesParameters(parameters: String) {
        let line = #"{"id":9,"method":"status","params":"# + parameters + "}"
        guard case .refused(let error, let id) = StationRequest.read(Array(line.utf8)) else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .invalidParameters)
        #expect(error.path == "params")
        #expect(error.message == "\"params\" must be an object")
        #expect(id == .integer(9))
    }

    private static let notJSON = "the line is not JSON"
    private static let notUTF8 = "the line is not UTF-8"

    private static let unparsable: [Line] = [
        Line("x", .refused(.parse, nil, says: notJSON)),
        Line(#"{"id":1,"method":"status""#, .refused(.parse, nil, says: notJSON)),
        Line(#"{"id":1,"method":"status"}}"#, .refused(.parse, nil, says: notJSON)),
        Line(#"{"id":1,"method":"status",}"#, .refused(.parse, nil, says: notJSON)),
        Line(#"{"id":1,"method":"status"} {"id":2}"#, .refused(.parse, nil, says: notJSON)),
        Line(#"{'id':1}"#, .refused(.parse, nil, says: notJSON)),
        Line(
            "\u{FEFF}{\"id\":1,\"method\":\"status\"}", .refused(.parse, nil, says: notJSON)),
        Line(
            "{\"id\":1,\"method\":\"sta\u{01}tus\"}", .refused(.parse, nil, says: notJSON)),
        Line(Array("{\"id\":1,\"method\":\"".utf8) + [0xFF], .refused(.parse, nil, says: notUTF8)),
        Line([0xC3, 0x28], .refused(.parse, nil, says: notUTF8)),
        Line([0xED, 0xA0, 0x80], .refused(.parse, nil, says: notUTF8)),
        Line([0x7B, 0x00, 0x7D, 0x00], .refused(.parse, nil, says: notJSON)),
    ]

    @Test("what is no JSON, or no UTF-8, can't be parsed", arguments: unparsable)
    func refusesUnparsable(line: Line) {
        #expect(read(line.bytes) == line.expected)
    }

    private func nested(_ opening: String, _ closing: String, _ levels: Int) -> [UInt8] {
        let text =
            #"{"id":1,"method":"status","later":"# + String(repeating: opening, count: levels - 1)
            + "0" + String(repeating: closing, count: levels - 1) + "}"
        return Array(text.utf8)
    }

    @Test("64 levels are read and 65 are refused")
    func nesting() {
        let tooDeep = Expected.refused(
            .parse, nil, says: "the JSON is nested more than 64 levels deep")
        #expect(read(nested("[", "]", 64)) == .request(.integer(1), "status"))
        #expect(read(nested("[", "]", 65)) == tooDeep)
        #expect(read(nested("{\"a\":", "}", 64)) == .request(.integer(1), "status"))
        #expect(read(nested("{\"a\":", "}", 65)) == tooDeep)
        // As deep as a line can hold: refused without the depth costing anything.
        #expect(read([UInt8](repeating: UInt8(ascii: "["), count: 65_536)) == tooDeep)
    }

    @Test("brackets within text are no levels")
    func bracketsInText() {
        let brackets = String(repeating: "[{\\\"", count: 500)
        let line = #"{"id":1,"method":"status","x":""# + brackets + "\"}"
        #expect(read(Array(line.utf8)) == .request(.integer(1), "status"))
    }

    @Test("of two members with one name one counts, for the method and its parameters alike")
    func duplicates() throws {
        let line = #"{"id":1,"id":2,"method":"a","method":"b","params":{"url":"x","url":"y"}}"#
        guard case .request(let request) = StationRequest.read(Array(line.utf8)) else {
            Issue.record("no request")
            return
        }
        #expect([.integer(1), .integer(2)].contains(request.id))
        #expect(["a", "b"].contains(request.method))
        let parameters = try request.parameters(SubmitParameters.self)
        #expect(["x", "y"].contains(parameters.url))
    }
}
