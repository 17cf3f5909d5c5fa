import Glibc
import Platform
import TestRig
import Testing

@testable import Doctor

/// A station that says nothing until it is let go.
private final class HeldStation: Sendable {
    private let pipe: Pipe

    init(_ pipe: consuming Pipe) {
        self.pipe = pipe
    }

    func answer() -> StationLook {
        var byte: UInt8 = 0
        _ = withUnsafeMutableBytes(of: &byte) { pipe.read.read(into: $0) }
        return .noSocket(paths: [])
    }

    func release() {
        _ = [UInt8(1)].withUnsafeBytes { pipe.write.write($0) }
    }
}

@Suite("plingsctl doctor as a whole", .serialized)
struct WholeRunTests {
    @Test("with every peer hanging it ends by itself and says of each that it hangs")
    func hanging() async throws {
        let place = Place(readers: true)
        let station = StationProcess(in: place.folder)
        let port = try SilentPort()
        let endpoint = "http://127.0.0.1:\(port.port)/graphql"
        place.configure("[api]\nendpoint = \"\(endpoint)\"\n", readers: true)
        try place.script("systemctl", "sleep 600")
        let path = "\(place.folder.path)/pcscd.comm"
        let pcscd = try HangingUpSocket(at: path, .keepsSilent)
        station.program.signal(SIGSTOP)
        // Whoever waits for it longer than half a minute gives up without an ending.
        let run = await DoctorRun(place, environment: ["PCSCLITE_CSOCK_NAME": path])
        #expect(run.ending == .exit(1))
        let checks = Set(run.findings.filter { $0.value.state == "problem" }.keys)
        let expected: Set = ["station-silent", "api-connect-timeout", "pcscd-hangs", "token-none"]
        #expect(checks.isSuperset(of: expected), "\(run.text)")
        station.program.signal(SIGCONT)
        pcscd.stop()
    }

    @Test("a look that does not come back is given up, and said, and the others count")
    func givenUp() async throws {
        let place = Place()
        let pipe = try Descriptor.pipe()
        let held = HeldStation(pipe)
        var surroundings = Surroundings(
            environment: place.environment, configurationFile: place.configuration)
        surroundings.root = place.folder.path
        let examination = Examination(of: surroundings) { _ in held.answer() }
        let findings = try await withCheckedThrowingContinuation { continuation in
            Threads.start(name: "examination") {
                continuation.resume(with: Result { try examination.findings() })
            }
        }
        held.release()
        #expect(
            findings.first?.text
                == "looking at plingsd took too long and was given up: a disk or a "
                + "program does not answer")
        #expect(findings.contains { $0.check == "configuration-good" })
        #expect(findings.contains { $0.check == "store-none" })
    }

    @Test("for people: a summary, then a sentence each with what mends it, problems first")
    func report() {
        let place = Place()
        let program = RunningProgram(
            [Repository.program("plingsctl"), "doctor", "--config", place.configuration],
            environment: place.environment)
        #expect(program.wait(seconds: 30) == .exit(1))
        let lines = program.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].hasPrefix("1 problem, "), "\(program.output)")
        #expect(lines[0].hasSuffix(": station-not-running"))
        #expect(lines[1] == "")
        #expect(
            lines[2] == "problem  plingsd is not running: nobody listens at \(place.socket)")
        #expect(lines[3] == "         → sudo systemctl start plingsd")
        #expect(program.output.contains("\nok       the configuration \(place.configuration) "))
        #expect(program.errors == "")
    }

    @Test("a name that comes twice stands in the summary once, with its count")
    func countedNames() {
        let place = Place()
        let reader = "[[reader]]\nkind = \"exec\"\ncommand = [\"/nowhere/reader\"]\n"
        place.configure(reader + reader)
        let program = RunningProgram(
            [Repository.program("plingsctl"), "doctor", "--config", place.configuration],
            environment: place.environment)
        #expect(program.wait(seconds: 30) == .exit(1))
        let summary = program.output.split(separator: "\n").first ?? ""
        #expect(summary.contains("configuration-command (2)"), "\(program.output)")
    }

    @Test("what mends it names the socket that was given")
    func givenSocket() async {
        let place = Place()
        place.configure(
            "[api]\nendpoint = \"http://127.0.0.1:1/\"\nauth_url = \"http://127.0.0.1:1/\"\n")
        let run = await DoctorRun(place, ["--socket", place.socket])
        let commands = run.findings.values.compactMap(\.command)
        #expect(commands.contains("plingsctl --socket \(place.socket) login"), "\(run.text)")
    }

    @Test("a station in order has no problem and ends with 0")
    func wellness() {
        let place = Place()
        let station = StationProcess(in: place.folder)
        let program = RunningProgram(
            [Repository.program("plingsctl"), "doctor", "--config", place.configuration],
            environment: place.environment)
        #expect(program.wait(seconds: 30) == .exit(0), "\(program.output)")
        #expect(program.output.hasPrefix("no problem, "), "\(program.output)")
        station.stop()
    }

    @Test("what is in the configuration and in the journal does nothing to a terminal")
    func harmless() throws {
        let place = Place()
        let escape = "\u{1B}[2J"
        try place.service(
            ["LoadState=loaded", "ActiveState=failed", "Result=exit-code", "ExecMainStatus=1"],
            lastWords: "boom \(escape)")
        let program = RunningProgram(
            [Repository.program("plingsctl"), "doctor", "--config", place.configuration],
            environment: place.environment)
        program.wait(seconds: 30)
        #expect(program.output.contains("boom \\u001b[2J"), "\(program.output)")
        #expect(!program.output.contains("\u{1B}"))
    }

    @Test(
        "a wrong command line ends with 2 and a sentence",
        arguments: [
            "--jsn", "--config=", "extra",
        ])
    func usage(_ argument: String) {
        let program = RunningProgram([Repository.program("plingsctl"), "doctor", argument])
        #expect(program.wait() == .exit(2))
        #expect(program.errors.hasPrefix("plingsctl: "))
        #expect(program.errors.hasSuffix("Try `plingsctl doctor --help`.\n"))
    }

    @Test(
        "as anybody it says what it could not look at, and what opens it",
        .enabled(if: Nobody.isPossible))
    func nobody() throws {
        let place = Place()
        let station = StationProcess(in: place.folder)
        chmod(place.folder.path, 0o711)
        chmod(place.socket, 0o600)
        chmod(place.store, 0o700)
        let token = place.folder.write("token", "s3cr3t-t0k3n")
        place.configure(
            "[api]\nendpoint = \"http://127.0.0.1:1/\"\ntoken_file = \"\(token)\"\n")
        func run() -> RunningProgram {
            let program = RunningProgram(
                Nobody.prefix + [
                    Repository.program("plingsctl"), "doctor", "--config", place.configuration,
                ], environment: place.environment)
            program.wait(seconds: 30)
            return program
        }
        let closed = run()
        let note = "the configuration \(place.configuration) may not be read by you, so the rest "
        #expect(closed.output.contains(note), "\(closed.output) \(closed.errors)")
        let again = "→ sudo plingsctl doctor --config \(place.configuration)\n"
        #expect(closed.output.contains(again), "\(closed.output)")
        chmod(place.configuration, 0o644)
        let open = run()
        for sentence in [
            "only root may connect to \(place.socket): run as root to look at it",
            "the token file \(token) may not be read by you, so the token was not tried",
            "the store \(place.store) may not be looked into by you: run as root",
        ] {
            #expect(open.output.contains(sentence), "\(open.output)")
        }
        #expect(!open.output.contains("s3cr3t"))
        station.stop()
    }
}
