import Platform
import TestRig
import Testing

@Suite("Reader programs", .serialized)
struct ExternalReaderTests {
    private func events(
        _ station: StationProcess, _ filter: String = #"{"since":"start"}"#
    ) throws -> ProtocolClient {
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", filter)
        return client
    }

    @Test("a script that speaks the reader protocol is a reader")
    func script() throws {
        let folder = TestFolder()
        let lines = [
            Setting.introduction, Setting.device("gate"),
            Setting.arrive("gate", token: "1", url: Setting.url("ABC")),
        ]
        let station = StationProcess(in: folder, Setting.script(folder, name: "dock", lines))
        let client = try events(station)
        let scan = try client.nextEvent("scan")
        #expect(scan["reader"]?["id"] == .string("gate"))
        #expect(scan["reader"]?["name"] == .string("dock"))
        #expect(scan["reader"]?["kind"] == .string("exec"))
        #expect(scan["tag"]?["technology"] == .string("barcode"))
        #expect(scan["identifier"]?["identifier"] == .string("ABC"))
        #expect(client.problems.isEmpty)
    }

    private static let broken: [(lines: [String], cause: String)] = [
        (["not json"], "not JSON"),
        ([Setting.device("d")], "does not introduce"),
        ([#"{"reader":{"protocol":2,"program":"x","version":"1"}}"#], "does not introduce"),
    ]

    @Test(
        "a program that breaks the protocol is replaced and the cause is logged", arguments: broken)
    func breaksProtocol(_ row: (lines: [String], cause: String)) throws {
        let folder = TestFolder()
        let station = StationProcess(
            in: folder, Setting.script(folder, name: "odd", row.lines) + "[log]\nlevel=\"info\"\n")
        #expect(
            Poll.until { station.program.errors.contains(row.cause) }, "\(station.program.errors)")
        let line = "warning: a reader program is replaced reader=odd cause="
        #expect(station.program.errors.contains(line), "\(station.program.errors)")
        let client = try events(station)
        let event = try client.nextEvent("reader")
        #expect(event["reason"]?.string?.contains(row.cause) == true)
        #expect(client.problems.isEmpty)
    }

    @Test("what is left out of a program's lines is warned of once, by member, with its name")
    func leftOut() throws {
        let folder = TestFolder()
        let noToken = #"{"arrive":{"device":"g","medium":"qr","bootNanoseconds":1}}"#
        let text =
            #"{"arrive":{"device":"g","token":"1","medium":"qr","bootNanoseconds":1,"#
            + #""payload":"https://s.plings.io/"}}"#
        let lines = [
            Setting.introduction, Setting.device("g"), noToken, noToken, #"{"arive":{}}"#, text,
        ]
        let station = StationProcess(in: folder, Setting.script(folder, name: "gate", lines))
        let client = try events(station)
        #expect(try client.nextEvent("scan")["unrecognised"] == .string("unreadable"))
        let log = station.program.errors
        let left = "warning: a line of a reader program is left out reader=gate cause="
        #expect(log.components(left + "\"arrive.token is missing\"\n") == 1, "\(log)")
        let unknown = left + #""the line holds no known message, but \"arive\"""#
        #expect(log.components(unknown + "\n") == 1, "\(log)")
        let member = "warning: a member of an arrival is left out reader=gate cause="
        #expect(log.components(member + "\"payload is no hexadecimal\"\n") == 1, "\(log)")
    }

    @Test("a program that can't be started is shown with the cause and tried again")
    func missing() throws {
        let folder = TestFolder()
        let program = "\(folder.path)/later.sh"
        let station = StationProcess(
            in: folder, "[[reader]]\nkind = \"exec\"\nname = \"late\"\ncommand = [\"\(program)\"]\n"
        )
        let client = try events(station)
        let event = try client.nextEvent("reader")
        #expect(event["state"] == .string("disconnected"))
        #expect(event["reason"] == .string("\(program) is not there"))
        folder.write("later.sh", "#!/nowhere/sh\n", mode: 0o700)
        let lost = try client.nextEvent("reader")["reason"]
        #expect(lost == .string("the interpreter of \(program), /nowhere/sh, is not there"))
        _ = Setting.script(folder, name: "later", [Setting.introduction, Setting.device("d")])
        #expect(try client.nextEvent("reader")["state"] == .string("ready"))
        #expect(client.problems.isEmpty)
    }

    @Test("a tag that lies still is not announced anew by a reader that was restarted")
    func readerRestart() throws {
        let folder = TestFolder()
        let lines = [
            Setting.introduction, Setting.device("d"),
            Setting.arrive("d", token: "1", url: Setting.url("ABC"), uid: "04aa"),
        ]
        let station = StationProcess(
            in: folder, Setting.script(folder, name: "short", lines, then: "sleep 0.2; true"))
        let client = try events(station)
        _ = try client.nextEvent("scan")
        let restarts = Poll.until {
            station.program.errors.components("has ended") >= 1
        }
        #expect(restarts)
        #expect(throws: ProtocolClient.Failure.self) {
            _ = try client.nextEvent("scan", within: .seconds(2))
        }
        #expect(client.problems.isEmpty)
    }

    @Test("a reader that floods or hangs does not hold up a tag on another")
    func neighbours() throws {
        let folder = TestFolder()
        let flood = Setting.script(
            folder, name: "flood",
            [Setting.introduction, Setting.device("f")], then: "yes '{\"alive\":{}}' >&1; cat")
        let good = Setting.script(
            folder, name: "good",
            [
                Setting.introduction, Setting.device("g"),
                Setting.arrive("g", token: "1", url: Setting.url("ABC")),
            ])
        let station = StationProcess(in: folder, flood + good)
        let client = try events(station, #"{"since":"start","types":["scan"]}"#)
        #expect(try client.nextEvent("scan")["reader"]?["name"] == .string("good"))
    }

    @Test("the station's own readers may neither watch nor act on its socket")
    func readersMayNotConnect() throws {
        let folder = TestFolder()
        let answer = "\(folder.path)/answer"
        let script = folder.write(
            "spy.py",
            """
            #!/usr/bin/python3
            import socket, sys, time
            print('\(Setting.introduction)', flush=True)
            time.sleep(0.3)
            s = socket.socket(socket.AF_UNIX)
            s.connect("\(folder.path)/s.sock")
            s.sendall(b'{"id":1,"method":"status"}\\n')
            s.shutdown(socket.SHUT_WR)
            data = b""
            while piece := s.recv(65536):
                data += piece
            open("\(answer).new", "wb").write(data)
            import os
            os.rename("\(answer).new", "\(answer)")
            sys.stdin.read()
            """, mode: 0o700)
        let station = StationProcess(
            in: folder, "[[reader]]\nkind = \"exec\"\ncommand = [\"\(script)\"]\n")
        #expect(Poll.until { FilePath.exists(answer) }, "\(station.program.errors)")
        let text = RunningProgram(["cat", answer])
        text.wait()
        #expect(text.output.contains(#""may":[]"#))
        #expect(text.output.contains(#""reason":"notAllowed""#))
    }
}

extension String {
    /// How often a text stands in this one.
    fileprivate func components(_ text: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
