import LineProtocols
import Scanning
import Testing

@testable import StationClient

@Suite("The status for people")
struct StatusReportTests {
    private static let now = Timestamp(milliseconds: 1_767_312_000_000)

    private static func report(_ status: String, colours: Bool = false) throws -> String {
        let value = try JSONLine.decode(JSONValue.self, from: Array(status.utf8))
        return StatusReport(value, paint: Paint(isOn: colours), now: now).text
    }

    /// The row of one label.
    private static func row(_ label: String, _ status: String) throws -> String? {
        try report(status).split(separator: "\n").first { $0.hasPrefix(label) }
            .map { String($0.dropFirst(10)) }
    }

    private static func status() -> Status {
        let door = Status.Reader(
            id: "a", name: "door", kind: "pcsc", state: .ready, reason: nil, signals: ["ok"])
        let gate = Status.Reader(
            id: "b", name: "gate", kind: "exec", state: .degraded, reason: "no device", signals: [])
        let location = Location(latitude: 65.5841, longitude: 22.1547, accuracy: 8, source: .fixed)
        return Status(
            station: "kiosk-3", version: "0.1.0", uptimeSeconds: 273_600, account: "u-7",
            readers: [door, gate],
            location: LocationEvent(state: .fixed, location: location),
            api: Status.API(state: .online, reason: nil, endpoint: "https://api.plings.io/graphql"),
            clock: Status.Clock(trusted: true),
            outbox: Status.Outbox(
                scans: 12, queued: 1, waiting: 2, attention: 3,
                oldestAt: now.advanced(byMilliseconds: -185_000), bytes: 12_976_128),
            cache: Status.Cache(objects: 1, ageSeconds: 40),
            log: Status.Log(first: 1, last: 1234), counters: ["scans": 20, "resolutions": 19])
    }

    @Test("a station's own reply is read whole")
    func whole() throws {
        let status = String(decoding: try JSONLine.encode(Self.status()), as: UTF8.self)
        #expect(
            try Self.report(status) == """
                station   kiosk-3
                version   plingsd 0.1.0 · up 3 d 4 h
                readers   door · pcsc · ready
                          gate · exec · degraded · no device
                location  fixed · 65.58410, 22.15470 ± 8 m
                api       online · https://api.plings.io/graphql · account u-7
                clock     trusted
                outbox    12 scans · 1 queued job · 2 waiting jobs · the oldest 3 min old · \
                3 need attention · 12.3 MiB on disk
                cache     1 object · the newest 40 s old
                log       events 1–1234
                counters  resolutions 19 · scans 20

                """)
    }

    private static let plainCases: [(String, String, String)] = [
        (
            "api", #"{"api":{"state":"notConfigured"}}"#,
            "not configured · set `endpoint` under [api] in plingsd's configuration "
                + "(/etc/plingsd/config.toml)"
        ),
        (
            "api", #"{"api":{"state":"unauthorised","reason":"no token"}}"#,
            "unauthorised · no token · see `token_file` under [api] in plingsd's configuration "
                + "(/etc/plingsd/config.toml)"
        ),
        ("readers", #"{"readers":[]}"#, "none was seen since the start"),
        (
            "store",
            #"{"store":{"state":"full","reason":"commit: disk is full"},"counters":{"unstored":12}}"#,
            "the disk is full · 12 changes in memory · commit: disk is full"
        ),
        (
            "store", #"{"store":{"state":"melting"},"counters":{"unstored":1}}"#,
            "nothing can be stored · 1 change in memory"
        ),
        (
            "clock", #"{"clock":{"state":"untrusted"}}"#,
            "not trusted: it was not set since the machine started"
        ),
        (
            "outbox", #"{"outbox":{"attention":1}}"#,
            "nothing waits · 1 needs attention"
        ),
    ]

    @Test(
        "what needs a person is said plainly",
        arguments: plainCases)
    func plain(label: String, status: String, text: String) throws {
        #expect(try Self.row(label, status) == text)
    }

    private static let partialCases: [(String, String, String)] = [
        ("outbox", "{}", "nothing waits"), ("log", "{}", "event 0"),
        ("log", #"{"log":{"first":1,"last":0}}"#, "no events"),
        ("log", #"{"log":{"first":7,"last":7}}"#, "event 7"),
        ("counters", #"{"counters":{}}"#, "none"),
        ("api", #"{"api":{"state":"resting"}}"#, "resting"),
        ("location", "[]", "unknown"),
    ]

    @Test(
        "empty and newer replies are shown as far as they go",
        arguments: partialCases)
    func partial(label: String, status: String, text: String) throws {
        #expect(try Self.row(label, status) == text)
    }

    @Test("colours point at what needs a person")
    func colours() throws {
        let text = try Self.report(
            """
            {"readers":[{"name":"door","kind":"pcsc","state":"ready"}],"outbox":{"attention":1}}
            """,
            colours: true)
        #expect(text.contains("\u{1B}[36mdoor\u{1B}[0m · pcsc · \u{1B}[32mready\u{1B}[0m\n"))
        #expect(text.contains("\u{1B}[31m1 needs attention\u{1B}[0m\n"))
    }

    @Test("nothing that the station passes on reaches the terminal raw")
    func harmless() throws {
        let bad = #"\u001b[2J\u009b\u202e\n"#
        let text = try Self.report(
            """
            {"station":"\(bad)","version":"\(bad)","account":"\(bad)","readers":[{"name":"\(bad)",\
            "kind":"\(bad)","state":"\(bad)","reason":"\(bad)"}],"api":{"state":"\(bad)",\
            "endpoint":"\(bad)","reason":"\(bad)"},"clock":{"state":"\(bad)"},"location":{"state":\
            "\(bad)"},"counters":{"\(bad)":1}}
            """)
        for line in text.split(separator: "\n") {
            #expect(TerminalText.escape(line) == line)
        }
        #expect(text.split(separator: "\n").count == 10)
    }
}
