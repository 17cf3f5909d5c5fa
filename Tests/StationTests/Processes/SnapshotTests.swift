import Platform
import TestRig
import Testing

@Suite("A subscription's snapshot", .serialized)
struct SnapshotTests {
    @Test("is as `status` has it, and what follows begins where it ends")
    func shape() throws {
        let station = StationProcess(Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("scan.submit", #"{"url":"\#(Setting.url("ABC"))"}"#)
        let reply = try client.call("subscribe", #"{"snapshot":true}"#)
        let snapshot = try #require(reply["snapshot"])
        let status = try client.call("status")
        #expect(snapshot.object?.keys.sorted() == status.result?.object?.keys.sorted())
        #expect(snapshot["log"]?["last"] == reply["from"])
        #expect(snapshot["counters"]?["scans"] == .integer(1))
        #expect(snapshot["outbox"]?["scans"] == .integer(1))
        #expect(client.problems.isEmpty)
    }

    @Test("is left out where the subscription begins before the last event")
    func past() throws {
        let station = StationProcess(Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("scan.submit", #"{"url":"\#(Setting.url("ABC"))"}"#)
        let past = try client.call("subscribe", #"{"since":"start","snapshot":true}"#)
        #expect(past["from"] == .integer(0) && past["snapshot"] == nil)
        let last = try #require(try client.call("status")["log"]?["last"]?.integer)
        let now = try client.call("subscribe", #"{"since":\#(last),"snapshot":true}"#)
        #expect(now["from"] == .integer(last) && now["snapshot"] != nil)
        #expect(try client.call("subscribe", #"{"snapshot":7}"#).path == "snapshot")
        #expect(client.problems.isEmpty)
    }

    @Test("counts exactly the scans up to its place, however many are made meanwhile")
    func exact() throws {
        let station = StationProcess(Setting.alone)
        let feeder = try ProtocolClient(path: station.socket, checksLines: false)
        let count = 600
        for number in 0..<count {
            let url = Setting.url("ABC", path: "\(number)")
            try feeder.send(line: #"{"id":1,"method":"scan.submit","params":{"url":"\#(url)"}}"#)
        }
        var snapshots: [(from: Int64, scans: Int64, outbox: Int64)] = []
        let watcher = try ProtocolClient(path: station.socket)
        while (snapshots.last?.scans ?? 0) < Int64(count) {
            let reply = try watcher.call("subscribe", #"{"snapshot":true}"#)
            snapshots.append(
                (
                    try #require(reply["from"]?.integer),
                    try #require(reply["snapshot"]?["counters"]?["scans"]?.integer),
                    try #require(reply["snapshot"]?["outbox"]?["scans"]?.integer)
                ))
        }
        let reader = try ProtocolClient(path: station.socket)
        _ = try reader.call("subscribe", #"{"since":"start"}"#)
        var scans: [Int64: Int64] = [0: 0]
        let last = try #require(snapshots.last?.from)
        for seq in 1...last {
            let isScan = try reader.nextEvent()["type"] == .string("scan")
            scans[seq] = (scans[seq - 1] ?? 0) + (isScan ? 1 : 0)
        }
        for snapshot in snapshots {
            #expect(snapshot.scans == scans[snapshot.from])
            #expect(snapshot.outbox == scans[snapshot.from])
        }
        #expect(watcher.problems.isEmpty && reader.problems.isEmpty)
    }
}
