import Glibc
import LineProtocols
import Platform
import TestRig
import Testing

@Suite("The station's socket", .serialized)
struct SocketTests {
    @Test("the hello names the log, what it holds and what the client may")
    func hello() throws {
        let station = StationProcess(Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        #expect(client.hello["protocol"]?["major"] == .integer(1))
        #expect(client.hello["daemon"] == .string("plingsd"))
        #expect(client.hello["may"] == .array([.string("watch"), .string("act")]))
        #expect(client.problems.isEmpty)
    }

    @Test("a submitted scan is in the log, answered OFFLINE without an API, and waits")
    func submit() throws {
        let station = StationProcess(Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", #"{"types":["scan","resolution"]}"#)
        let reply = try client.call("scan.submit", #"{"url":"\#(Setting.url("ABC"))"}"#)
        let scan = try client.nextEvent("scan")
        #expect(scan["scan"] == reply["scan"])
        #expect(scan["reader"]?["id"] == .string("manual"))
        #expect(scan["identifier"]?["identifier"] == .string("ABC"))
        let answer = try client.nextEvent("resolution")
        #expect(answer["outcome"] == .string("OFFLINE"))
        #expect(answer["reason"] == .string("notConfigured"))
        let status = try client.call("status")
        #expect(status["outbox"]?["scans"] == .integer(1))
        #expect(status["api"]?["state"] == .string("notConfigured"))
        #expect(client.problems.isEmpty)
    }

    private static let texts: [(text: String, why: String)] = [
        ("https://example.org/", "foreign"),
        ("https://s.plings.io/?t=n&i=0OIl&p=1", "malformed"),
        ("no url at all", "foreign"),
    ]

    @Test("a submitted text that is no tag URL is a scan with its reason", arguments: texts)
    func unrecognised(_ row: (text: String, why: String)) throws {
        let station = StationProcess(Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        let reply = try client.call("scan.submit", #"{"url":"\#(row.text)"}"#)
        #expect(reply["unrecognised"] == .string(row.why))
        #expect(try client.call("status")["outbox"]?["scans"] == .integer(0))
        #expect(client.problems.isEmpty)
    }

    private static let refused: [(line: String, code: Int64, path: String?)] = [
        ("{", -32700, nil),
        ("[]", -32600, nil),
        ("7", -32600, nil),
        (#"{"id":1}"#, -32600, nil),
        (#"{"id":null,"method":"status"}"#, -32600, nil),
        (#"{"id":1.5,"method":"status"}"#, -32600, nil),
        (#"{"id":1,"method":"no.such"}"#, -32601, nil),
        (#"{"id":1,"method":"status","params":[]}"#, -32602, "params"),
        (#"{"id":1,"method":"scan.submit"}"#, -32602, "url"),
        (#"{"id":1,"method":"scan.submit","params":{"url":7}}"#, -32602, "url"),
        (#"{"id":1,"method":"subscribe","params":{"since":"then"}}"#, -32602, "since"),
        (#"{"id":1,"method":"subscribe","params":{"types":["scan",4]}}"#, -32602, "types[1]"),
    ]

    @Test("what can't be a request is refused with its number and where, and the next one counts")
    func refusals() throws {
        let station = StationProcess(Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        for row in Self.refused {
            try client.send(line: row.line)
            let (_, reply) = try client.nextReply()
            #expect(reply.error?["code"] == .integer(row.code), "\(row.line)")
            #expect(reply.path == row.path, "\(row.line)")
            #expect(reply.error?["message"]?.string?.isEmpty == false)
        }
        #expect(try client.call("status").error == nil)
        #expect(client.problems.isEmpty)
    }

    @Test("notifications get no answer, and replies come in the order of the requests")
    func order() throws {
        let station = StationProcess(Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        try client.send(
            line: #"{"method":"status"}"# + "\r\n\n" + #"{"id":"a","method":"status"}"# + "\n"
                + #"{"id":18446744073709551615,"method":"unsubscribe"}"# + "\n"
                + #"{"id":2,"method":"nothing"}"#)
        #expect(try client.nextReply().id == .string("a"))
        #expect(try client.nextReply().id == .number(Double(UInt64.max)))
        #expect(try client.nextReply().id == .integer(2))
        #expect(client.problems.isEmpty)
    }

    @Test("a line over 64 KiB gets an error and the connection ends")
    func longLine() throws {
        let station = StationProcess(Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        let padding = String(repeating: " ", count: LineSplitter.limit - 26)
        try client.send(line: #"{"id":1,"method":"status"\#(padding)}"#)
        #expect(try client.nextReply().reply.error == nil, "65,536 bytes are allowed")
        try client.send(line: #"{"id":2,"method":"status"\#(padding) }"#)
        let (id, reply) = try client.nextReply()
        #expect(id == .null)
        #expect(reply.error?["code"] == .integer(-32600))
        try client.waitUntilClosed()
        #expect(client.problems.isEmpty)
    }

    @Test("after the client's end of input replies and a subscription go on")
    func halfClosed() throws {
        let station = StationProcess(Setting.alone)
        let asker = try ProtocolClient(path: station.socket)
        try asker.send(line: #"{"id":1,"method":"status"}"#)
        try asker.send(Array(#"{"id":2,"method":"status"}"#.utf8))
        asker.finishSending()
        #expect(try asker.nextReply().id == .integer(1))
        try asker.waitUntilClosed()
        let watcher = try ProtocolClient(path: station.socket)
        _ = try watcher.call("subscribe", #"{"types":["scan"]}"#)
        watcher.finishSending()
        let other = try ProtocolClient(path: station.socket)
        _ = try other.call("scan.submit", #"{"url":"\#(Setting.url("ABC"))"}"#)
        #expect(try watcher.nextEvent("scan")["medium"] == .string("manual"))
        #expect(watcher.problems.isEmpty && asker.problems.isEmpty)
    }

    @Test("what a client asked is carried out although it closed at once")
    func closedAtOnce() throws {
        let station = StationProcess(Setting.alone)
        let watcher = try ProtocolClient(path: station.socket)
        _ = try watcher.call("subscribe", #"{"types":["scan"]}"#)
        for number in 0..<5 {
            let client = try ProtocolClient(path: station.socket)
            let url = Setting.url("ABC", path: "\(number)")
            try client.send(
                line: #"{"id":1,"method":"status"}"# + "\n"
                    + #"{"id":2,"method":"scan.submit","params":{"url":"\#(url)"}}"#)
            client.close()
            let scan = try watcher.nextEvent("scan")
            #expect(scan["identifier"]?["path"] == .string("\(number)"))
        }
        #expect(watcher.problems.isEmpty)
    }

    @Test("the 257th connection is told that the station is busy, and the others stay")
    func tooMany() throws {
        let station = StationProcess(Setting.alone)
        var clients: [ProtocolClient] = []
        // The connections that waited for the start may not all be forgotten yet.
        #expect(
            Poll.until {
                if let client = try? ProtocolClient(path: station.socket) { clients.append(client) }
                return clients.count == 256
            })
        #expect(throws: ProtocolClient.Failure.self) {
            _ = try ProtocolClient(path: station.socket)
        }
        clients.removeLast().close()
        #expect(Poll.until { (try? ProtocolClient(path: station.socket)) != nil })
        #expect(try clients[0].call("status").error == nil)
    }

    private static let isRoot = SystemUsers.effectiveUser == 0

    @Test(
        "a member of the socket's group may watch, and act only in the control group",
        .enabled(if: isRoot, "acting as others needs root"))
    func groups() throws {
        let folder = TestFolder()
        chmod(folder.path, 0o755)
        let station = StationProcess(
            in: folder, "group = \"nogroup\"\ncontrol_group = \"daemon\"\n" + Setting.alone)
        let submit = #"{"id":1,"method":"scan.submit","params":{"url":"x"}}"#
        let member = ask(station.socket, groups: "65534", submit)
        #expect(member.contains(#""may":["watch"]"#))
        #expect(member.contains(#""reason":"notAllowed""#))
        #expect(member.contains("members of the group daemon"))
        for account in ["account.login", "account.logout"] {
            let line = #"{"id":1,"method":"\#(account)","params":{"email":"a","password":"b"}}"#
            let refused = ask(station.socket, groups: "65534", line)
            #expect(refused.contains(#""reason":"notAllowed""#))
        }
        let supplementary = ask(station.socket, groups: "65534,1", submit)
        #expect(supplementary.contains(#""may":["watch","act"]"#))
        #expect(supplementary.contains(#""scan":"#))
        #expect(ask(station.socket, groups: "2", submit).contains("Permission denied"))
    }

    /// Asks as the user `nobody` in some groups, by a program of its own.
    private func ask(_ socket: String, groups: String, _ line: String) -> String {
        let first = groups.split(separator: ",").first.map(String.init) ?? groups
        let program = RunningProgram([
            "setpriv", "--reuid", "65534", "--regid", first, "--groups", groups,
            "/usr/bin/python3", "-c",
            """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            try:
                s.connect(sys.argv[1])
            except OSError as error:
                sys.exit(print(error.strerror))
            s.sendall(sys.argv[2].encode() + b"\\n")
            s.shutdown(socket.SHUT_WR)
            while data := s.recv(65536):
                print(data.decode(), end="")
            """, socket, line,
        ])
        program.wait()
        return program.output + program.errors
    }
}
