import FoundationEssentials
import Glibc
import LineProtocols
import Platform
import TestRig
import Testing

/// The clients in docs/examples, run as they are.
@Suite("the example clients", .serialized)
struct ExampleClientTests {
    private let folder = TestFolder()

    enum Language: String, CaseIterable, Sendable {
        case python, node, swift
    }

    /// The languages that can be run here.
    private static let languages = Language.allCases.filter { $0.interpreter != nil }

    /// The command of a client, compiled where it must be.
    private func command(_ language: Language) throws -> [String] {
        let examples = Repository.path("docs/examples")
        let interpreter = try #require(language.interpreter)
        switch language {
        case .python: return [interpreter, "\(examples)/client.py"]
        case .node: return [interpreter, "\(examples)/client.mjs"]
        case .swift:
            let program = "\(folder.path)/client"
            let compiler = RunningProgram([
                interpreter, "-o", program, "\(examples)/client.swift",
            ])
            #expect(compiler.wait(seconds: 300) == .exit(0), "\(compiler.errors)")
            return [program]
        }
    }

    private func url(_ number: Int) -> String {
        "https://s.plings.io/?t=n&i=ABC&p=\(number)"
    }

    private func submit(_ station: StationProcess, _ number: Int) throws {
        let client = try ProtocolClient(path: station.socket)
        let reply = try client.call("scan.submit", #"{"url":"\#(url(number))"}"#)
        #expect(reply["scan"] != nil)
    }

    /// What a client has kept; nil while there is nothing.
    private func kept(_ place: String) -> JSONValue? {
        guard let text = try? Data(contentsOf: URL(filePath: place)) else { return nil }
        return try? JSONValue(parsing: String(decoding: text, as: UTF8.self))
    }

    /// Whether a client comes to print the answers to so many scans, from one on, each once.
    private func shows(_ client: RunningProgram, _ numbers: ClosedRange<Int>) -> Bool {
        let expected = numbers.map { "OFFLINE - \(url($0))" }
        return Poll.until { client.output.split(separator: "\n").map(String.init) == expected }
    }

    @Test("go on where they were over restarts of both sides", arguments: languages)
    func restarts(_ language: Language) throws {
        let command = try command(language)
        let place = "\(folder.path)/place"
        var station = StationProcess(in: folder)
        var client = RunningProgram(command + [station.socket, place])
        defer { client.kill() }
        try submit(station, 1)
        #expect(shows(client, 1...1), "\(client.output)\(client.errors)")
        station.stop()
        station = StationProcess(in: folder)
        try submit(station, 2)
        #expect(shows(client, 1...2), "\(client.output)\(client.errors)")
        let last = try ProtocolClient(path: station.socket).hello["last"]
        #expect(Poll.until { kept(place)?["since"] == last }, "the place follows what was shown")
        client.kill()
        try submit(station, 3)
        client = RunningProgram(command + [station.socket, place])
        #expect(shows(client, 3...3), "\(client.output)\(client.errors)")
        station.stop()
        #expect(rename("\(folder.path)/store", "\(folder.path)/old") == 0)
        station = StationProcess(in: folder)
        try submit(station, 4)
        #expect(shows(client, 3...4), "\(client.output)\(client.errors)")
        #expect(client.errors.contains("events before 1 are gone"))
    }

    @Test("wait for a station that is not there yet", arguments: languages)
    func notThereYet(_ language: Language) throws {
        let client = RunningProgram(
            try command(language) + ["\(folder.path)/s.sock", "\(folder.path)/place"])
        defer { client.kill() }
        // Long enough for the first connection to have failed, whatever the machine does.
        #expect(client.wait(seconds: 2) == nil, "\(client.errors)")
        let station = StationProcess(in: folder)
        try submit(station, 1)
        #expect(shows(client, 1...1), "\(client.output)\(client.errors)")
        #expect(client.errors.isEmpty, "\(client.errors)")
    }

    @Test("say in one sentence that their place is damaged or can't be kept", arguments: languages)
    func damagedPlace(_ language: Language) throws {
        let command = try command(language)
        let station = StationProcess(in: folder)
        try submit(station, 1)
        for text in ["{\"since\": 4", "[]", "{\"since\": \"yesterday\"}", ""] {
            let place = folder.write("place", text)
            let sentence = "\(place) is damaged: delete it to begin with the first event\n"
            expect(command + [station.socket, place], toEndWith: sentence)
        }
        let missing = "\(folder.path)/nowhere/place"
        expect(command + [station.socket, missing], toEndWith: "\(missing) can't be written")
    }

    /// Expects a client to end with one line that begins with a sentence.
    private func expect(_ command: [String], toEndWith sentence: String) {
        let client = RunningProgram(command)
        #expect(client.wait() == .exit(1))
        let isSaid = client.errors.hasPrefix(sentence)
        #expect(isSaid, "\(client.errors)")
        let lines = client.errors.split(separator: "\n").count
        #expect(lines == 1, "\(client.errors)")
    }

    @Test("resume after a farewell from the last event they have dealt with", arguments: languages)
    func farewell(_ language: Language) throws {
        let command = try command(language)
        let place = "\(folder.path)/place"
        let log = Wire.log
        let station = try ScriptedStation(connections: [
            { connection in
                connection.send(Wire.hello)
                _ = connection.line()
                connection.send(Wire.subscribed(1, from: 6) + Wire.event(7))
                connection.send(
                    #"{"jsonrpc":"2.0","method":"bye","params":{"last":7,"reason":"stuck"}}"# + "\n"
                )
            },
            { connection in
                connection.send(Wire.hello)
                let line = connection.line() ?? ""
                let request = try? JSONValue(parsing: line)["params"]
                let isResumed =
                    request?["since"] == .integer(7) && request?["log"] == .string(log)
                connection.send(Wire.subscribed(1, from: isResumed ? 41 : 0))
                _ = connection.line()
            },
        ])
        let client = RunningProgram(command + [station.path, place])
        defer { client.kill() }
        #expect(Poll.until { kept(place)?["since"] == .integer(41) })
        #expect(client.errors.contains("stuck"))
    }
}

extension ExampleClientTests.Language {
    /// What runs or compiles a client; nil where it is not installed.
    var interpreter: String? {
        switch self {
        case .python: Self.found("python3")
        case .node: Self.found("nodejs") ?? Self.found("node")
        case .swift: Self.found("swiftc")
        }
    }

    private static func found(_ name: String) -> String? {
        let folders = (ProcessEnvironment.current["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first(where: FilePath.isExecutable)
    }
}
