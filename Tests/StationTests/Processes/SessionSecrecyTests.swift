import FoundationEssentials
import Glibc
import Platform
import TestRig
import Testing

@Suite("Secrets of a session", .serialized)
struct SessionSecrecyTests {
    @Test("no password, token or API key is anywhere but in the session's own file")
    func nowhere() throws {
        let bench = SessionBench(tokenLife: 3)
        let script = Setting.script(
            bench.folder, name: "till", [Setting.introduction, Setting.device("till-1")])
        let station = bench.start(more: "[log]\nlevel = \"debug\"\n", rest: script)
        let client = try bench.watch(station)
        var shown = ""
        let wrong = bench.login(station, ("anna@plings.test", "wr0ng-guess-of-mine"))
        let login = bench.login(station)
        shown += wrong.output + wrong.errors + login.output + login.errors
        #expect(Poll.until(seconds: 60) { bench.refreshTokens().count >= 3 })
        let scan = try bench.submit(client, bench.sandbox.url(of: "bike"))
        _ = try bench.resolution(client, of: scan, from: "api")
        shown += "\(try client.call("status"))"
        let access = try #require(bench.member("accessToken"))
        shown += Self.process(station.program.pid)
        let children = Self.text("/proc/\(station.program.pid)/task", below: "children")
        #expect(!children.isEmpty, "a reader runs")
        for child in children.split(separator: " ") { shown += Self.process(Int32(child) ?? 0) }
        let logout = bench.plingsctl(station, ["logout"])
        shown += logout.output + logout.errors
        station.stop()
        shown += station.program.output + station.program.errors
        for file in ["plingsd.db", "plingsd.db-wal"] + Self.files(in: "\(bench.folder.path)/store")
        {
            shown += Self.text("\(bench.folder.path)/store/\(file)")
        }
        let secrets =
            ["wr0ng-guess-of-mine", SessionBench.anna.password, SessionBench.apiKey, access]
            + bench.refreshTokens().map(\.refreshToken)
        for secret in secrets { #expect(!shown.contains(secret)) }
        #expect(shown.contains("logged in"), "the log was looked at")
        #expect(shown.contains("till.sh"), "the reader was looked at")
        #expect(client.problems.isEmpty)
    }

    /// What everybody may see of a process, and that its memory is in no core dump.
    private static func process(_ pid: Int32) -> String {
        let limits = text("/proc/\(pid)/limits").split(separator: "\n")
        let core = limits.first { $0.hasPrefix("Max core file size") } ?? ""
        #expect(core.split(separator: " ").dropFirst(4).first == "0", "no core dumps")
        return text("/proc/\(pid)/cmdline") + text("/proc/\(pid)/environ")
    }

    private static func text(_ path: String) -> String {
        guard let file = try? Descriptor.open(path, O_RDONLY) else { return "" }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case .bytes(let count) = buffer.withUnsafeMutableBytes({ file.read(into: $0) }) {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func text(_ folder: String, below name: String) -> String {
        files(in: folder).map { text("\(folder)/\($0)/\(name)") }.joined()
    }

    private static func files(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0 != "session.json" }
    }
}
