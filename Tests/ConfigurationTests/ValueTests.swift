import Configuration
import Testing

@Suite("values")
struct ValueTests {
    @Test("without a configuration the documented defaults hold")
    func defaults() throws {
        let defaults = StationConfiguration.defaults
        #expect(try StationConfiguration.parse("", file: "c.toml") == defaults)
        #expect(defaults.station.id == nil)
        #expect(defaults.station.name == nil)
        #expect(defaults.store.directory == nil)
        #expect(defaults.store.retainEvents == .seconds(30 * 86_400))
        #expect(defaults.store.retainCount == 1_000_000)
        #expect(defaults.store.maxJobs == 1_000_000)
        #expect(defaults.socket.path == nil)
        #expect(defaults.socket.mode == 0o660)
        #expect(defaults.socket.group.name == "plings")
        #expect(defaults.socket.controlGroup.name == "plings")
        #expect(defaults.api.endpoint == nil)
        #expect(defaults.api.tokenFile == nil)
        #expect(defaults.api.caFile == nil)
        #expect(defaults.api.timeout == .seconds(10))
        #expect(defaults.api.answerPatience == .seconds(2))
        #expect(defaults.api.scansPerMinute == 80)
        #expect(defaults.api.liveShare == 0.25)
        #expect(defaults.location.source == .none)
        #expect(!defaults.location.consent)
        #expect(defaults.scan.hosts == ["s.plings.io"])
        #expect(defaults.scan.announcePresent)
        #expect(defaults.scan.departureGrace == .milliseconds(300))
        #expect(defaults.cache.ttl == .seconds(86_400))
        #expect(defaults.cache.maxObjects == 50_000)
        #expect(defaults.readers.automatic)
        #expect(defaults.readers.programs == nil)
        #expect(defaults.readerEntries.isEmpty)
        #expect(defaults.log.level == .info)
    }

    @Test("a group counts as configured only when the file names it, even by its default name")
    func configuredGroups() throws {
        let defaults = StationConfiguration.defaults.socket
        #expect(!defaults.group.isConfigured && !defaults.controlGroup.isConfigured)
        let text = "[socket]\ncontrol_group = \"plings\""
        let socket = try StationConfiguration.parse(text, file: "c.toml").socket
        #expect(!socket.group.isConfigured && socket.controlGroup.isConfigured)
        #expect(socket.controlGroup.name == "plings")
    }

    @Test("every key is taken over")
    func everyKey() throws {
        let read = try StationConfiguration.parse(completeText, file: "/etc/plingsd/config.toml")
        var expected = StationConfiguration.defaults
        expected.station.id = "kiosk-3"
        expected.station.name = "Entrée"
        expected.store.directory = "/srv/plings"
        expected.store.retainEvents = .seconds(7200)
        expected.store.retainCount = 1000
        expected.store.maxJobs = 1
        expected.socket.path = "/run/p.sock"
        expected.socket.mode = 0o600
        expected.socket.group.name = "kiosk"
        expected.socket.group.isConfigured = true
        expected.socket.controlGroup.isConfigured = true
        expected.api.endpoint = "https://api.plings.io/graphql"
        expected.api.tokenFile = "/etc/plingsd/secret/token"
        expected.api.caFile = "/etc/plingsd/../ssl/ca.pem"
        expected.api.timeout = .seconds(60)
        expected.api.answerPatience = .zero
        expected.api.scansPerMinute = 6000
        expected.api.liveShare = 0
        expected.location.source = .fixed(
            .init(latitude: 65.5841, longitude: -22, accuracy: 8.5))
        expected.location.consent = true
        expected.scan.hosts = ["s.plings.io", "tags.example.org"]
        expected.scan.announcePresent = false
        expected.scan.departureGrace = .seconds(10)
        expected.cache.ttl = .zero
        expected.cache.maxObjects = 0
        expected.readers.automatic = false
        expected.readers.programs = "/etc/plingsd/programs"
        expected.readerEntries = [
            .init(kind: .pcsc(match: "ACS ACR122U*"), name: "door"),
            .init(kind: .pcsc(match: "*")),
            .init(
                kind: .exec(command: ["/etc/plingsd/bin/scan", "--port", "", "~"]), name: "till"),
            .init(kind: .exec(command: ["plings-serial"])),
        ]
        expected.log.level = .debug
        #expect(read == expected)
    }

    private let completeText = """
        [station]
        id = "kiosk-3"
        name = "Entr\\u00e9e"
        [store]
        directory = "/srv/plings"
        retain_events = "2h"
        retain_count = 1_000
        max_jobs = 1
        [socket]
        path = "/run/p.sock"
        mode = "0600"
        group = "kiosk"
        control_group = "plings"
        [api]
        endpoint = "https://api.plings.io/graphql"
        token_file = "secret/token"
        ca_file = "../ssl/ca.pem"
        timeout = "1m"
        answer_patience = "0s"
        scans_per_minute = 6000
        live_share = 0
        [location]
        source = "fixed"
        latitude = 65.5841
        longitude = -22
        accuracy = 8.5
        consent = true
        [scan]
        hosts = ["S.plings.IO", "tags.example.org", "s.plings.io"]
        announce_present = false
        departure_grace = "10000ms"
        [cache]
        ttl = "0ms"
        max_objects = 0
        [readers]
        automatic = false
        programs = "programs"
        [[reader]]
        kind = "pcsc"
        name = "door"
        match = "ACS ACR122U*"
        [[reader]]
        kind = "pcsc"
        [[reader]]
        kind = "exec"
        name = "till"
        command = ["bin/scan", "--port", "", "~"]
        [[reader]]
        kind = "exec"
        command = ["plings-serial"]
        [log]
        level = "debug"
        """

    private static let writtenDurations: [(text: String, expected: Duration)] = [
        ("1000ms", Duration.seconds(1)), ("90s", .seconds(90)), ("5m", .seconds(300)),
        ("36h", .seconds(129_600)), ("3650d", .seconds(315_360_000)), ("007m", .seconds(420)),
    ]

    @Test("durations are read in every unit", arguments: writtenDurations)
    func durations(text: String, expected: Duration) throws {
        let read = try StationConfiguration.parse(
            "store.retain_events = \"\(text)\"", file: "c.toml")
        #expect(read.store.retainEvents == expected)
    }

    private static let acceptedEndpoints: [String] = [
        "https://api.plings.io", "HTTPS://api.plings.io:8443/graphql?tenant=a",
        "https://[2001:db8::1]:443/", "https://192.0.2.1/graphql",
        "http://localhost:8000/graphql",
        "http://LOCALHOST/", "http://127.0.0.1:8000", "http://127.255.3.9/",
        "http://[::1]:8000/g",
        "http://[0:0:0:0:0:0:0:1]/",
    ]

    @Test("https is accepted to any host, http to this machine alone", arguments: acceptedEndpoints)
    func endpoints(url: String) throws {
        let read = try StationConfiguration.parse("api.endpoint = \"\(url)\"", file: "c.toml")
        #expect(read.api.endpoint == url)
    }

    private static let filesAndTokens: [(file: String, expected: String)] = [
        ("/etc/plingsd/config.toml", "/etc/plingsd/token"), ("/config.toml", "/token"),
        ("conf/config.toml", "conf/token"), ("config.toml", "token"),
    ]

    @Test(
        "relative paths start from the folder of the configuration file", arguments: filesAndTokens)
    func relativePaths(file: String, expected: String) throws {
        let read = try StationConfiguration.parse("api.token_file = \"token\"", file: file)
        #expect(read.api.tokenFile == expected)
    }

    @Test("coordinates beside a location switched off are kept out of use without complaint")
    func locationSwitchedOff() throws {
        let text = "[location]\nsource = \"none\"\nlatitude = 1\nlongitude = 2\nconsent = true"
        let read = try StationConfiguration.parse(text, file: "c.toml")
        #expect(read.location.source == .none)
        #expect(read.location.consent)
    }

    @Test("a byte order mark and carriage returns are accepted")
    func otherEditors() throws {
        let read = try StationConfiguration.parse(
            "\u{FEFF}[log]\r\nlevel = \"error\"\r\n", file: "c.toml")
        #expect(read.log.level == .error)
    }
}
