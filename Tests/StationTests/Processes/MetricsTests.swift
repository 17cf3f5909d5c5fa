import FoundationEssentials
import Platform
import TestRig
import Testing

@Suite("Metrics", .serialized)
struct MetricsTests {
    /// Reads standard input with Prometheus' own parser and prints family, type, unit and samples.
    private static let parser = """
        import sys
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
        for family in text_string_to_metric_families(sys.stdin.read()):
            print("family", family.name, family.type, family.unit or "-")
            for sample in family.samples:
                labels = ",".join(f"{k}={v}" for k, v in sorted(sample.labels.items()))
                print(sample.name, labels or "-", sample.value)
        """

    /// What the parser makes of a text, line by line.
    private func parsed(_ text: String) async throws -> [String] {
        let python = try await Command.output(Repository.path("sandbox/api/prepare"), "--dev")
        let program = RunningProgram([
            String(python.split(separator: "\n").last ?? ""), "-c", Self.parser,
        ])
        program.write(text)
        program.closeInput()
        #expect(program.wait() == .exit(0), "\(program.errors)")
        return program.output.split(separator: "\n").map(String.init)
    }

    @Test("are text that Prometheus reads, and say what happened")
    func text() async throws {
        let folder = TestFolder()
        let station = StationProcess(
            in: folder,
            Setting.script(
                folder, name: "door",
                [
                    Setting.introduction, Setting.device("d"),
                    Setting.arrive("d", token: "1", url: Setting.url("ABC")),
                    Setting.arrive("d", token: "2", url: "https://example.org/"),
                ]) + "[station]\nid = \"a \\\"quoted\\\\ name\"\n")
        let client = try ProtocolClient(path: station.socket)
        #expect(Poll.until { (try? client.call("status")["counters"]?["scans"]) == .integer(2) })
        _ = try client.call("subscribe", "{}")
        let reply = try client.call("metrics")
        let lines = try await parsed(try #require(reply["text"]?.string))
        for line in [
            "family plings_scans counter -", "plings_scans_total result=recognised 1",
            "plings_scans_total result=foreign 1", "plings_scans_total result=blank 0",
            "family plings_scan_publication_seconds histogram seconds",
            "plings_scan_publication_seconds_count - 2",
            "plings_scan_publication_seconds_bucket le=+Inf 2",
            "family plings_api stateset -", "plings_api plings_api=notConfigured 1",
            "plings_api plings_api=online 0", "plings_readers state=ready 1",
            "plings_subscribers - 1", "plings_outbox_scans state=open 1",
            "family plings_store_bytes gauge bytes", "plings_lost_total - 0",
            #"plings_station_info station=a "quoted\ name,version=0.1.0 1"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(lines.count < 120, "no series for each tag, reader or user")
        #expect(client.problems.isEmpty)
    }

    @Test("plingsctl prints them as they are")
    func program() throws {
        let station = StationProcess(Setting.alone)
        let program = RunningProgram([
            Repository.program("plingsctl"), "--socket", station.socket, "metrics",
        ])
        #expect(program.wait() == .exit(0))
        #expect(program.output.hasPrefix("# TYPE plings_station info\n"))
        #expect(program.output.hasSuffix("\n# EOF\n"))
    }
}
