import LineProtocols
import Scanning
import Testing

@testable import StationClient

@Suite("Events as the station writes them, for people")
struct StationsOwnEventsTests {
    @Test("events as the station writes them are read")
    func stationsOwn() throws {
        let reader = ReaderReference(id: "a", name: "door", kind: "pcsc")
        let identifier = ScannedIdentifier(
            type: "n", identifier: "4kyQCd5tMD", path: "4.2.3", classPointer: nil, url: "u")
        let job = Job(
            id: "j", kind: "scan", state: .attention, attempts: 2, by: JobOrigin(reader: "door"),
            error: "forbidden", scan: "j")
        let events: [(Event, String)] = [
            (
                .scan(scan(reader, identifier)),
                "door     scan        4kyQCd · path 4.2.3 · NTAG213 04a1"
            ),
            (.resolution(resolution(reader, identifier)), resolutionText),
            (
                .departure(
                    DepartureEvent(scan: "s", reader: reader, heldMilliseconds: 1200, lost: nil)),
                "door     departure   held 1.2 s"
            ),
            (
                .reader(ReaderEvent(reader: reader, state: .ready, reason: nil)),
                "door     reader      ready"
            ),
            (
                .location(LocationEvent(state: .lost, location: nil)), "station  location    lost"
            ),
            (
                .job(JobEvent(job: job, reader: reader)),
                "door     job         delivery of scan j · needs attention after 2 attempts · "
                    + "forbidden · by reader door"
            ),
            (.api(APIEvent(state: .online, reason: nil)), "station  api         online"),
        ]
        for (event, text) in events {
            let now = Timestamp(milliseconds: 0)
            let timed = TimedEvent(at: now, clockTrusted: true, event: event)
            let noon = LocalClock { _ in
                LocalTime(
                    year: 1970, month: 1, day: 1, hour: 12, minute: 0, second: 0, millisecond: 0)
            }
            var renderer = EventRenderer(paint: Paint(isOn: false), clock: noon, now: now)
            let line = renderer.render(try JSONLine.encode(timed))
            #expect(line == "12:00:00.000  \(text)\n")
        }
        #expect(Set(events.map { $0.0.type }) == Set(Event.types))
    }

    private let resolutionText =
        "door     resolution  4kyQCd · known object · Blue box · read-only, owned by Luleå · "
        + "class Box · in Shelf 3 · from the cache, 1 min old"

    private func scan(_ reader: ReaderReference, _ identifier: ScannedIdentifier) -> ScanEvent {
        let tag = Tag(technology: "iso14443a", kind: "NTAG213", uid: "04a1", uidRandom: nil)
        return ScanEvent(
            scan: "s", reader: reader, medium: "nfc", tag: tag, identifier: identifier)
    }

    private func resolution(
        _ reader: ReaderReference, _ identifier: ScannedIdentifier
    ) -> ResolutionEvent {
        var event = ResolutionEvent(
            scan: "s", reader: reader, identifier: identifier, outcome: .knownObject, source: .cache
        )
        event.ageSeconds = 60
        event.object = ObjectSummary(id: "o", name: "Blue box", canEdit: false)
        event.object?.owner = .init(id: "w", name: "Luleå", type: nil)
        event.object?.class = ObjectClass(
            id: nil, name: "Box", classPointer: nil, isGeneric: nil)
        event.object?.location = .init(object: "p", name: "Shelf 3", relationship: "IN")
        return event
    }
}
