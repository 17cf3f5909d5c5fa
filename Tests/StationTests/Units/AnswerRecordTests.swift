import LineProtocols
import PlingsAPI
import Scanning
import Testing

@testable import Station
@testable import Storage

@Suite("What an API's answer changes")
struct AnswerRecordTests {
    private func record(
        first: ResolutionEvent? = nil, isFirst: Bool = false, limit: Duration = .seconds(86_400),
        account: String? = "u1"
    ) throws -> AnswerRecord {
        AnswerRecord(
            row: try Sample.row(firstAnswer: first),
            delivery: ScanDelivery(
                reader: Sample.reader, identifier: Sample.identifier(), location: nil),
            isFirst: isFirst, patience: .seconds(2), cacheLimit: limit, account: account)
    }

    private func answer(_ resolution: Resolution, ttl: Int? = nil) -> ResolveAnswer {
        ResolveAnswer(resolution: resolution, scanEvent: "e1", cacheTTL: ttl)
    }

    /// A first answer as the log has it.
    private func first(
        _ source: ResolutionEvent.Source, _ resolution: Resolution = Sample.known()
    ) -> ResolutionEvent {
        var event = ResolutionEvent(
            scan: "s1", reader: Sample.reader, identifier: Sample.identifier(),
            outcome: resolution.outcome, source: source)
        event.take(resolution)
        return event
    }

    private var offline: ResolutionEvent { first(.station, Resolution(outcome: .offline)) }

    // MARK: late

    struct Time: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let seconds: Double
        var boot = Sample.boot
        let isLate: Bool
    }

    @Test(
        "an answer is late after the patience, by the boot's clock",
        arguments: [
            Time(testDescription: "at once", seconds: 0.1, isLate: false),
            Time(testDescription: "just in time", seconds: 2, isLate: false),
            Time(testDescription: "just too late", seconds: 2.001, isLate: true),
            Time(
                testDescription: "in the next boot", seconds: 1, boot: Sample.otherBoot,
                isLate: true),
        ])
    func late(_ time: Time) throws {
        let now = Sample.moment(time.seconds, boot: time.boot)
        for isFirst in [true, false] {
            let event = try record(isFirst: isFirst).event(answer(Sample.known()), now: now)
            #expect(event.late == (time.isLate ? true : nil))
            #expect(event.changed == nil)
        }
    }

    @Test("an answer after OFFLINE is late however soon it comes")
    func afterOffline() throws {
        let record = try record(first: offline)
        let event = record.event(answer(Sample.known()), now: Sample.moment(0.1))
        #expect(event.late == true)
        #expect(event.changed == nil, "nothing was said that could have changed")
    }

    // MARK: changed

    @Test("after the cache's answer the API's says whether it differs")
    func changed() throws {
        let record = try record(first: first(.cache))
        let now = Sample.moment(0.1)
        #expect(record.event(answer(Sample.known()), now: now).changed == false)
        #expect(record.event(answer(Sample.known("Scooter")), now: now).changed == true)
        #expect(
            record.event(answer(Resolution(outcome: .unknownGeneral)), now: now).changed == true)
        #expect(record.event(answer(Sample.known()), now: now).late == nil)
        #expect(record.refusal(code: "NOT_FOUND", message: "gone", now: now).changed == true)
    }

    @Test("advice on what to do next is no change of the thing")
    func routing() throws {
        var before = Sample.known()
        before.routing = Routing(
            action: "REDIRECT", destination: "a", parameters: nil, cacheTTL: 300)
        var after = Sample.known()
        after.routing = Routing(
            action: "REDIRECT", destination: "a",
            parameters: [Routing.Parameter(key: "sid", value: "e2")], cacheTTL: 60)
        let record = try record(first: first(.cache, before))
        let event = record.event(answer(after), now: Sample.moment(0.1))
        #expect(event.changed == false)
        #expect(event.routing == after.routing)
    }

    @Test("the first answer of all says neither, also where a row names an earlier one")
    func isFirst() throws {
        let record = try record(isFirst: true)
        let event = record.event(answer(Sample.known()), now: Sample.moment(0.1))
        #expect(event.late == nil)
        #expect(event.changed == nil)
    }

    // MARK: The event

    @Test("the event carries the scan, the thing and the server's own id")
    func event() throws {
        let event = try record().event(answer(Sample.known()), now: Sample.moment(0.1))
        #expect(event.scan == "s1")
        #expect(event.reader == Sample.reader)
        #expect(event.identifier == Sample.identifier())
        #expect(event.outcome == .knownObject)
        #expect(event.source == .api)
        #expect(event.object == Sample.known().object)
        #expect(event.scanEvent == "e1")
    }

    @Test("a refusal is told with the API's own words")
    func refusal() throws {
        let refusal = try record(first: offline).refusal(
            code: "FORBIDDEN", message: "not yours", now: Sample.moment(0.1))
        #expect(refusal.outcome == .error)
        #expect(refusal.source == .api)
        #expect(refusal.error == AnswerError(code: "FORBIDDEN", message: "not yours"))
        #expect(refusal.late == true)
    }

    // MARK: The cache

    @Test("what may be served later is kept, with its account")
    func kept() throws {
        for outcome in [
            ResolutionEvent.Outcome.knownObject, .unknownSpecific, .unknownGeneral,
        ] {
            var resolution = Sample.known()
            resolution.outcome = outcome
            let now = Sample.moment(7)
            let change = try record().cacheChange(answer(resolution, ttl: 300), now: now)
            let entry = CacheEntry(
                key: Sample.key, account: "u1", resolution: try JSONLine.encode(resolution),
                moment: now, ttlSeconds: 300)
            #expect(change == .put(entry))
        }
    }

    @Test("what may not be served removes what is there")
    func removed() throws {
        for outcome in [ResolutionEvent.Outcome.duplicate, .error, .offline] {
            let change = try record().cacheChange(
                answer(Resolution(outcome: outcome), ttl: 300), now: Sample.moment(7))
            #expect(change == .remove(key: Sample.key))
        }
    }

    struct TTL: Sendable {
        let said: Int?
        let limit: Duration
        let kept: Int
    }

    @Test(
        "the API's time counts up to the configured one; zero is stale at once",
        arguments: [
            TTL(said: 300, limit: .seconds(86_400), kept: 300),
            TTL(said: 90_000, limit: .seconds(86_400), kept: 86_400),
            TTL(said: nil, limit: .seconds(86_400), kept: 86_400),
            TTL(said: 0, limit: .seconds(86_400), kept: 0),
            TTL(said: -5, limit: .seconds(86_400), kept: 0),
            TTL(said: 300, limit: .zero, kept: 0),
        ])
    func timeToLive(_ ttl: TTL) throws {
        let change = try record(limit: ttl.limit).cacheChange(
            answer(Sample.known(), ttl: ttl.said), now: Sample.moment(7))
        guard case .put(let entry) = change else {
            Issue.record("nothing is kept")
            return
        }
        #expect(entry.ttlSeconds == ttl.kept)
    }
}
