import TestRig
import Testing

@Suite("the tests' client of the station")
struct ProtocolClientTests {
    @Test("it takes the hello, calls, and keeps events that come before the reply")
    func conversation() throws {
        let station = try ScriptedStation { connection in
            connection.send(Wire.hello)
            guard connection.line() == #"{"jsonrpc":"2.0","id":1,"method":"unsubscribe"}"# else {
                return
            }
            connection.send(Wire.event(5) + #"{"id":1,"jsonrpc":"2.0","result":{}}"# + "\n")
            let request = #"{"jsonrpc":"2.0","id":2,"method":"scan.submit","params":{"url":"x"}}"#
            guard connection.line() == request else { return }
            connection.send(
                #"{"error":{"code":-32000,"data":{"reason":"notAllowed"},"message":"no"},"id":2,"#
                    + #""jsonrpc":"2.0"}"# + "\n")
        }
        let client = try ProtocolClient(path: station.path)
        #expect(client.hello["station"] == "kiosk-3")
        #expect(client.hello["may"]?[0] == "watch")
        #expect(try client.call("unsubscribe").result == [:])
        let refused = try client.call("scan.submit", #"{"url":"x"}"#)
        #expect(refused.result == nil)
        #expect(refused.error?["code"] == -32000)
        #expect(refused.reason == "notAllowed")
        #expect(try client.nextEvent()["seq"] == 5)
        try client.waitUntilClosed()
        #expect(client.problems.isEmpty)
    }

    @Test("an error in place of the hello is thrown")
    func refused() throws {
        let station = try ScriptedStation { connection in
            connection.send(
                #"{"error":{"code":-32000,"data":{"reason":"busy"},"message":"full up"},"id":null,"#
                    + #""jsonrpc":"2.0"}"# + "\n")
        }
        let error: JSONValue = [
            "code": -32000, "data": ["reason": "busy"], "message": "full up",
        ]
        #expect(throws: ProtocolClient.Failure.refused(error)) {
            try ProtocolClient(path: station.path)
        }
    }

    struct Slip: Sendable, CustomTestStringConvertible {
        let line: String
        let says: String

        init(_ line: String, _ says: String) {
            self.line = line
            self.says = says
        }

        var testDescription: String { says }
    }

    private static let slips: [Slip] = [
        Slip(Wire.event(5, state: "onlin"), "$.params.state: 'onlin' is not one of"),
        Slip(
            #"{"jsonrpc":"2.0","method":"event","params":{"seq":5,"state":"online","type":"api"}}"#
                + "\n",
            "$.params: 'at' is a required property"),
        Slip(
            #"{"jsonrpc":"2.0","method":"evnt","params":{}}"# + "\n",
            "$.method: 'evnt' is not one of"),
        Slip("not JSON\n", "not JSON"),
        Slip("{\"id\":1,\"jsonrpc\":\"2.0\"}\n", "$: 'result' is a required property"),
        Slip("[]\n", "$: [] is not of type 'object'"),
    ]

    @Test("a deliberately wrong line is a problem", arguments: slips)
    func wrongLine(slip: Slip) throws {
        let station = try ScriptedStation { connection in
            connection.send(Wire.hello + slip.line + Wire.event(6))
        }
        let client = try ProtocolClient(path: station.path)
        try client.waitUntilClosed()
        #expect(client.problems.first?.hasPrefix(slip.says) == true)
    }

    @Test("bytes that are no UTF-8, a line that is too long and half a line are problems")
    func wrongBytes() throws {
        let station = try ScriptedStation { connection in
            connection.send(Wire.hello)
            connection.send([0x22, 0xFF, 0x22, 0x0A])
            connection.send(Wire.event(5).dropLast() + "")
        }
        let client = try ProtocolClient(path: station.path)
        try client.waitUntilClosed()
        #expect(client.problems.contains { $0.hasPrefix("not UTF-8") })
        #expect(client.problems.last == "half a line before the end")

        let endless = try ScriptedStation { connection in
            connection.send(Wire.hello)
            connection.send([UInt8](repeating: UInt8(ascii: " "), count: 1_048_578))
        }
        let other = try ProtocolClient(path: endless.path)
        try other.waitUntilClosed()
        #expect(other.problems == ["a line of more than 1048576 bytes"])
    }

    @Test("the reply to one method that is good for another is a problem")
    func wrongReply() throws {
        let station = try ScriptedStation { connection in
            connection.send(Wire.hello)
            _ = connection.line()
            connection.send(#"{"id":1,"jsonrpc":"2.0","result":{}}"# + "\n")
        }
        let client = try ProtocolClient(path: station.path)
        #expect(try client.call("status").result == [:])
        #expect(client.problems.first?.hasPrefix("$.result: 'station' is a required") == true)
    }

    struct Stream: Sendable, CustomTestStringConvertible {
        let parameters: String?
        let events: [String]
        let problem: String?

        init(_ parameters: String?, _ events: [String], _ problem: String?) {
            self.parameters = parameters
            self.events = events
            self.problem = problem
        }

        var testDescription: String { "\(parameters ?? "none"): \(problem ?? "good")" }
    }

    private static let streams: [Stream] = [
        Stream(nil, [Wire.event(5), Wire.event(6)], nil),
        Stream(nil, [Wire.event(6)], "seq 6 came after 4: there is a hole"),
        Stream(nil, [Wire.event(5), Wire.event(5)], "seq 5 came after 5"),
        Stream(nil, [Wire.event(4)], "seq 4 came after 4"),
        Stream(nil, [Wire.event(5), Wire.event(7)], "seq 7 came after 5: there is a hole"),
        Stream(nil, [Wire.unstored, Wire.unstored, Wire.event(7), Wire.event(8)], nil),
        Stream(#"{"types":[]}"#, [Wire.event(7)], "seq 7 came after 4: there is a hole"),
        Stream(#"{"types":["api"]}"#, [Wire.event(7), Wire.event(9)], nil),
        Stream(#"{"readers":["door"]}"#, [Wire.event(9), Wire.event(7)], "seq 7 came after 9"),
    ]

    @Test("events that are missing, come twice or out of order are a problem", arguments: streams)
    func order(stream: Stream) throws {
        let station = try ScriptedStation { connection in
            connection.send(Wire.hello)
            _ = connection.line()
            connection.send(Wire.subscribed(1, from: 4) + stream.events.joined())
        }
        let client = try ProtocolClient(path: station.path)
        #expect(try client.call("subscribe", stream.parameters)["from"] == 4)
        for _ in stream.events { _ = try client.nextEvent() }
        #expect(client.problems == (stream.problem.map { [$0] } ?? []))
    }

    @Test("what is sent raw arrives as it is, and its replies can be had one by one")
    func raw() throws {
        let station = try ScriptedStation { connection in
            connection.send(Wire.hello)
            while let line = connection.line() {
                connection.send(
                    #"{"error":{"code":-32700,"message":"# + "\"\(line.count)\""
                        + #"},"id":null,"jsonrpc":"2.0"}"# + "\n")
            }
            connection.send(#"{"id":"last","jsonrpc":"2.0","result":{}}"# + "\n")
        }
        let client = try ProtocolClient(path: station.path)
        try client.send(Array("abc\r\n\nde".utf8))
        try client.send(line: "f")
        client.finishSending()
        #expect(try client.nextReply().reply.error?["message"] == "3")
        #expect(try client.nextReply().reply.error?["message"] == "3")
        let last = try client.nextReply()
        #expect(last.id == "last")
        #expect(last.reply.result == [:])
        #expect(client.problems.isEmpty)
    }

    @Test("events of a type are picked out, and the others stay in their order")
    func picking() throws {
        let departure =
            #"{"jsonrpc":"2.0","method":"event","params":{"seq":7,"#
            + #""at":"2026-11-29T23:46:26.123Z","heldMilliseconds":1,"#
            + #""reader":{"id":"a","kind":"exec","name":"b"},"scan":"\#(Wire.log)","#
            + #""type":"departure"}}"# + "\n"
        let station = try ScriptedStation { connection in
            connection.send(Wire.hello + Wire.event(5) + Wire.event(6) + departure)
            _ = connection.line()
        }
        let client = try ProtocolClient(path: station.path)
        #expect(try client.nextEvent("departure")["seq"] == 7)
        #expect(try client.nextEvent()["seq"] == 5)
        guard case .event(let event) = try client.nextMessage() else {
            Issue.record("no event")
            return
        }
        #expect(event["seq"] == 6)
        #expect(throws: ProtocolClient.Failure.timeout("nothing came from the station")) {
            try client.nextMessage(within: .milliseconds(1))
        }
        client.close()
        #expect(client.problems.isEmpty)
    }

    @Test("a station that is not there, or goes away, is an error that says so")
    func absence() throws {
        let path = "/tmp/no-station-\(Wire.log).sock"
        do throws(ProtocolClient.Failure) {
            _ = try ProtocolClient(path: path, within: .milliseconds(1))
            Issue.record("somebody answers")
        } catch {
            #expect(error.description == "connect \(path): No such file or directory")
        }
        let station = try ScriptedStation { connection in connection.send(Wire.hello) }
        let client = try ProtocolClient(path: station.path)
        try client.waitUntilClosed()
        #expect(throws: ProtocolClient.Failure.closed) { try client.nextEvent() }
        #expect(throws: ProtocolClient.Failure.closed) { try client.call("status") }
    }
}
