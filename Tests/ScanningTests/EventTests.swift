import FoundationEssentials
import Scanning
import Testing

@Suite("an event")
struct EventTests {
    private static let at = Timestamp(milliseconds: 1_795_995_986_123)
    private static let door = ReaderReference(id: "acs-1", name: "door", kind: "pcsc")
    private static let identifier = ScannedIdentifier(
        type: "n", identifier: "ABC", path: "4.2", classPointer: "d",
        url: "https://s.plings.io/?t=n&i=ABC&p=4.2&cp=d")

    private static var resolution: ResolutionEvent {
        var event = ResolutionEvent(
            scan: "S", reader: door, identifier: identifier, outcome: .offline, source: .station)
        event.reason = .waiting
        return event
    }

    private static let identified =
        #""identifier":{"classPointer":"d","identifier":"ABC","path":"4.2","type":"n","#
        + #""url":"https://s.plings.io/?t=n&i=ABC&p=4.2&cp=d"}"#
    private static let reader = #""reader":{"id":"acs-1","kind":"pcsc","name":"door"}"#
    private static let time = #""at":"2026-11-29T23:46:26.123Z""#

    private static let events: [(Event, String)] = [
        (
            .scan(
                ScanEvent(
                    scan: "S", reader: door, medium: "nfc",
                    tag: Tag(technology: "iso14443a", kind: "NTAG213", uid: "04a2", uidRandom: nil),
                    identifier: identifier)),
            "{\(time),\(identified),\"medium\":\"nfc\",\(reader),\"scan\":\"S\","
                + #""tag":{"kind":"NTAG213","technology":"iso14443a","uid":"04a2"},"type":"scan"}"#
        ),
        (
            .scan(
                ScanEvent(
                    scan: "S", reader: .manual, medium: "manual", unrecognised: .foreign,
                    content: "x",
                    location: Location(
                        latitude: 65.5, longitude: -22, accuracy: 8, source: .fixed))),
            "{\(time),\"content\":\"x\","
                + #""location":{"accuracy":8,"latitude":65.5,"longitude":-22,"source":"fixed"},"#
                + #""medium":"manual","reader":{"id":"manual","kind":"manual","name":"manual"},"#
                + #""scan":"S","type":"scan","unrecognised":"foreign"}"#
        ),
        (
            .resolution(resolution),
            "{\(time),\(identified),\"outcome\":\"OFFLINE\",\(reader),\"reason\":\"waiting\","
                + #""scan":"S","source":"station","type":"resolution"}"#
        ),
        (
            .departure(
                DepartureEvent(scan: "S", reader: door, heldMilliseconds: 812, lost: nil)),
            "{\(time),\"heldMilliseconds\":812,\(reader),\"scan\":\"S\",\"type\":\"departure\"}"
        ),
        (
            .departure(DepartureEvent(scan: "S", reader: door, heldMilliseconds: 0, lost: true)),
            "{\(time),\"heldMilliseconds\":0,\"lost\":true,\(reader),\"scan\":\"S\","
                + "\"type\":\"departure\"}"
        ),
        (
            .reader(ReaderEvent(reader: door, state: .degraded, reason: "in use")),
            "{\(time),\(reader),\"reason\":\"in use\",\"state\":\"degraded\",\"type\":\"reader\"}"
        ),
        (
            .location(LocationEvent(state: .none, location: nil)),
            "{\(time),\"state\":\"none\",\"type\":\"location\"}"
        ),
        (
            .job(
                JobEvent(
                    job: .init(
                        id: "S", kind: "scan", state: .attention, attempts: 3,
                        by: JobOrigin(reader: "door", scan: "S"), error: "BAD_INPUT: no",
                        scan: "S"), reader: door)),
            "{\(time),\"job\":{\"attempts\":3,\"by\":{\"reader\":\"door\",\"scan\":\"S\"},"
                + #""error":"BAD_INPUT: no","id":"S","kind":"scan","scan":"S","#
                + #""state":"attention"},"reader":{"id":"acs-1","kind":"pcsc","name":"door"},"#
                + #""type":"job"}"#
        ),
        (
            .api(APIEvent(state: .offline, reason: "no route")),
            "{\(time),\"reason\":\"no route\",\"state\":\"offline\",\"type\":\"api\"}"
        ),
    ]

    private func text(_ event: TimedEvent) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(event), as: UTF8.self)
    }

    @Test("it is written with its type, its time and its own members", arguments: events)
    func written(event: Event, expected: String) throws {
        #expect(
            try text(TimedEvent(at: Self.at, clockTrusted: true, event: event)) == expected)
        #expect(Event.types.contains(event.type))
    }

    @Test("it says so while the clock is not trusted", arguments: events)
    func untrustedClock(event: Event, expected: String) throws {
        let text = try text(TimedEvent(at: Self.at, clockTrusted: false, event: event))
        // Right after the time, with which every body begins.
        let time = "{\(Self.time)"
        #expect(text == time + #","clock":"untrusted""# + expected.dropFirst(time.count))
    }

    private static let belongings: [(Event, reader: String?, scan: String?)] = [
        (events[0].0, "acs-1", "S"), (events[1].0, "manual", "S"), (events[2].0, "acs-1", "S"),
        (events[3].0, "acs-1", "S"), (events[5].0, "acs-1", nil), (events[6].0, nil, nil),
        (events[7].0, "acs-1", "S"), (events[8].0, nil, nil),
    ]

    @Test("it knows its reader and the scan that caused it", arguments: belongings)
    func belongs(event: Event, reader: String?, scan: String?) {
        #expect(event.reader?.id == reader)
        #expect(event.scan == scan)
    }

    @Test("a resolution with everything in it is read as it was written")
    func resolutionRoundTrip() throws {
        var object = ObjectSummary(id: "o", name: "Bike", canEdit: false)
        object.owner = .init(id: "u", name: nil, type: "organization")
        object.class = ObjectClass(id: "c", name: "Bike", classPointer: "d", isGeneric: false)
        object.location = .init(object: "p", name: "Shelf", relationship: "ON")
        object.statuses = ["ACTIVE", "BRAND_NEW_WORD"]
        var event = Self.resolution
        event.object = object
        event.candidates = [object]
        event.routing = Routing(
            action: "SHOW_INFO", destination: nil, parameters: [.init(key: "sid", value: "9")],
            cacheTTL: 60)
        event.error = AnswerError(code: "X", message: "y")
        event.ageSeconds = 1.25
        event.stale = true
        let line = try JSONEncoder().encode(event)
        #expect(try JSONDecoder().decode(ResolutionEvent.self, from: line) == event)
    }
}
