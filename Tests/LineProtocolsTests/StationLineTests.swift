import LineProtocols
import Scanning
import Testing

@Suite("a line of the station")
struct StationLineTests {
    private func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }

    private static let replies: [(RequestID, String)] = [
        (.integer(7), #"{"id":7,"jsonrpc":"2.0","result":{}}"#),
        (.integer(.min), #"{"id":-9223372036854775808,"jsonrpc":"2.0","result":{}}"#),
        (.unsigned(.max), #"{"id":18446744073709551615,"jsonrpc":"2.0","result":{}}"#),
        (.text(""), #"{"id":"","jsonrpc":"2.0","result":{}}"#),
        (.text("a\"b/é"), #"{"id":"a\"b/é","jsonrpc":"2.0","result":{}}"#),
    ]

    @Test("a reply gives the id back as it came", arguments: replies)
    func replyIDs(id: RequestID, expected: String) {
        #expect(text(StationLine.reply(id, EmptyObject())) == expected + "\n")
    }

    @Test("the reply to a subscription has a gap and ignored words only where there are some")
    func subscribeReplies() {
        let plain = SubscribeResult(from: 41, log: "L")
        #expect(
            text(StationLine.reply(.integer(1), plain))
                == #"{"id":1,"jsonrpc":"2.0","result":{"from":41,"log":"L"}}"# + "\n")
        let full = SubscribeResult(
            from: 9, log: "L", gap: .init(requested: 3, first: 10), ignored: ["scam"])
        #expect(
            text(StationLine.reply(.integer(1), full))
                == #"{"id":1,"jsonrpc":"2.0","result":{"from":9,"gap":{"first":10,"requested":3},"#
                + #""ignored":["scam"],"log":"L"}}"# + "\n")
    }

    @Test("the reply to a submission says why there is no identifier only where there is none")
    func submitReplies() {
        let known = SubmitResult(scan: "S", unrecognised: nil)
        #expect(
            text(StationLine.reply(.integer(1), known))
                == #"{"id":1,"jsonrpc":"2.0","result":{"scan":"S"}}"# + "\n")
        let foreign = SubmitResult(scan: "S", unrecognised: .foreign)
        #expect(
            text(StationLine.reply(.integer(1), foreign))
                == #"{"id":1,"jsonrpc":"2.0","result":{"scan":"S","unrecognised":"foreign"}}"#
                + "\n")
    }

    private static let errors: [(RequestError, RequestID?, String)] = [
        (
            .lineTooLong, nil,
            #"{"error":{"code":-32600,"message":"a line may have at most 65536 bytes"},"#
                + #""id":null,"jsonrpc":"2.0"}"#
        ),
        (
            .unknownMethod("no.such"), .integer(2),
            #"{"error":{"code":-32601,"message":"there is no method no.such"},"#
                + #""id":2,"jsonrpc":"2.0"}"#
        ),
        (
            .invalidParameter("types[1]", "has the wrong type"), .text("x"),
            #"{"error":{"code":-32602,"data":{"path":"types[1]"},"#
                + #""message":"types[1]: has the wrong type"},"id":"x","jsonrpc":"2.0"}"#
        ),
        (
            .station(.notAllowed, "no"), .integer(3),
            #"{"error":{"code":-32000,"data":{"reason":"notAllowed"},"message":"no"},"#
                + #""id":3,"jsonrpc":"2.0"}"#
        ),
    ]

    @Test("an error says its number, a sentence, and where or why", arguments: errors)
    func errorLines(error: RequestError, id: RequestID?, expected: String) {
        #expect(text(StationLine.error(error, id: id)) == expected + "\n")
    }

    @Test("an unknown method's name is cut to 64 characters")
    func longMethod() {
        let error = RequestError.unknownMethod(String(repeating: "m", count: 60_000))
        #expect(error.message == "there is no method " + String(repeating: "m", count: 64))
    }

    private static let readErrors: [RequestError] = [
        .lineTooLong, .unknownMethod("x"), .invalidParameter("since", "is wrong"),
        .station(.busy, "too many"), .station(.full, "no space"),
    ]

    @Test("an error is read as it was written", arguments: readErrors)
    func errorRoundTrip(error: RequestError) throws {
        let line = try JSONLine.encode(error)
        #expect(try JSONLine.decode(RequestError.self, from: line) == error)
    }

    @Test("an error of a later version is read as far as it is known")
    func laterError() throws {
        let line = #"{"code":-31999,"message":"new","data":{"reason":"brandNew","more":1}}"#
        let error = try JSONLine.decode(RequestError.self, from: Array(line.utf8))
        #expect(error.message == "new")
        #expect(error.code == .station)
        #expect(error.reason == nil)
    }

    @Test("the hello says who is there, what the log holds and what this client may do")
    func hello() throws {
        let hello = Hello(
            version: "0.1.0", station: "kiosk-3", log: "L", first: 1, last: 1234,
            may: ["watch", "act"])
        #expect(
            text(StationLine.hello(hello))
                == #"{"jsonrpc":"2.0","method":"hello","params":{"daemon":"plingsd","first":1,"#
                + #""last":1234,"log":"L","may":["watch","act"],"#
                + #""protocol":{"major":1,"minor":0},"station":"kiosk-3","version":"0.1.0"}}"#
                + "\n")
    }

    private static let body = Array(#"{"at":"2026-11-29T23:46:26.123Z","type":"api"}"#.utf8)

    @Test("an event's line is its stored body behind its seq")
    func storedEvent() {
        #expect(
            text(StationLine.event(seq: 1235, body: Self.body))
                == #"{"jsonrpc":"2.0","method":"event","params":{"seq":1235,"#
                + #""at":"2026-11-29T23:46:26.123Z","type":"api"}}"# + "\n")
    }

    @Test("an event that can't be stored says so in place of the seq")
    func unstoredEvent() {
        #expect(
            text(StationLine.event(seq: nil, body: Self.body))
                == #"{"jsonrpc":"2.0","method":"event","params":{"durable":false,"#
                + #""at":"2026-11-29T23:46:26.123Z","type":"api"}}"# + "\n")
    }
}
