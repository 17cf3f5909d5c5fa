import Glibc
import Platform
import TestRig
import Testing

/// The programs that the documentation shows, run as they stand there.
@Suite("the documentation's programs")
struct DocumentedProgramTests {
    private let folder = TestFolder()

    /// Writes a program of a page to a file.
    private func program(_ kind: String, of page: String) throws -> String {
        let fence = Fence.all(in: page).first { $0.words == ["python", kind] }
        let lines = try #require(fence).lines
        return folder.write("\(kind).py", lines.joined(separator: "\n") + "\n")
    }

    @Test("the client prints scans, keeps its place and goes on from there")
    func client() throws {
        let program = try program("client", of: "docs/protocol.md")
        let place = "\(folder.path)/place"
        let first = try ScriptedStation { connection in
            connection.send(Wire.hello)
            guard connection.line()?.contains(#""since": "start""#) == true else { return }
            connection.send(Wire.subscribed(1, from: 0) + Wire.event(1) + Wire.event(2))
        }
        let ran = RunningProgram(["/usr/bin/python3", program, first.path, place])
        #expect(ran.wait() == .exit(0))
        #expect(ran.output.split(separator: "\n").count == 2)
        #expect(ran.output.hasPrefix("api {\"seq\": 1,"))

        let second = try ScriptedStation { connection in
            connection.send(Wire.hello)
            let request = connection.line() ?? ""
            let isResumed = request.contains(#""since": 2, "log": "\#(Wire.log)""#)
            connection.send(Wire.subscribed(1, from: 2) + (isResumed ? Wire.event(3) : ""))
        }
        let again = RunningProgram(["/usr/bin/python3", program, second.path, place])
        #expect(again.wait() == .exit(0))
        #expect(again.output.hasPrefix("api {\"seq\": 3,"))
        #expect(again.errors == "")
    }

    @Test("the client says why it is refused")
    func refusedClient() throws {
        let program = try program("client", of: "docs/protocol.md")
        let station = try ScriptedStation { connection in
            connection.send(
                #"{"error":{"code":-32000,"data":{"reason":"busy"},"message":"full up"},"id":null,"#
                    + #""jsonrpc":"2.0"}"# + "\n")
        }
        let ran = RunningProgram(
            ["/usr/bin/python3", program, station.path, "\(folder.path)/place"])
        #expect(ran.wait() == .exit(1))
        #expect(ran.errors == "full up\n")
    }

    @Test("the reader tells each code as the protocol wants it, and ends with its input")
    func reader() throws {
        let program = try program("reader", of: "docs/reader-protocol.md")
        let port = "\(folder.path)/port"
        #expect(mkfifo(port, 0o600) == 0)
        // Both directions, so that neither side waits for the other to open it.
        let scanner = try Descriptor.open(port, O_RDWR)
        let reader = RunningProgram(["/usr/bin/python3", program, port])
        let codes = Array("https://s.plings.io/?t=q&i=ABC&p=4.2\n\nsecond".utf8)
        _ = codes.withUnsafeBytes { scanner.write($0) }
        #expect(Poll.until { reader.output.contains("depart") })
        _ = [UInt8(ascii: "\n")].withUnsafeBytes { scanner.write($0) }
        #expect(Poll.until { reader.output.split(separator: "\n").count >= 8 })
        reader.closeInput()
        #expect(reader.wait() == .exit(0))
        try check(reader.output, device: port)
        #expect(reader.errors == "")
    }

    private func check(_ output: String, device: String) throws {
        let lines = output.split(separator: "\n").map(String.init)
        for line in lines {
            #expect(ProtocolValidator.shared.check(Array(line.utf8), as: .reader) == nil)
        }
        let messages = try lines.map { try JSONValue(parsing: $0) }
        #expect(messages[0]["reader"]?["program"] == "hand-scanner")
        #expect(messages[1]["device"]?["state"] == "ready")
        let arrivals = messages.compactMap { $0["arrive"] }
        #expect(
            arrivals.map { $0["payload"] } == [
                "68747470733a2f2f732e706c696e67732e696f2f3f743d7126693d41424326703d342e32",
                "7365636f6e64",
            ])
        #expect(arrivals.map { $0["token"] } == ["1", "2"])
        #expect(messages.compactMap { $0["depart"]?["token"] } == ["1", "2"])
        let times = arrivals.compactMap { $0["bootNanoseconds"]?.integer }
        #expect(times.allSatisfy { UInt64($0) <= Clocks.bootNanoseconds() })
        #expect(arrivals.allSatisfy { $0["device"]?.string == device })
    }
}
