import Glibc
import LineProtocols
import Platform
import class TestRig.TestFolder
import Testing

@testable import StationClient

@Suite("plingsctl watch, over restarts")
struct WatchRestartTests {
    private let folder = TestFolder()
    private var socket: String { folder.path("socket") }

    @Test("goes on after a restart of the daemon without a hole or a repeat, and says so once")
    func restart() async throws {
        let first = try ScriptedStation(
            at: socket,
            Script.subscribed(
                from: 4, .send(Lines.event(Lines.api(5))), .send(Lines.event(Lines.api(6))),
                .awaitRelease, .sendBytes(Array(Lines.event(Lines.api(7)).utf8.dropLast(9)))))
        let path = socket
        let second = Script.resumed(
            after: 6, Lines.subscribed(from: 6), .send(Lines.event(Lines.api(7))),
            .send(Lines.event(Lines.api(8))), .awaitClose)
        let (result, problems) = try await onOwnThread {
            var run = try ProgramRun(["--socket", path, "watch", "--count", "4"])
            // The half line shows that only what was shown counts as seen.
            try run.awaitOutput("no. 6\n")
            first.proceed()
            try run.awaitErrors("plingsd is gone; waiting for it\n")
            let problems = first.problems()
            let station = try ScriptedStation(at: path, second)
            return (try run.finish(), problems + station.problems())
        }
        let lines = (5...8).map { "00:46:26.123  station  api         online · no. \($0)\n" }
        #expect(result.output == "2020-02-29\n" + lines.joined())
        #expect(
            result.errors == """
                plingsctl: plingsd is gone; waiting for it
                plingsctl: connected again

                """)
        #expect(result.ending == .exit(0))
        #expect(problems == [])
    }

    // Not in the macro: interpolations there crash the compiler of Swift 6.0.3.
    private static let gaps: [(String, String)] = [
        (
            #"{"from":19,"gap":{"first":20,"requested":4},"log":"\#(Lines.log)"}"#,
            "events 5–19 are no longer kept"
        ),
        (
            #"{"from":0,"gap":{"first":1,"requested":4},"log":"\#(Lines.otherLog)"}"#,
            "the log was replaced: going on with event 1 of the log \(Lines.otherLog)"
        ),
    ]

    @Test("says what the log no longer has after a restart", arguments: gaps)
    func gap(reply: String, sentence: String) async throws {
        let station = try ScriptedStation(
            at: socket, Script.subscribed(from: 3, .send(Lines.event(Lines.api(4)))),
            Script.resumed(
                after: 4, Lines.reply(1, reply), .send(Lines.event(Lines.api(20))), .awaitClose))
        let result = try await plingsctl("--socket", socket, "watch", "--json", "--count", "2")
        let output = Lines.api(4) + "\n" + Lines.api(20) + "\n"
        #expect(result == .init(0, output, "plingsctl: \(sentence)\n"))
        #expect(station.problems() == [])
    }

    @Test("goes on in the new log once it was replaced, also after a second restart")
    func replacedLog() async throws {
        let reply = #"{"from":0,"gap":{"first":1,"requested":4},"log":"\#(Lines.otherLog)"}"#
        let wish = #"{"log":"\#(Lines.otherLog)","since":1}"#
        let station = try ScriptedStation(
            at: socket, Script.subscribed(from: 4),
            Script.resumed(after: 4, Lines.reply(1, reply), .send(Lines.event(Lines.api(1)))),
            [
                .send(Lines.hello), .expect(Lines.subscribe(1, wish)),
                .send(Lines.subscribed(from: 1, log: Lines.otherLog)),
                .send(Lines.event(Lines.api(2))), .awaitClose,
            ])
        let result = try await plingsctl("--socket", socket, "watch", "--json", "--count", "2")
        #expect(result.output == Lines.api(1) + "\n" + Lines.api(2) + "\n")
        #expect(result.ending == .exit(0))
        #expect(station.problems() == [])
    }

    @Test("an event that could not be stored is shown and does not move the place in the log")
    func notDurable() async throws {
        let event =
            #"{"durable":false,"type":"api","at":"2020-02-28T23:46:26.123Z","state":"offline"}"#
        let station = try ScriptedStation(
            at: socket, Script.subscribed(from: 4, .send(Lines.event(event))),
            Script.resumed(after: 4, Lines.subscribed(from: 4), .send(Lines.event(Lines.api(5)))))
        let result = try await plingsctl("--socket", socket, "watch", "--count", "2")
        let text = """
            2020-02-29
            00:46:26.123  station  api         offline · not stored yet
            00:46:26.123  station  api         online · no. 5

            """
        #expect(result.output == text)
        #expect(station.problems() == [])
    }

    @Test("a daemon's goodbye is passed on, its reason made harmless, and the watch goes on")
    func bye() async throws {
        let line =
            #"{"jsonrpc":"2.0","method":"bye","params":{"last":5,"reason":"stuck\u001b[2J"}}"#
        let station = try ScriptedStation(
            at: socket, Script.subscribed(from: 4, .send(Lines.event(Lines.api(5))), .send(line)),
            Script.resumed(after: 5, Lines.subscribed(from: 5), .send(Lines.event(Lines.api(6)))))
        let result = try await plingsctl("--socket", socket, "watch", "--count", "2")
        #expect(
            result.errors == """
                plingsctl: plingsd closed the connection: stuck\\u001b[2J
                plingsctl: connected again

                """)
        #expect(station.problems() == [])
    }

    @Test("Ctrl-C ends it while it waits for a daemon that is gone, and says nothing more")
    func signalWhileWaiting() async throws {
        let station = try ScriptedStation(at: socket, Script.subscribed(from: 4))
        let path = socket
        let result = try await onOwnThread {
            var run = try ProgramRun(["--socket", path, "watch"])
            try run.awaitErrors("waiting for it\n")
            run.signal(SIGINT)
            return try run.finish()
        }
        #expect(result == .init(0, "", "plingsctl: plingsd is gone; waiting for it\n"))
        #expect(station.problems() == [])
    }
}
