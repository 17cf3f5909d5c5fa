import Glibc
import LineProtocols
import Platform
import class TestRig.TestFolder
import Testing

@testable import StationClient

@Suite("plingsctl status and submit")
struct CommandTests {
    private let folder = TestFolder()
    private var socket: String { folder.path("socket") }
    private static let url = "https://s.plings.io/?t=n&i=ABC&p=4.2.3"
    private static let submission =
        #"{"id":1,"jsonrpc":"2.0","method":"scan.submit","params":{"url":"\#(url)"}}"#

    private func station(_ request: String, _ reply: String) throws -> ScriptedStation {
        try ScriptedStation(
            at: socket, [.send(Lines.hello), .expect(request), .send(reply), .awaitClose])
    }

    @Test("status --json prints the reply's object as it was sent")
    func statusJSON() async throws {
        let object = #"{ "station":"kiosk-3", "new":1.50,"api":{"state":"later"} }"#
        let request = #"{"id":1,"jsonrpc":"2.0","method":"status","params":{}}"#
        let station = try station(request, Lines.reply(1, object))
        let result = try await plingsctl("--socket", socket, "status", "--json")
        #expect(result == .init(0, object + "\n", ""))
        #expect(station.problems() == [])
    }

    @Test("status shows people a report")
    func status() async throws {
        let request = #"{"id":1,"jsonrpc":"2.0","method":"status","params":{}}"#
        let reply = Lines.reply(1, #"{"station":"kiosk-3","version":"0.1.0","uptimeSeconds":61}"#)
        let station = try station(request, reply)
        let result = try await plingsctl("--socket", socket, "status")
        #expect(
            result.output.hasPrefix("station   kiosk-3\nversion   plingsd 0.1.0 · up 1 min 1 s\n"))
        #expect(result.ending == .exit(0))
        #expect(station.problems() == [])
    }

    @Test("submit prints the scan's id")
    func submit() async throws {
        let station = try station(Self.submission, Lines.reply(1, #"{"scan":"0197c9a4"}"#))
        let result = try await plingsctl("submit", Self.url, "--socket", socket)
        #expect(result == .init(0, "0197c9a4\n", ""))
        #expect(station.problems() == [])
    }

    @Test(
        "submit says why a URL is no tag's and ends with a status of its own",
        arguments: [
            ("foreign", "foreign (something that is not ours)"),
            ("malformed", "malformed (our host, but not a valid tag URL)"),
            ("brandNew", "brandNew"),
        ])
    func unrecognised(word: String, sentence: String) async throws {
        let reply = Lines.reply(1, #"{"scan":"0197c9a4","unrecognised":"\#(word)"}"#)
        let station = try station(Self.submission, reply)
        let result = try await plingsctl("--socket", socket, "submit", Self.url)
        #expect(result == .init(3, "0197c9a4\n", "plingsctl: unrecognised: \(sentence)\n"))
        #expect(station.problems() == [])
    }

    @Test("submit of a URL that a shell has cut says to put it in quotes")
    func cutURL() async throws {
        let url = "https://s.plings.io/?t=n"
        let request = #"{"id":1,"jsonrpc":"2.0","method":"scan.submit","params":{"url":"\#(url)"}}"#
        let reply = Lines.reply(1, #"{"scan":"0197c9a4","unrecognised":"malformed"}"#)
        let station = try station(request, reply)
        let result = try await plingsctl("--socket", socket, "submit", url)
        let errors = """
            plingsctl: unrecognised: malformed (our host, but not a valid tag URL)
            plingsctl: a shell cuts a URL at its first &: put it in single quotes

            """
        #expect(result == .init(3, "0197c9a4\n", errors))
        #expect(station.problems() == [])
    }

    @Test("submit tells who may when the user may not")
    func notAllowed() async throws {
        let error = RequestError.station(.notAllowed, "you may not give orders")
        let station = try station(Self.submission, Lines.refusal(1, error))
        let result = try await plingsctl("--socket", socket, "submit", Self.url)
        let sentence = """
            you may not give orders. Orders are for root, the station's own user and the control \
            group: `plings` unless control_group under [socket] names another. To become a member: \
            `sudo usermod -aG plings $USER`, then log in again.
            """
        #expect(result == .init(1, "", "plingsctl: \(sentence)\n"))
        #expect(station.problems() == [])
    }

    @Test("submit refuses a URL that no line can carry before the daemon must")
    func longURL() async throws {
        let station = try ScriptedStation(at: socket, [.send(Lines.hello), .awaitClose])
        let url = "https://s.plings.io/" + String(repeating: "a", count: 65_536)
        let result = try await plingsctl("--socket", socket, "submit", url)
        #expect(result == .init(1, "", "plingsctl: a line may have at most 65536 bytes\n"))
        #expect(station.problems() == [])
    }

    @Test("a daemon's message does nothing to the terminal")
    func harmlessError() async throws {
        let error = RequestError.station(.busy, "later\u{1B}]0;title\u{7}\u{202E}")
        let station = try station(Self.submission, Lines.refusal(1, error))
        let result = try await plingsctl("--socket", socket, "submit", Self.url)
        let text = #"plingsctl: later\u001b]0;title\u0007\u202e"# + "\n"
        #expect(result == .init(1, "", text))
        #expect(station.problems() == [])
    }

    // MARK: No station

    @Test("says that nobody listens and how to start the station", arguments: [true, false])
    func notRunning(socketIsLeft: Bool) async throws {
        if socketIsLeft {
            _ = try UnixSocket.listen(at: socket, mode: 0o600, group: nil)
        }
        for command in ["watch", "status"] {
            let result = try await plingsctl("--socket", socket, command)
            let sentence = """
                nobody listens at \(socket). Start the station with `systemctl start plingsd`, or \
                with `plingsd` from the build folder.
                """
            #expect(result == .init(1, "", "plingsctl: \(sentence)\n"))
        }
    }

    @Test("says that a file is not a socket")
    func notASocket() async throws {
        _ = try Descriptor.open(folder.path("file"), O_CREAT | O_WRONLY)
        let result = try await plingsctl("--socket", folder.path("file"), "status")
        #expect(result == .init(1, "", "plingsctl: \(folder.path("file")) is not a socket\n"))
    }

    @Test("says why the socket is closed to the user")
    func denied() async throws {
        // Group members may, the owner may not: root is the owner too once it has no capabilities.
        let listener = try UnixSocket.listen(at: socket, mode: 0o020, group: nil)
        let path = socket
        let result = try await onOwnThread {
            let bare = ["/usr/bin/setpriv", "--bounding-set=-all", ProgramRun.plingsctl]
            let program = geteuid() == 0 ? bare : [ProgramRun.plingsctl]
            var run = try ProgramRun(program: program + ["--socket", path, "status"])
            return try run.finish()
        }
        #expect(result.errors.hasPrefix("plingsctl: you may not connect to \(socket): "))
        #expect(result.ending == .exit(1))
        _ = consume listener
    }

    @Test("output that can't be written is an error with a sentence")
    func fullOutput() async throws {
        let result = try await onOwnThread {
            let command = #""$0" version > /dev/full"#
            let shell = ["/bin/sh", "-c", command, ProgramRun.plingsctl]
            var run = try ProgramRun(program: shell)
            return try run.finish()
        }
        let sentence = "write to standard output: No space left on device"
        #expect(result == .init(1, "", "plingsctl: \(sentence)\n"))
    }

    // MARK: Usage

    @Test("prints its version", arguments: [["version"], ["--version"]])
    func version(arguments: [String]) async throws {
        let result = try await onOwnThread {
            var run = try ProgramRun(arguments)
            return try run.finish()
        }
        #expect(result == .init(0, "plingsctl \(Plingsctl.version)\n", ""))
    }

    // Not in the macro: closures there crash the compiler of Swift 6.0.3.
    private static let helpCalls =
        [["help"], ["--help"], ["-h"]] + Invocation.commands.map { [$0, "--help"] }
        + Invocation.commands.map { ["help", $0] }

    @Test("prints help with examples for every command", arguments: helpCalls)
    func help(arguments: [String]) async throws {
        let result = try await onOwnThread {
            var run = try ProgramRun(arguments)
            return try run.finish()
        }
        #expect(result.ending == .exit(0))
        #expect(result.output.hasPrefix("Usage: plingsctl "))
        #expect(result.output.contains("Example"))
        #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(result.errors == "")
    }

    @Test(
        "wrong usage ends with status 2, a sentence and where to read on",
        arguments: [
            (["wacht"], "there is no command wacht; did you mean watch?", ""),
            (
                [],
                "a command is missing: watch, status, submit, outbox, metrics, doctor, login, "
                    + "logout, version, help", ""
            ),
            (["status", "--jsno"], "there is no option --jsno; did you mean --json?", "status "),
            (["submit"], "submit takes one URL", "submit "),
        ])
    func usage(arguments: [String], sentence: String, topic: String) async throws {
        let result = try await onOwnThread {
            var run = try ProgramRun(arguments)
            return try run.finish()
        }
        let text = "plingsctl: \(sentence)\nTry `plingsctl \(topic)--help`.\n"
        #expect(result == .init(2, "", text))
    }
}
