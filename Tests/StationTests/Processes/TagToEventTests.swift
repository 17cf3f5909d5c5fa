import Platform
import TestRig
import Testing

@Suite("From a tag on a PC/SC reader to an event", .serialized)
struct TagToEventTests {
    private func watch(_ station: StationProcess) throws -> ProtocolClient {
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", #"{"since":"start"}"#)
        while try client.nextEvent("reader")["state"] != .string("ready") {}
        return client
    }

    private func tag(_ key: String, uid: String = "04A1B2C3D4E5F6") -> String {
        #"{"kind":"ntag213","uid":"\#(uid)","uri":"\#(Setting.url(key))"}"#
    }

    @Test("a tag is published with its UID and identifier, and its departure with the time held")
    func tap() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        let station = StationProcess("", environment: readers.environment)
        let client = try watch(station)
        try await tags.insert(readers.ports[0], tag("ABC"))
        let scan = try client.nextEvent("scan")
        #expect(scan["medium"] == .string("nfc"))
        #expect(scan["tag"]?["uid"] == .string("04a1b2c3d4e5f6"))
        #expect(scan["identifier"]?["identifier"] == .string("ABC"))
        #expect(scan["reader"]?["kind"] == .string("pcsc"))
        try await tags.remove(readers.ports[0])
        let departure = try client.nextEvent("departure")
        #expect(departure["scan"] == scan["scan"])
        #expect(departure["heldMilliseconds"]?.integer ?? -1 >= 0)
        #expect(departure["lost"] == nil)
        #expect(client.problems.isEmpty)
    }

    private static let others: [(tag: String, why: String, content: String?)] = [
        (#"{"kind":"ntag213","uri":"https://example.org/a"}"#, "foreign", "https://example.org/a"),
        (
            #"{"kind":"ntag213","uri":"https://s.plings.io/?t=n&i=0&p=1"}"#, "malformed",
            "https://s.plings.io/?t=n&i=0&p=1"
        ),
        (#"{"kind":"ntag213"}"#, "blank", nil),
        (#"{"kind":"ntag213","blank":true}"#, "blank", nil),
        (#"{"kind":"ntag213","uri":"https://a.example/","claim":200}"#, "unreadable", nil),
        (#"{"kind":"desfire"}"#, "uidOnly", nil),
        (#"{"kind":"desfire","uid":"00000000"}"#, "unsupported", nil),
        (#"{"kind":"ntag424"}"#, "blank", nil),
        (#"{"kind":"type4","uri":"https://example.org/a"}"#, "foreign", "https://example.org/a"),
        (#"{"kind":"type4b","uri":"https://example.org/b","read":128}"#, "unreadable", nil),
        (#"{"kind":"classic1k"}"#, "unsupported", nil),
        (#"{"kind":"ntag213","text":"a\u0001b\u009f"}"#, "foreign", "a\\u0001b\\u009f"),
    ]

    @Test("a tag that is not ours is published with the reason and with what it says")
    func unrecognised() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        let station = StationProcess("", environment: readers.environment)
        let client = try watch(station)
        for row in Self.others {
            try await tags.insert(readers.ports[0], row.tag)
            let scan = try client.nextEvent("scan")
            #expect(scan["unrecognised"] == .string(row.why), "\(row.tag)")
            #expect(scan["content"]?.string == row.content, "\(row.tag)")
            #expect(scan["identifier"] == nil)
            try await tags.remove(readers.ports[0])
            _ = try client.nextEvent("departure")
        }
        #expect(try client.call("status")["outbox"]?["scans"] == .integer(0))
        #expect(client.problems.isEmpty)
    }

    @Test(
        "a tag pulled away while it is read is published as unreadable, and afresh when it is back",
        arguments: ["ntag213", "type4"])
    func pulled(kind: String) async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        let station = StationProcess("", environment: readers.environment)
        let client = try watch(station)
        let url = Setting.url("ABC")
        for commands in 1...3 {
            let tag = #"{"kind":"\#(kind)","uid":"04A1B2C3D4E5F6","uri":"\#(url)""#
            try await tags.insert(
                readers.ports[0], tag + #","fault":{"pull_after":\#(commands)}}"#)
            let half = try client.nextEvent("scan")
            #expect(half["unrecognised"] == .string("unreadable"), "after \(commands) commands")
            #expect(half["identifier"] == nil && half["content"] == nil)
            #expect(half["tag"]?["uid"] == .string("04a1b2c3d4e5f6"))
            #expect(try client.nextEvent("departure")["scan"] == half["scan"])
            try await tags.insert(readers.ports[0], tag + "}")
            let whole = try client.nextEvent("scan")
            #expect(whole["identifier"]?["identifier"] == .string("ABC"))
            #expect(whole["unrecognised"] == nil)
            try await tags.remove(readers.ports[0])
            #expect(try client.nextEvent("departure")["scan"] == whole["scan"])
        }
        #expect(client.problems.isEmpty)
    }

    @Test(
        "a tag that another program holds is a state of the reader, told once, until it is let go")
    func held() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        try await tags.insert(readers.ports[0], tag("ABC"))
        let other = try OtherProgram(readers)
        try await other.does("hold ACS ACR122U PICC Interface 00 00")
        let station = StationProcess("", environment: readers.environment)
        let client = try watch(station)
        let degraded = try client.nextEvent("reader")
        #expect(degraded["state"] == .string("degraded"))
        #expect(degraded["reason"] == .string("the tag is held by another program"))
        let shown = try client.call("status")["readers"]?[0]
        #expect(shown?["state"] == .string("degraded"))
        #expect(shown?["reason"] == degraded["reason"])
        try await other.does("leave")
        #expect(try client.nextEvent("scan")["identifier"]?["identifier"] == .string("ABC"))
        #expect(try client.nextEvent("reader")["state"] == .string("ready"))
        #expect(client.problems.isEmpty)
    }

    @Test("a tag that lies still over kill -9 of plingsd is announced once, and its going is told")
    func killed() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        let folder = TestFolder()
        let first = StationProcess(in: folder, "", environment: readers.environment)
        let client = try watch(first)
        try await tags.insert(readers.ports[0], tag("ABC"))
        let scan = try client.nextEvent("scan")
        _ = try client.nextEvent("resolution")
        let cursor = try #require(try client.call("status")["log"]?["last"]?.integer)
        first.program.kill()
        let second = StationProcess(in: folder, "", environment: readers.environment)
        let after = try ProtocolClient(path: second.socket)
        _ = try after.call("subscribe", #"{"since":\#(cursor),"types":["scan","departure"]}"#)
        #expect(
            Poll.until {
                (try? after.call("status")["readers"]?[0]?["state"]) == .string("ready")
            })
        try await tags.remove(readers.ports[0])
        let event = try after.nextEvent()
        #expect(event["type"] == .string("departure"), "\(event)")
        #expect(event["scan"] == scan["scan"])
        #expect(client.problems.isEmpty && after.problems.isEmpty)
    }

    @Test("a tag taken away while plingsd was down is told as lost")
    func lost() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        let folder = TestFolder()
        let first = StationProcess(in: folder, "", environment: readers.environment)
        let client = try watch(first)
        try await tags.insert(readers.ports[0], tag("ABC"))
        let scan = try client.nextEvent("scan")
        first.program.kill()
        try await tags.remove(readers.ports[0])
        let second = StationProcess(in: folder, "", environment: readers.environment)
        let after = try ProtocolClient(path: second.socket)
        _ = try after.call("subscribe", #"{"since":"start","types":["departure"]}"#)
        let departure = try after.nextEvent("departure", within: .seconds(20))
        #expect(departure["scan"] == scan["scan"])
        #expect(departure["lost"] == .bool(true))
        #expect(client.problems.isEmpty && after.problems.isEmpty)
    }

    @Test("with announce_present off a tag that lay there before the start is not published")
    func notAnnounced() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        let port = readers.ports[0]
        try await tags.insert(
            port, #"{"kind":"ntag213","trace":true,"uri":"\#(Setting.url("ABC"))"}"#)
        let station = StationProcess(
            "[scan]\nannounce_present = false\n", environment: readers.environment)
        let client = try watch(station)
        // Only once the reader program has looked is the next tag one that came after.
        #expect(Poll.until { tags.events(port).contains { $0.ev == "apdu" } })
        try await tags.remove(port)
        try await tags.insert(port, tag("DEF", uid: "04000000000001"))
        let scan = try client.nextEvent("scan")
        #expect(scan["identifier"]?["identifier"] == .string("DEF"))
        #expect(client.problems.isEmpty)
    }
}
