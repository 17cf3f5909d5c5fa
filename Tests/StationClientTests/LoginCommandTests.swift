import Glibc
import LineProtocols
import Platform
import class TestRig.TestFolder
import Testing

@testable import StationClient

@Suite("plingsctl login and logout")
struct LoginCommandTests {
    private let folder = TestFolder()
    private var socket: String { folder.path("socket") }
    private static let request =
        #"{"id":1,"jsonrpc":"2.0","method":"account.login","params":"#
        + #"{"email":"a@b.se","password":"correct horse"}}"#

    private func station(_ request: String, _ reply: String) throws -> ScriptedStation {
        try ScriptedStation(
            at: socket, [.send(Lines.hello), .expect(request), .send(reply), .awaitClose])
    }

    /// Runs a shell command in which `$CTL` is plingsctl with the socket.
    private func shell(_ command: String) async throws -> ProgramRun.Result {
        let path = socket
        return try await onOwnThread {
            let program = "\(ProgramRun.plingsctl) --socket \(path)"
            var run = try ProgramRun(
                program: ["/bin/sh", "-c", command], environment: ["CTL": program])
            return try run.finish()
        }
    }

    @Test("the password comes from standard input where that is no terminal")
    func pipe() async throws {
        let reply = Lines.reply(1, #"{"account":"u1","expiresAt":"2026-11-30T02:00:00.000Z"}"#)
        let station = try station(Self.request, reply)
        let result = try await shell("echo 'correct horse' | $CTL login --email a@b.se")
        let sentence = "Logged in as u1. The station renews the session by itself.\n"
        #expect(result == .init(0, sentence, ""))
        #expect(station.problems() == [])
    }

    @Test("at a terminal it asks for both, and shows no password")
    func terminal() async throws {
        let reply = Lines.reply(1, #"{"expiresAt":"2026-11-30T02:00:00.000Z"}"#)
        let station = try station(Self.request, reply)
        // The typing begins once each question is there, as a person's would.
        let result = try await onOwnThread { [socket] in
            let command = "\(ProgramRun.plingsctl) --socket \(socket) login"
            var run = try ProgramRun(
                program: ["/usr/bin/script", "-qec", command, "/dev/null"])
            try run.awaitOutput("E-mail: ")
            run.type("a@b.se\n")
            try run.awaitOutput("Password: ")
            run.type("correct horse\n")
            return try run.finish()
        }
        #expect(result.ending == .exit(0))
        #expect(result.output.contains("Logged in. The station renews"))
        #expect(!result.output.contains("horse"))
        #expect(station.problems() == [])
    }

    @Test("a refusal is said as the station says it, and ends with status 1")
    func refused() async throws {
        let error = RequestError.station(.refused, "the auth server refuses this")
        let station = try station(Self.request, Lines.refusal(1, error))
        let result = try await shell("echo 'correct horse' | $CTL login --email a@b.se")
        #expect(result == .init(1, "", "plingsctl: the auth server refuses this\n"))
        #expect(station.problems() == [])
    }

    @Test("who may not is told who may")
    func notAllowed() async throws {
        let error = RequestError.station(.notAllowed, "you may not")
        let request = #"{"id":1,"jsonrpc":"2.0","method":"account.logout","params":{}}"#
        let station = try station(request, Lines.refusal(1, error))
        let result = try await plingsctl("--socket", socket, "logout")
        #expect(result.errors.hasPrefix("plingsctl: you may not. Orders are for root, "))
        #expect(result.ending == .exit(1))
        #expect(station.problems() == [])
    }

    @Test("an older station says that it must be updated")
    func older() async throws {
        let request = #"{"id":1,"jsonrpc":"2.0","method":"account.logout","params":{}}"#
        let error = RequestError.unknownMethod("account.logout")
        let station = try station(request, Lines.refusal(1, error))
        let result = try await plingsctl("--socket", socket, "logout")
        let sentence = "plingsctl: this plingsd is too old to log in: update it\n"
        #expect(result == .init(1, "", sentence))
        #expect(station.problems() == [])
    }

    @Test("a logout that the server could not be told of says so, and has worked")
    func notRevoked() async throws {
        let request = #"{"id":1,"jsonrpc":"2.0","method":"account.logout","params":{}}"#
        let station = try station(request, Lines.reply(1, #"{"notRevoked":"it is away"}"#))
        let result = try await plingsctl("--socket", socket, "logout")
        let notice = """
            plingsctl: the station has forgotten the session, but the auth server could not be \
            told: it is away

            """
        let sentence = "Logged out. Scans are kept until somebody logs in again.\n"
        #expect(result == .init(0, sentence, notice))
        #expect(station.problems() == [])
    }

    @Test("without an address or a password nothing is asked of the station")
    func usage() async throws {
        let noAddress = try await shell("echo x | $CTL login")
        #expect(noAddress.ending == .exit(2))
        #expect(
            noAddress.errors
                == "plingsctl: login needs --email where standard input is no terminal\n"
                + "Try `plingsctl login --help`.\n")
        let empty = try await shell("$CTL login --email a@b.se </dev/null")
        #expect(empty.ending == .exit(2))
        #expect(empty.errors.hasPrefix("plingsctl: the password is empty\n"))
        let argument = try await shell("$CTL login --email a@b.se secret </dev/null")
        #expect(argument.ending == .exit(2))
    }

    @Test("given up at the password, the terminal shows again what is typed")
    func interrupted() async throws {
        let result = try await onOwnThread { [socket] in
            let ctl = "\(ProgramRun.plingsctl) --socket \(socket)"
            let command = "trap : INT; \(ctl) login --email a@b.se; stty -a"
            var run = try ProgramRun(
                program: ["/usr/bin/script", "-qec", command, "/dev/null"])
            try run.awaitOutput("Password: ")
            run.type("\u{3}")
            return try run.finish()
        }
        #expect(result.output.contains("given up; nothing has changed"))
        #expect(result.output.contains(" echo "))
    }
}
