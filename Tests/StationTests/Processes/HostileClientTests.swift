import FoundationEssentials
import LineProtocols
import Platform
import TestRig
import Testing

@Suite("Programs that break the protocol", .serialized)
struct HostileClientTests {
    private let station = StationProcess(Setting.alone)

    /// The most memory that the station ever had, in KiB.
    private func peakMemory() throws -> Int {
        let path = "/proc/\(station.program.pid)/status"
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: " ").dropLast().last ?? ""))
    }

    @Test("a line of 100 MB costs no memory, and gets an error and the end of the connection")
    func endlessLine() throws {
        let client = try ProtocolClient(path: station.socket)
        let before = try peakMemory()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        var end: ProtocolClient.Failure?
        for _ in 0..<100 where end == nil {
            do throws(ProtocolClient.Failure) { try client.send(piece) } catch { end = error }
        }
        #expect(end == .closed, "the station reads no more of it")
        let (id, reply) = try client.nextReply()
        #expect(id == .null)
        #expect(reply.error?["message"] == .string("a line may have at most 65536 bytes"))
        #expect(try peakMemory() - before < 8 * 1024)
        #expect(try ProtocolClient(path: station.socket).call("status").error == nil)
        #expect(client.problems.isEmpty)
    }

    private static let nests = [
        String(repeating: "[", count: 65_000),
        String(repeating: #"{"a":"#, count: 13_000),
        #"{"id":1,"method":"status","params":{"a":"# + String(repeating: "[", count: 100)
            + String(repeating: "]", count: 100) + "}}",
    ]

    @Test("deep nesting is an error, however it is made, and the connection goes on")
    func deepNesting() throws {
        let client = try ProtocolClient(path: station.socket)
        let before = try peakMemory()
        for nest in Self.nests {
            for _ in 0..<20 {
                try client.send(line: nest)
                let (id, reply) = try client.nextReply()
                #expect(id == .null)
                #expect(reply.error?["code"] == .integer(-32700))
                let message = reply.error?["message"]?.string
                #expect(message == "the JSON is nested more than 64 levels deep")
            }
        }
        #expect(try client.call("status").error == nil)
        #expect(try peakMemory() - before < 8 * 1024)
        #expect(client.problems.isEmpty)
    }

    @Test("many programs that send half a request and close leave nothing behind")
    func halfRequests() throws {
        for _ in 0..<600 {
            let client = try ProtocolClient(path: station.socket, checksLines: false)
            try client.send(Array(#"{"jsonrpc":"2.0","id":1,"meth"#.utf8))
            client.close()
        }
        // More than may be connected at once: each place was given free.
        let client = try ProtocolClient(path: station.socket)
        #expect(try client.call("status").error == nil)
        #expect(client.problems.isEmpty)
    }

    @Test("a reply never lands inside an event while a program takes a few bytes at a time")
    func smallSips() throws {
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", "{}")
        let feeder = try ProtocolClient(path: station.socket, checksLines: false)
        for number in 0..<1500 {
            let url = Setting.url("ABC", path: "\(number)")
            try feeder.send(line: #"{"id":1,"method":"scan.submit","params":{"url":"\#(url)"}}"#)
            if number % 50 == 0 { try client.send(line: #"{"id":\#(number),"method":"status"}"#) }
            if number % 100 == 99 { for _ in 0..<100 { _ = try feeder.nextReply() } }
        }
        for number in stride(from: 0, to: 1500, by: 50) {
            #expect(try client.nextReply().id == .integer(Int64(number)))
        }
        for _ in 0..<1500 { _ = try client.nextEvent("scan") }
        #expect(client.problems.isEmpty, "every line is whole")
    }
}
