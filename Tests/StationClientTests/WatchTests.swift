import Glibc
import LineProtocols
import Platform
import class TestRig.TestFolder
import Testing

@testable import StationClient

@Suite("plingsctl watch")
struct WatchTests {
    private let folder = TestFolder()
    private var socket: String { folder.path("socket") }

    @Test("prints the event objects byte for byte with --json")
    func jsonBytes() async throws {
        let objects = [
            #"{"seq":1,"type":"scan","at":"2020-02-28T23:46:26.123Z","zz":[1, 2 ,{"a":1.50}]}"#,
            #"{ "type" : "reader" , "reader" : {"name":"a\u0062\"}{"} , "seq":2 }"#,
            #"{"seq":3,"type":"new","n":1E+2,"text":"åäö 🏷 \/"}"#,
        ]
        let events = objects.map { ScriptedStation.Step.send(Lines.event($0)) }
        let station = try ScriptedStation(
            at: socket, Script.subscribed(from: 0) + events + [.awaitClose])
        let result = try await plingsctl("--socket", socket, "watch", "--json", "--count", "3")
        #expect(result == .init(0, objects.map { $0 + "\n" }.joined(), ""))
        #expect(station.problems() == [])
    }

    @Test("asks for what the options say")
    func options() async throws {
        let wish =
            #"{"log":"\#(Lines.log)","readers":["door","back"],"since":7,"types":["api","scan"]}"#
        let station = try ScriptedStation(
            at: socket,
            [
                .send(Lines.hello), .expect(Lines.subscribe(1, wish)),
                .send(Lines.subscribed(from: 7)), .send(Lines.event(Lines.api(8))), .awaitClose,
            ])
        let result = try await plingsctl(
            "watch", "--types", "api,scan", "--reader", "door", "--reader=back", "--since=7",
            "--log", Lines.log, "--count=1", "--json", environment: ["PLINGSD_SOCKET": socket])
        #expect(result == .init(0, Lines.api(8) + "\n", ""))
        #expect(station.problems() == [])
    }

    @Test("shows people the local time, the reader and what happened")
    func lines() async throws {
        let scan = """
            {"seq":1,"type":"scan","at":"2020-02-28T23:46:26.123Z","reader":{"id":"a",\
            "name":"door","kind":"pcsc"},"medium":"nfc","tag":{"technology":"iso14443a",\
            "uid":"04a1"},"identifier":{"type":"n","identifier":"4kyQCd5tMDj","path":"4.2.3"}}
            """
        let station = try ScriptedStation(
            at: socket, Script.subscribed(from: 0, .send(Lines.event(scan)), .awaitClose))
        let result = try await plingsctl("--socket", socket, "watch", "--count", "1")
        let text = """
            2020-02-29
            00:46:26.123  door     scan        4kyQCd · path 4.2.3 · iso14443a 04a1

            """
        #expect(result == .init(0, text, ""))
        #expect(station.problems() == [])
    }

    @Test("words of the filters that the station does not know are told, with what was meant")
    func ignored() async throws {
        let reply = #"{"from":0,"ignored":["scna","dor"],"log":"\#(Lines.log)"}"#
        let wish = #"{"readers":["dor"],"since":"now","types":["scna","api"]}"#
        let station = try ScriptedStation(
            at: socket,
            [
                .send(Lines.hello), .expect(Lines.subscribe(1, wish)), .send(Lines.reply(1, reply)),
                .send(Lines.event(Lines.api(1))), .awaitClose,
            ])
        let result = try await plingsctl(
            "--socket", socket, "watch", "--json", "--count", "1", "--types", "scna,api",
            "--reader", "dor")
        let sentence = "the station has no such type of event or reader: scna (scan?), dor"
        #expect(result.errors == "plingsctl: \(sentence)\n")
        #expect(station.problems() == [])
    }

    @Test("a station that has none of the wished types ends it at once as wrong usage")
    func nothingToWatch() async throws {
        let reply = #"{"from":0,"ignored":["scn"],"log":"\#(Lines.log)"}"#
        let wish = #"{"since":"now","types":["scn"]}"#
        let station = try ScriptedStation(
            at: socket,
            [
                .send(Lines.hello), .expect(Lines.subscribe(1, wish)), .send(Lines.reply(1, reply)),
                .awaitClose,
            ])
        let result = try await plingsctl("--socket", socket, "watch", "--types", "scn")
        let sentence = "the station has no such type of event or reader: scn (scan?)"
        let help = "Try `plingsctl watch --help`."
        #expect(result == .init(2, "", "plingsctl: \(sentence)\n\(help)\n"))
        #expect(station.problems() == [])
    }

    @Test("ends quietly when whoever reads the output goes, even while nothing happens")
    func closedOutput() async throws {
        let station = try ScriptedStation(
            at: socket, Script.subscribed(from: 4, .send(Lines.event(Lines.api(5))), .awaitClose))
        let path = socket
        let result = try await onOwnThread {
            var run = try ProgramRun(["--socket", path, "watch", "--json"])
            try run.awaitOutput("\n")
            try run.closeOutput()
            return try run.finish()
        }
        #expect(result == .init(0, Lines.api(5) + "\n", ""))
        #expect(station.problems() == [])
    }

    @Test("ends quietly in a shell's pipe whose end has read enough")
    func pipeline() async throws {
        let events = (5...2000).map { ScriptedStation.Step.send(Lines.event(Lines.api($0))) }
        let opening = Script.subscribed(from: 4)
        _ = try ScriptedStation(at: socket, opening + events + [.awaitClose])
        let command = #"{ "$0" --socket "$1" watch --json; echo "status $?" >&2; } | head -n 1"#
        let path = socket
        let result = try await onOwnThread {
            let shell = ["/bin/sh", "-c", command, ProgramRun.plingsctl, path]
            var run = try ProgramRun(program: shell)
            return try run.finish()
        }
        #expect(result == .init(0, Lines.api(5) + "\n", "status 0\n"))
    }

    @Test(
        "a person's Ctrl-C and a service manager's SIGTERM end it well",
        arguments: [SIGINT, SIGTERM])
    func signals(signal: Int32) async throws {
        let station = try ScriptedStation(
            at: socket, Script.subscribed(from: 4, .send(Lines.event(Lines.api(5))), .awaitClose))
        let path = socket
        let result = try await onOwnThread {
            var run = try ProgramRun(["--socket", path, "watch", "--json"])
            try run.awaitOutput("\n")
            run.signal(signal)
            return try run.finish()
        }
        #expect(result == .init(0, Lines.api(5) + "\n", ""))
        #expect(station.problems() == [])
    }

    @Test("colours lines when it is told to, whatever NO_COLOR says")
    func colours() async throws {
        let station = try ScriptedStation(
            at: socket, Script.subscribed(from: 4, .send(Lines.event(Lines.api(5))), .awaitClose))
        let result = try await plingsctl(
            "--socket", socket, "watch", "--count", "1", "--color", "always",
            environment: ["NO_COLOR": "1"])
        let text =
            "\u{1B}[2m2020-02-29\u{1B}[0m\n\u{1B}[2m00:46:26.123\u{1B}[0m  station  api         "
            + "\u{1B}[32monline\u{1B}[0m · no. 5\n"
        #expect(result == .init(0, text, ""))
        #expect(station.problems() == [])
    }

    private static let garbledCases: [(String, String)] = [
        ("{]", "the line is not JSON"), ("[]", "a line is not a JSON object"),
        ("{\"a\":\"\u{FFFD}\"", "the line is not JSON"),
    ]

    @Test(
        "a station that breaks the protocol ends it with a sentence",
        arguments: garbledCases)
    func garbled(line: String, reason: String) async throws {
        let station = try ScriptedStation(
            at: socket, Script.subscribed(from: 4, .send(line), .awaitClose))
        let result = try await plingsctl("--socket", socket, "watch")
        let sentence = "what comes from \(socket) is not the station protocol: \(reason)"
        #expect(result == .init(1, "", "plingsctl: \(sentence)\n"))
        #expect(station.problems() == [])
    }

    @Test("a line of more than 1 MiB ends it with a sentence; one of 1 MiB is printed")
    func longLine() async throws {
        let head = #"{"jsonrpc":"2.0","method":"event","params":{"seq":5,"text":""#
        let tail = #""}}"#
        let length = 1_048_576 - head.utf8.count - tail.utf8.count
        let longest = head + String(repeating: "a", count: length) + tail
        let station = try ScriptedStation(
            at: socket,
            Script.subscribed(
                from: 4, .send(longest), .send("a" + longest), .awaitClose))
        let result = try await plingsctl("--socket", socket, "watch", "--json")
        #expect(
            result.output.utf8.count == 1_048_576
                - #"{"jsonrpc":"2.0","method":"event","params":"#.utf8.count)
        let sentence = """
            what comes from \(socket) is not the station protocol: a line has more than 1048576 \
            bytes
            """
        #expect(result.errors == "plingsctl: \(sentence)\n")
        #expect(result.ending == .exit(1))
        #expect(station.problems() == [])
    }

    @Test("a subscription that is refused ends it with the daemon's sentence")
    func refused() async throws {
        let error = RequestError.station(.notAllowed, "a reader program may not watch")
        let station = try ScriptedStation(
            at: socket,
            [
                .send(Lines.hello), .expect(Lines.subscribe(1, #"{"since":"now"}"#)),
                .send(Lines.refusal(1, error)), .awaitClose,
            ])
        let result = try await plingsctl("--socket", socket, "watch")
        #expect(result == .init(1, "", "plingsctl: a reader program may not watch\n"))
        #expect(station.problems() == [])
    }
}
