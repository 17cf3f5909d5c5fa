import FoundationEssentials
import Glibc
import Platform
import TestRig
import Testing

@Suite("Starting and stopping plingsd", .serialized)
struct StartingTests {
    private func run(_ arguments: [String], environment: [String: String] = [:]) -> RunningProgram {
        let program = RunningProgram(
            [Repository.program("plingsd")] + arguments, environment: environment)
        program.wait()
        return program
    }

    @Test("help and version go to standard output and end well")
    func help() {
        let help = run(["--help"])
        #expect(help.wait() == .exit(0))
        #expect(help.output.contains("--check-config FILE"))
        #expect(run(["--version"]).output == "plingsd 0.1.0\n")
    }

    @Test("what is no argument is refused with status 2 and the usage")
    func usage() {
        let program = run(["--confg"])
        #expect(program.wait() == .exit(2))
        #expect(program.errors.hasPrefix("plingsd: unknown argument: --confg\n"))
        #expect(run(["--config"]).errors.hasPrefix("plingsd: --config needs a file"))
    }

    @Test("a bad configuration is refused with file, line, column and what was meant")
    func badConfiguration() {
        let folder = TestFolder()
        let file = folder.write("bad.toml", "[api]\nendpont = \"https://a.example/\"\n")
        for option in ["--config", "--check-config"] {
            let program = run([option, file])
            #expect(program.wait() == .exit(2))
            #expect(program.errors.hasPrefix("\(file):2:1: "), "\(program.errors)")
            #expect(program.errors.contains("endpoint"))
        }
        let missing = run(["--config", "\(folder.path)/none.toml"])
        #expect(missing.wait() == .exit(2))
        #expect(missing.errors.contains("none.toml"))
        let good = folder.write("good.toml", "[log]\nlevel = \"debug\"\n")
        #expect(run(["--check-config", good]).wait() == .exit(0))
    }

    @Test("a log that nobody reads holds nothing up, and what it lacks is counted in it")
    func unreadLog() throws {
        let folder = TestFolder()
        let file = folder.write(
            "c.toml",
            """
            [store]
            directory = "\(folder.path)/store"
            [socket]
            path = "\(folder.path)/s.sock"
            [readers]
            automatic = false
            [log]
            level = "debug"
            """)
        let pipe = "\(folder.path)/log.pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        // Both ends, so that it stays open and neither side waits for the other.
        let reader = try Descriptor.open(pipe, O_RDWR | O_NONBLOCK)
        // F_SETPIPE_SZ: one page, which the first lines fill. Source: linux/fcntl.h.
        #expect(fcntl(reader.number, 1031, 4096) == 4096)
        let plingsd = Repository.program("plingsd")
        let program = RunningProgram([
            "sh", "-c", "exec \"$0\" --config \"$1\" 2>\"$2\"", plingsd, file, pipe,
        ])
        defer { program.kill() }
        let client = try ProtocolClient(path: "\(folder.path)/s.sock")
        for _ in 0..<5 {
            program.signal(SIGHUP)
            _ = try client.call("status")
        }
        var text = ""
        let isCounted = Poll.until {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case .bytes(let count) = buffer.withUnsafeMutableBytes({ reader.read(into: $0) })
            {
                text += String(decoding: buffer[..<count], as: UTF8.self)
            }
            program.signal(SIGHUP)
            _ = try? client.call("status")
            return text.contains("nobody read the log: lines were left out count=")
        }
        #expect(isCounted, "\(text.suffix(500))")
    }

    @Test("without a file and without root it runs from the user's own folders")
    func ownFolders() throws {
        let folder = TestFolder()
        let environment = [
            "STATE_DIRECTORY": "\(folder.path)/state", "RUNTIME_DIRECTORY": "\(folder.path)/run",
            "PCSCLITE_CSOCK_NAME": "\(folder.path)/no-pcscd",
        ]
        let program = RunningProgram([Repository.program("plingsd")], environment: environment)
        defer { program.kill() }
        let client = try ProtocolClient(path: "\(folder.path)/run/plingsd.sock")
        let readerIsTold = Poll.until {
            let readers = try? client.call("status")["readers"]?.array
            return readers?.contains { $0["reason"]?.string?.contains("pcscd") ?? false } ?? false
        }
        #expect(readerIsTold, "\(String(describing: try? client.call("status")))")
        #expect(client.problems.isEmpty)
    }

    @Test("a second plingsd on the same store or socket ends with status 1, saying which")
    func second() {
        let station = StationProcess(Setting.alone)
        let sameSocket = run(["--config", station.configuration])
        #expect(sameSocket.wait() == .exit(1))
        #expect(sameSocket.errors.contains("\(station.program.pid)"), "\(sameSocket.errors)")
        let folder = TestFolder()
        let configuration = folder.write(
            "c.toml",
            """
            [store]
            directory = "\(station.folder.path)/store"
            [socket]
            path = "\(folder.path)/other.sock"
            """)
        let sameStore = run(["--config", configuration])
        #expect(sameStore.wait() == .exit(1))
        #expect(sameStore.errors.contains("\(station.program.pid)"), "\(sameStore.errors)")
    }

    @Test("a socket on which a station listens that does not answer just now is left alone")
    func stoppedStation() throws {
        let station = StationProcess(Setting.alone)
        station.program.signal(SIGSTOP)
        let folder = TestFolder()
        let configuration = folder.write(
            "c.toml",
            "[store]\ndirectory = \"\(folder.path)/s\"\n[socket]\npath = \"\(station.socket)\"\n")
        let other = run(["--config", configuration])
        #expect(other.wait() == .exit(1))
        #expect(other.errors.contains("is listening on \(station.socket)"), "\(other.errors)")
        station.program.signal(SIGCONT)
        #expect(try ProtocolClient(path: station.socket).call("status").error == nil)
    }

    @Test("a group that is configured and missing is an error, the default one a warning")
    func groups() {
        let station = StationProcess(Setting.alone)
        if SystemUsers.groupID("plings") == nil {
            #expect(station.program.errors.contains("the group does not exist"))
        }
        let folder = TestFolder()
        let file = folder.write(
            "c.toml",
            "[store]\ndirectory = \"s\"\n[socket]\npath = \"x.sock\"\ngroup = \"no-such-group\"\n")
        let program = run(["--config", file])
        #expect(program.wait() == .exit(2))
        let sentence =
            "\(file):5:1: \"group\" must be a group of this machine, not \"no-such-group\"\n"
        #expect(program.errors == sentence)
        let check = run(["--check-config", file])
        #expect(check.wait() == .exit(2))
        #expect(check.errors == sentence)
    }

    private static let advice: [(text: String, says: String)] = [
        (
            "[api]\nendpoint = \"https://127.0.0.1:1/\"\n",
            "[api] endpoint is set without auth_url or token_file: nothing is delivered without a "
                + "token"
        ),
        (
            "[api]\nauth_url = \"https://127.0.0.1:1/\"\n",
            "[api] auth_url is set without endpoint: scans go to no API"
        ),
        (
            "[api]\ntoken_file = \"/nowhere/token\"\n",
            "[api] token_file is set without endpoint: scans go to no API"
        ),
        (
            "[api]\nendpoint = \"https://127.0.0.1:1/\"\nauth_url = \"https://127.0.0.1:1/\"\n"
                + "api_key_file = \"/nowhere/key\"\n",
            "[api] api_key_file: /nowhere/key is not there"
        ),
        (
            "[[reader]]\nkind = \"exec\"\nname = \"till\"\ncommand = [\"/nowhere/till\"]\n",
            "the reader till can't be started: /nowhere/till is not there"
        ),
    ]

    @Test("what a configuration asks for and can't have is warned of and logged", arguments: advice)
    func advised(_ row: (text: String, says: String)) {
        let folder = TestFolder()
        let file = folder.write("c.toml", Setting.alone + row.text)
        let check = run(["--check-config", file])
        #expect(check.wait() == .exit(0))
        #expect(check.errors == "\(file): warning: \(row.says)\n")
        let station = StationProcess(in: folder, Setting.alone + row.text)
        let line = "warning: the configuration is not whole cause=\"\(row.says)\"\n"
        #expect(station.program.errors.contains(line), "\(station.program.errors)")
    }

    /// Whether a process is there, and not only its exit status.
    ///
    /// Source: proc(5), /proc/pid/stat.
    private func isRunning(_ pid: String) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else {
            return false
        }
        return !String(decoding: bytes, as: UTF8.self).contains(") Z ")
    }

    @Test("SIGTERM ends it, and a reader that does not end, although a client does not read")
    func stop() throws {
        let folder = TestFolder()
        let reader = Setting.script(
            folder, name: "stubborn", [Setting.introduction, Setting.device("d")],
            then: "echo $$ > \(folder.path("pid")); trap '' TERM; while true; do sleep 1; done")
        let station = StationProcess(in: folder, reader)
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", #"{"since":"start"}"#)
        let reading = Poll.until {
            (try? client.call("status")["readers"]?[0]?["state"]) == .string("ready")
        }
        #expect(reading)
        let pid = try #require(
            folder.text(of: "pid")?.split(separator: "\n").first.map(String.init))
        #expect(isRunning(pid))
        #expect(station.stop() == .exit(0))
        #expect(!FilePath.exists(station.socket))
        let isGone = Poll.until { !isRunning(pid) }
        #expect(isGone, "the reader has outlived its station")
    }

    @Test("a socket file left by kill -9 is taken over; a file that is no socket is not touched")
    func leftSocket() throws {
        let folder = TestFolder()
        StationProcess(in: folder, Setting.alone).program.kill()
        #expect(FilePath.exists("\(folder.path)/s.sock"))
        let station = StationProcess(in: folder, Setting.alone)
        #expect(try ProtocolClient(path: station.socket).call("status").error == nil)
        let other = TestFolder()
        let file = other.write("s.sock", "precious")
        let configuration = other.write(
            "c.toml", "[store]\ndirectory = \"s\"\n[socket]\npath = \"\(file)\"\n")
        let refused = run(["--config", configuration])
        #expect(refused.wait() == .exit(1))
        #expect(refused.errors.contains("is not a socket"))
        #expect(FilePath.exists(file))
    }
}
