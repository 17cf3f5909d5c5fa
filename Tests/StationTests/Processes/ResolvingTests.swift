import Platform
import TestRig
import Testing

@Suite("Resolving scans at the API", .serialized)
struct ResolvingTests {
    let sandbox = SandboxProcess()

    private func start(
        _ folder: TestFolder = TestFolder(), token: String = "token-anna", more: String = "",
        rest: String = Setting.alone
    ) -> StationProcess {
        StationProcess(
            in: folder, Setting.api(sandbox, in: folder, token: token, more: more) + "\n" + rest)
    }

    private func watch(_ station: StationProcess, types: String = "") throws -> ProtocolClient {
        let client = try ProtocolClient(path: station.socket)
        let filter = types.isEmpty ? "" : #","types":[\#(types)]"#
        _ = try client.call("subscribe", #"{"since":"start"\#(filter)}"#)
        return client
    }

    private func submit(_ client: ProtocolClient, _ url: String) throws -> JSONValue {
        let reply = try client.call("scan.submit", #"{"url":"\#(url)"}"#)
        return try #require(reply["scan"])
    }

    private func answer(
        _ client: ProtocolClient, to scan: JSONValue, from source: String? = nil
    ) throws -> JSONValue {
        while true {
            let event = try client.nextEvent("resolution")
            let fits = source.map { event["source"] == .string($0) } ?? true
            if event["scan"] == scan, fits { return event }
        }
    }

    private func awaitOnline(_ client: ProtocolClient) throws {
        while try client.nextEvent("api")["state"] != .string("online") {}
    }

    private static let outcomes: [(fixture: String, outcome: String)] = [
        ("bike", "KNOWN_OBJECT"), ("foreign", "KNOWN_OBJECT"), ("new-generic", "UNKNOWN_GENERAL"),
        ("new-bike", "UNKNOWN_SPECIFIC"), ("twin", "DUPLICATE"), ("forged", "ERROR"),
    ]

    @Test("every kind of answer is published, and the scan event carries time and id")
    func outcomes() throws {
        let station = start(more: "scans_per_minute = 6000")
        let client = try watch(station)
        try awaitOnline(client)
        for row in Self.outcomes {
            let scan = try submit(client, sandbox.url(of: row.fixture))
            let event = try answer(client, to: scan, from: "api")
            #expect(event["outcome"] == .string(row.outcome), "\(row.fixture)")
            #expect(event["late"] == nil)
        }
        #expect(Poll.until { sandbox.scanEvents().count == Self.outcomes.count })
        var times: [String: String] = [:]
        let scans = try watch(station, types: #""scan""#)
        for _ in Self.outcomes {
            let scan = try scans.nextEvent("scan")
            times[scan["scan"]?.string ?? ""] = scan["at"]?.string
        }
        for record in sandbox.scanEvents() {
            #expect(record.timestamp == times[record.idempotencyKey ?? ""])
            #expect(!record.geo)
        }
        #expect(try client.call("status")["outbox"]?["attention"] == .integer(0))
        #expect(client.problems.isEmpty && scans.problems.isEmpty)
    }

    @Test("a known object is answered from the cache at once, then by the API with what changed")
    func cache() throws {
        let station = start()
        let client = try watch(station)
        try awaitOnline(client)
        let url = sandbox.url(of: "bike")
        _ = try answer(client, to: submit(client, url), from: "api")
        let scan = try submit(client, url)
        let cached = try answer(client, to: scan)
        #expect(cached["source"] == .string("cache"))
        #expect(cached["ageSeconds"] != nil)
        #expect(cached["changed"] == nil)
        let fresh = try answer(client, to: scan)
        #expect(fresh["source"] == .string("api"))
        #expect(fresh["changed"] == .bool(false))
        #expect(client.problems.isEmpty)
    }

    @Test("an unknown identifier is answered from the cache only while the API is away")
    func cachedUnknown() throws {
        let station = start()
        let client = try watch(station)
        try awaitOnline(client)
        let url = sandbox.url(of: "new-generic")
        _ = try answer(client, to: submit(client, url), from: "api")
        #expect(try answer(client, to: submit(client, url))["source"] == .string("api"))
        sandbox.control("outage", #"{"mode":"refuse"}"#)
        let first = try answer(client, to: submit(client, url))
        #expect(first["source"] == .string("cache"))
        #expect(first["outcome"] == .string("UNKNOWN_GENERAL"))
        let unknown = try answer(client, to: submit(client, sandbox.url(of: "drill")))
        #expect(unknown["outcome"] == .string("OFFLINE"))
        #expect(unknown["reason"] == .string("network"))
        sandbox.control("outage", method: "DELETE")
        let late = try answer(client, to: unknown["scan"] ?? .null, from: "api")
        #expect(late["outcome"] == .string("KNOWN_OBJECT"))
        #expect(late["late"] == .bool(true))
        #expect(client.problems.isEmpty)
    }

    @Test("an answer after the patience is preceded by OFFLINE, waiting, and is late")
    func patience() throws {
        let station = start(more: "answer_patience = \"100ms\"")
        let client = try watch(station)
        try awaitOnline(client)
        sandbox.control(
            "faults", #"{"op":"resolveIdentifier","kind":"slow","delay":0.6,"count":1}"#)
        let scan = try submit(client, sandbox.url(of: "bike"))
        let first = try answer(client, to: scan)
        #expect(first["outcome"] == .string("OFFLINE"))
        #expect(first["reason"] == .string("waiting"))
        let second = try answer(client, to: scan)
        #expect(second["late"] == .bool(true))
        #expect(second["outcome"] == .string("KNOWN_OBJECT"))
        #expect(client.problems.isEmpty)
    }

    @Test("a refused token is said once and work waits; a new one in the file is taken")
    func token() throws {
        let folder = TestFolder()
        let station = start(folder, token: "no-such-token")
        let client = try watch(station)
        let event = try client.nextEvent("api")
        #expect(event["state"] == .string("unauthorised"))
        #expect(event["reason"]?.string?.contains("token") == true)
        let scan = try submit(client, sandbox.url(of: "bike"))
        let first = try answer(client, to: scan)
        #expect(first["outcome"] == .string("OFFLINE"))
        #expect(first["reason"] == .string("unauthorised"))
        folder.write("token", "token-anna")
        try awaitOnline(client)
        #expect(try answer(client, to: scan, from: "api")["late"] == .bool(true))
        #expect(try client.call("status")["outbox"]?["attention"] == .integer(0))
        #expect(!station.program.errors.contains("no-such-token"), "a token is never logged")
        #expect(client.problems.isEmpty)
    }

    @Test("an endpoint without any credential is unauthorised, and says which key is missing")
    func noToken() throws {
        let folder = TestFolder()
        let station = StationProcess(
            in: folder, "[api]\nendpoint = \"\(sandbox.endpoint)\"\n" + Setting.alone)
        let client = try watch(station)
        let event = try client.nextEvent("api")
        #expect(event["state"] == .string("unauthorised"))
        #expect(event["reason"]?.string?.contains("token_file") == true)
        #expect(client.problems.isEmpty)
    }

    @Test("scans of an outage are delivered afterwards with their own times, oldest first")
    func outage() throws {
        let station = start(more: "scans_per_minute = 6000")
        let client = try watch(station)
        try awaitOnline(client)
        sandbox.control("outage", #"{"mode":"refuse"}"#)
        let fixtures = ["bike", "drill", "box", "shelf", "room"].map { sandbox.url(of: $0) }
        var scans: [JSONValue] = []
        for number in 0..<15 { scans.append(try submit(client, fixtures[number % 5])) }
        #expect(try client.call("status")["outbox"]?["scans"] == .integer(15))
        sandbox.control("outage", method: "DELETE")
        #expect(
            Poll.until(seconds: 40) {
                (try? client.call("status")["outbox"]?["scans"]) == .integer(0)
            })
        let delivered = sandbox.scanEvents()
        #expect(delivered.map { .string($0.idempotencyKey ?? "") } == scans)
        #expect(client.problems.isEmpty)
    }

    @Test("at the default pace the backlog leaves room for live scans: one a second")
    func defaultPace() throws {
        let station = start()
        let client = try watch(station)
        try awaitOnline(client)
        sandbox.control("outage", #"{"mode":"refuse"}"#)
        let url = sandbox.url(of: "bike")
        _ = try submit(client, url)
        // Those that are made while the API is known to be away are not live when it is back.
        #expect(
            Poll.until { (try? client.call("status")["api"]?["state"]) == .string("offline") })
        for _ in 0..<4 { _ = try submit(client, url) }
        sandbox.control("outage", method: "DELETE")
        #expect(Poll.until(seconds: 40) { sandbox.scanEvents().count == 5 })
        let times = sandbox.scanEvents().map(\.receivedBootNs)
        // The first is the attempt that finds the API back; those behind it keep the pace. One that
        // was late by up to a second does not put off the next.
        #expect(times[4] - times[1] > 1_900_000_000)
        #expect(client.problems.isEmpty)
    }

    @Test("a lost answer is asked for again with the same key, and published once")
    func lostAnswer() throws {
        let station = start()
        let client = try watch(station)
        try awaitOnline(client)
        sandbox.control(
            "faults", #"{"op":"resolveIdentifier","kind":"reset","when":"after","count":1}"#)
        let scan = try submit(client, sandbox.url(of: "bike"))
        let event = try answer(client, to: scan, from: "api")
        #expect(event["outcome"] == .string("KNOWN_OBJECT"))
        let delivered = sandbox.scanEvents()
        #expect(delivered.count == 2)
        #expect(Set(delivered.map(\.idempotencyKey)).count == 1)
        #expect(client.problems.isEmpty)
    }

    @Test("one scan that always fails holds up nobody else")
    func poison() throws {
        let station = start(more: "scans_per_minute = 6000\nanswer_patience = \"200ms\"")
        let client = try watch(station)
        try awaitOnline(client)
        let url = sandbox.url(of: "new-bike")
        let key = url.split(separator: "&").first { $0.hasPrefix("i=") }?.dropFirst(2) ?? ""
        sandbox.control(
            "faults",
            #"{"op":"resolveIdentifier","kind":"http","status":500,"count":-1,"match":"\#(key)"}"#)
        let poison = try submit(client, url)
        #expect(try answer(client, to: poison)["outcome"] == .string("OFFLINE"))
        for fixture in ["bike", "drill", "box"] {
            let scan = try submit(client, sandbox.url(of: fixture))
            #expect(try answer(client, to: scan, from: "api")["late"] == nil, "\(fixture)")
        }
        #expect(try client.call("status")["outbox"]?["scans"] == .integer(1))
        sandbox.control("faults", method: "DELETE")
        #expect(try answer(client, to: poison, from: "api")["late"] == .bool(true))
        #expect(client.problems.isEmpty)
    }

    @Test("a scan that the API refuses for good needs attention, visibly, and nothing waits for it")
    func refused() throws {
        let station = start()
        let client = try watch(station)
        try awaitOnline(client)
        sandbox.control(
            "faults",
            #"{"op":"resolveIdentifier","kind":"graphql_error","code":"BAD_INPUT","#
                + #""message":"no","count":1}"#)
        let scan = try submit(client, sandbox.url(of: "bike"))
        let event = try answer(client, to: scan, from: "api")
        #expect(event["outcome"] == .string("ERROR"))
        #expect(event["error"]?["code"] == .string("BAD_INPUT"))
        let job = try client.nextEvent("job")["job"]
        #expect(job?["id"] == scan)
        #expect(job?["state"] == .string("attention"))
        #expect(job?["error"] == .string("BAD_INPUT: no"))
        let status = try client.call("status")
        #expect(status["outbox"]?["attention"] == .integer(1))
        #expect(status["outbox"]?["scans"] == .integer(0))
        #expect(client.problems.isEmpty)
    }

    @Test("the location goes to the API only with consent, and always into the events")
    func location() throws {
        for consent in [false, true] {
            let station = start(
                more: "[location]\nsource = \"fixed\"\nlatitude = 65.5841\nlongitude = 22.1547\n"
                    + "accuracy = 8.0\nconsent = \(consent)\n")
            let client = try watch(station)
            try awaitOnline(client)
            let scan = try submit(client, sandbox.url(of: "bike"))
            #expect(try client.nextEvent("scan")["location"]?["latitude"] == .number(65.5841))
            _ = try answer(client, to: scan, from: "api")
            let record = try #require(sandbox.scanEvents().last)
            #expect(record.geo == consent)
            #expect(record.latitude == (consent ? 65.5841 : nil))
            #expect(try client.nextEvent("location")["state"] == .string("fixed"))
            #expect(client.problems.isEmpty)
        }
    }

    @Test("SIGTERM aborts a request under way; the scan stays in the outbox and is delivered later")
    func stopWithRequest() throws {
        let folder = TestFolder()
        let station = start(folder)
        let client = try watch(station)
        try awaitOnline(client)
        sandbox.control(
            "faults", #"{"op":"resolveIdentifier","kind":"timeout","delay":30,"count":1}"#)
        let scan = try submit(client, sandbox.url(of: "bike"))
        let isUnderWay = Poll.until {
            sandbox.control("log?op=resolveIdentifier").contains("resolveIdentifier")
        }
        #expect(isUnderWay)
        #expect(station.stop() == .exit(0))
        let again = start(folder)
        let later = try watch(again)
        #expect(try answer(later, to: scan, from: "api")["outcome"] == .string("KNOWN_OBJECT"))
        #expect(client.problems.isEmpty && later.problems.isEmpty)
    }
}
