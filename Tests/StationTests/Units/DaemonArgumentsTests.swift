import Scanning
import Testing

@testable import Station

@Suite("The arguments of plingsd")
struct DaemonArgumentsTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let command: Daemon.Command

        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(
        "say what to do",
        arguments: [
            Example(arguments: [], command: .serve(file: nil)),
            Example(arguments: ["--config", "a.toml"], command: .serve(file: "a.toml")),
            Example(arguments: ["--check-config", "a.toml"], command: .check(file: "a.toml")),
            Example(
                arguments: ["--check-store", "/var/lib/plingsd"],
                command: .checkStore(directory: "/var/lib/plingsd")),
            Example(
                arguments: ["--check-store"], command: .refuse("--check-store needs a directory")),
            Example(arguments: ["--config", "--help"], command: .serve(file: "--help")),
            Example(arguments: ["--config"], command: .refuse("--config needs a file")),
            Example(arguments: ["--check-config"], command: .refuse("--check-config needs a file")),
            Example(
                arguments: ["--config", "a", "b"], command: .refuse("unexpected argument: b")),
            Example(arguments: ["a.toml"], command: .refuse("unknown argument: a.toml")),
            Example(arguments: ["--verbose"], command: .refuse("unknown argument: --verbose")),
            Example(arguments: [""], command: .refuse("unknown argument: ")),
        ])
    func parse(_ example: Example) {
        #expect(Daemon.parse(["plingsd"] + example.arguments) == example.command)
    }

    @Test("a program that was started without even its own name serves")
    func nothing() {
        #expect(Daemon.parse([]) == .serve(file: nil))
    }

    @Test("help names every option and every exit status", arguments: ["--help", "-h"])
    func help(_ option: String) throws {
        guard case .say(let text) = Daemon.parse(["plingsd", option]) else {
            Issue.record("\(option) is not answered")
            return
        }
        let words = [
            "--config", "--check-config", "--check-store", "--version", "--help", "0 stopped",
            "2 bad",
        ]
        for word in words {
            #expect(text.contains(word))
        }
        #expect(text.hasSuffix("\n"))
    }

    @Test("the version is one line that names the program")
    func version() {
        #expect(
            Daemon.parse(["plingsd", "--version"]) == .say("plingsd \(ProductVersion.current)\n"))
    }
}
