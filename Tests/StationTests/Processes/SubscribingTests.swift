import LineProtocols
import Platform
import TestRig
import Testing

@Suite("Subscribing", .serialized)
struct SubscribingTests {
    private func submit(_ client: ProtocolClient, _ count: Int) throws {
        for number in 0..<count {
            let url = Setting.url("ABC", path: "\(number)")
            _ = try client.call("scan.submit", #"{"url":"\#(url)"}"#)
        }
    }

    @Test("from the start everything is replayed and then goes on live, without hole or repeat")
    func fromStart() throws {
        let station = StationProcess(Setting.alone)
        let feeder = try ProtocolClient(path: station.socket)
        try submit(feeder, 20)
        let client = try ProtocolClient(path: station.socket)
        let reply = try client.call("subscribe", #"{"since":"start"}"#)
        #expect(reply["from"] == .integer(0))
        try submit(feeder, 20)
        let last = try #require(try feeder.call("status")["log"]?["last"]?.integer)
        for seq in 1...last { #expect(try client.nextEvent()["seq"] == .integer(seq)) }
        #expect(client.problems.isEmpty)
    }

    @Test("a cursor holds across a restart, and a log that was replaced is a gap")
    func cursor() throws {
        let folder = TestFolder()
        var station = StationProcess(in: folder, Setting.alone)
        let before = try ProtocolClient(path: station.socket)
        try submit(before, 3)
        let log = try #require(before.hello["log"]?.string)
        #expect(station.stop() == .exit(0))
        station = StationProcess(in: folder, Setting.alone)
        let after = try ProtocolClient(path: station.socket)
        #expect(after.hello["log"] == .string(log))
        let reply = try after.call("subscribe", #"{"since":4,"log":"\#(log)"}"#)
        #expect(reply["from"] == .integer(4))
        #expect(reply["gap"] == nil)
        #expect(try after.nextEvent()["seq"] == .integer(5))
        let other = try after.call("subscribe", #"{"since":4,"log":"another"}"#)
        #expect(other["gap"]?["requested"] == .integer(4))
        #expect(other["from"] == .integer(0))
        let beyond = try after.call("subscribe", #"{"since":4000000000}"#)
        #expect(beyond["gap"]?["first"] == .integer(1))
        #expect(after.problems.isEmpty && before.problems.isEmpty)
    }

    @Test("filters let through what they name, events without a reader, and say what is unknown")
    func filters() throws {
        let station = StationProcess(Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        let reply = try client.call(
            "subscribe", #"{"since":"start","types":["scan","api","telepathy"],"readers":["door"]}"#
        )
        #expect(reply["ignored"] == .array([.string("telepathy"), .string("door")]))
        #expect(try client.nextEvent()["type"] == .string("api"))
        try submit(client, 1)
        _ = try client.call("subscribe", #"{"types":[],"readers":["manual"]}"#)
        try submit(client, 1)
        #expect(try client.nextEvent()["type"] == .string("scan"))
        _ = try client.call("unsubscribe")
        try submit(client, 1)
        _ = try client.call("status")
        #expect(throws: ProtocolClient.Failure.self) {
            while true { _ = try client.nextEvent("scan", within: .milliseconds(200)) }
        }
        #expect(client.problems.isEmpty)
    }

    @Test("a refused subscribe leaves the subscription before it in place")
    func refusedSubscribe() throws {
        let station = StationProcess(Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", #"{"types":["scan"]}"#)
        #expect(try client.call("subscribe", #"{"types":"scan"}"#).path == "types")
        try submit(client, 1)
        #expect(try client.nextEvent("scan")["seq"] != nil)
        #expect(client.problems.isEmpty)
    }

    @Test("a subscriber that stops reading holds nobody up and has every event once later")
    func stopsReading() throws {
        let station = StationProcess(Setting.alone)
        let lazy = try ProtocolClient(path: station.socket)
        _ = try lazy.call("subscribe", #"{"since":"start"}"#)
        let eager = try ProtocolClient(path: station.socket)
        _ = try eager.call("subscribe", #"{"types":["scan"]}"#)
        // Two events of about 400 bytes each: several times the 1 MiB that may wait in memory.
        let count = 4000
        let feeder = try ProtocolClient(path: station.socket, checksLines: false)
        for number in 0..<count {
            let line =
                #"{"id":\#(number),"method":"scan.submit","params":{"url":"\#(Setting.url("ABC"))"}}"#
            try feeder.send(line: line)
            if number % 100 == 99 { for _ in 0..<100 { _ = try feeder.nextReply() } }
        }
        for _ in 0..<count { _ = try eager.nextEvent("scan") }
        let last = try #require(try feeder.call("status")["log"]?["last"]?.integer)
        #expect(last >= 2 * Int64(count))
        try readAll(upTo: last, from: lazy, at: station.socket)
        #expect(eager.problems.isEmpty)
    }

    /// Reads each event of the log once, and resumes where the station has closed the connection,
    /// which it may do with a client that has taken nothing for half a minute.
    private func readAll(upTo last: Int64, from first: ProtocolClient, at socket: String) throws {
        var client = first
        var seq: Int64 = 0
        while seq < last {
            do {
                let next = try client.nextEvent()["seq"]
                try #require(next == .integer(seq + 1))
                seq += 1
            } catch ProtocolClient.Failure.closed {
                #expect(client.problems.filter { $0 != ProtocolClient.halfLine } == [])
                client = try ProtocolClient(path: socket)
                let reply = try client.call("subscribe", #"{"since":\#(seq)}"#)
                #expect(reply["from"] == .integer(seq) && reply["gap"] == nil)
            }
        }
        #expect(client.problems.isEmpty)
    }
}
