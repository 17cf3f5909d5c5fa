import LineProtocols
import Scanning
import TestRig
import Testing

/// The schemas against what the station's own types write.
@Suite("the schemas and the station's types")
struct SchemaTests {
    private static let scan = "01a22a6f-ff8b-7eec-8ab3-6fba8c605091"
    private static let door = ReaderReference(id: "acs-1", name: "door", kind: "pcsc")
    private static let place = Location(
        latitude: 65.5841, longitude: -22.1547, accuracy: 8, source: .fixed)
    private static let identifier = ScannedIdentifier(
        type: "n", identifier: "ABC", path: "4.2", classPointer: "d",
        url: "https://s.plings.io/?t=n&i=ABC&p=4.2&cp=d")

    private static func resolution(
        _ outcome: ResolutionEvent.Outcome, _ source: ResolutionEvent.Source,
        _ fill: (inout ResolutionEvent) -> Void
    ) -> Event {
        var event = ResolutionEvent(
            scan: scan, reader: door, identifier: identifier, outcome: outcome, source: source)
        fill(&event)
        return .resolution(event)
    }

    private static var object: ObjectSummary {
        var object = ObjectSummary(id: "o", name: "Bike", canEdit: false)
        object.owner = .init(id: "u", name: "Org", type: "organization")
        object.class = ObjectClass(id: "c", name: "Bike", classPointer: "d", isGeneric: false)
        object.location = .init(object: "p", name: "Shelf", relationship: "ON")
        object.statuses = ["ACTIVE"]
        return object
    }

    private static func unrecognised(_ why: Unrecognised, _ content: String? = nil) -> Event {
        .scan(
            ScanEvent(
                scan: scan, reader: door, medium: "nfc",
                tag: Tag(technology: "felica", kind: nil, uid: "01", uidRandom: true),
                unrecognised: why, content: content))
    }

    private static let scans: [Event] = [
        .scan(
            ScanEvent(
                scan: scan, reader: door, medium: "nfc",
                tag: Tag(technology: "iso14443a", kind: "NTAG213", uid: "04a2", uidRandom: nil),
                identifier: identifier, location: place)),
        .scan(
            ScanEvent(
                scan: scan, reader: .manual, medium: "manual", unrecognised: .foreign,
                content: "x\\u0007")),
        unrecognised(.malformed, "https://s.plings.io/"), unrecognised(.blank),
        unrecognised(.uidOnly), unrecognised(.unsupported), unrecognised(.unreadable),
    ]

    private static let resolutions: [Event] = [
        resolution(.knownObject, .cache) {
            $0.object = object
            $0.ageSeconds = 0
            $0.stale = true
        },
        resolution(.knownObject, .api) {
            $0.object = object
            $0.changed = false
            $0.scanEvent = "s"
            $0.routing = Routing(
                action: "SHOW_INFO", destination: "/o", parameters: [.init(key: "a", value: "b")],
                cacheTTL: 0)
        },
        resolution(.unknownSpecific, .api) {
            $0.class = ObjectClass(id: "c", name: nil, classPointer: nil, isGeneric: nil)
            $0.late = true
        },
        resolution(.unknownGeneral, .cache) { $0.ageSeconds = 1.5 },
        resolution(.duplicate, .api) { $0.candidates = [object] },
        resolution(.error, .api) { $0.error = AnswerError(code: "X", message: "") },
        resolution(.offline, .station) { $0.reason = .network },
        resolution(.offline, .station) { $0.reason = .unauthorised },
        resolution(.offline, .station) { $0.reason = .notConfigured },
        resolution(.offline, .station) { $0.reason = .waiting },
    ]

    private static let states: [Event] = [
        .departure(DepartureEvent(scan: scan, reader: door, heldMilliseconds: 0, lost: nil)),
        .departure(DepartureEvent(scan: scan, reader: door, heldMilliseconds: 9, lost: true)),
        .reader(ReaderEvent(reader: door, state: .connected, reason: nil)),
        .reader(ReaderEvent(reader: door, state: .degraded, reason: "why")),
        .location(LocationEvent(state: .fixed, location: place)),
        .location(LocationEvent(state: .none, location: nil)),
        .api(APIEvent(state: .online, reason: nil)),
        .api(APIEvent(state: .offline, reason: "why")),
        .api(APIEvent(state: .unauthorised, reason: "why")),
        .api(APIEvent(state: .notConfigured, reason: nil)),
        .job(JobEvent(job: job(.attention, JobOrigin(uid: 0, user: "root", pid: 1)))),
        .job(
            JobEvent(
                job: job(.discarded, JobOrigin(reader: "door", scan: scan)), reader: door)),
    ]

    private static func job(_ state: Job.State, _ by: JobOrigin) -> Job {
        var job = Job(
            id: scan, kind: "scan", state: state, attempts: 1, by: by, error: "why", scan: scan)
        job.at = Timestamp(milliseconds: 0)
        return job
    }

    private func line(_ event: Event, seq: Int64?, clockTrusted: Bool) throws -> [UInt8] {
        let timed = TimedEvent(
            at: Timestamp(milliseconds: 0), clockTrusted: clockTrusted, event: event)
        return StationLine.event(seq: seq, body: try JSONLine.encode(timed)).dropLast()
    }

    @Test(
        "every event that the station can make is described",
        arguments: scans + resolutions + states)
    func events(event: Event) throws {
        let stored = try line(event, seq: .max, clockTrusted: true)
        #expect(ProtocolValidator.shared.check(stored, as: .server) == nil)
        let unstored = try line(event, seq: nil, clockTrusted: false)
        #expect(ProtocolValidator.shared.check(unstored, as: .server) == nil)
    }

    @Test("every type of event is among them")
    func types() {
        let types = Set((Self.scans + Self.resolutions + Self.states).map(\.type))
        #expect(types == Set(Event.types))
    }

    private static let contradictions: [Event] = [
        .scan(ScanEvent(scan: scan, reader: door, medium: "nfc")),
        .scan(
            ScanEvent(
                scan: scan, reader: door, medium: "nfc", identifier: identifier,
                unrecognised: .blank)),
        .scan(ScanEvent(scan: "7", reader: door, medium: "nfc", identifier: identifier)),
        unrecognised(.blank, "text"), unrecognised(.foreign, "\u{1B}[31m"),
        resolution(.knownObject, .api) { _ in },
        resolution(.offline, .station) { _ in },
        resolution(.offline, .api) { $0.reason = .network },
        resolution(.knownObject, .cache) { $0.object = object },
        resolution(.unknownGeneral, .api) { $0.object = object },
        resolution(.unknownGeneral, .api) { $0.ageSeconds = 1 },
        resolution(.error, .cache) {
            $0.error = AnswerError(code: "X", message: "y")
            $0.ageSeconds = 1
        },
        .location(LocationEvent(state: .fixed, location: nil)),
        .api(APIEvent(state: .offline, reason: nil)),
        .departure(DepartureEvent(scan: scan, reader: door, heldMilliseconds: -1, lost: nil)),
    ]

    @Test("an event that contradicts itself is not", arguments: contradictions)
    func nonsense(event: Event) throws {
        let line = try line(event, seq: 1, clockTrusted: true)
        #expect(ProtocolValidator.shared.check(line, as: .server) != nil)
    }

    @Test("the replies of every method are described, each as its own")
    func replies() throws {
        let id = RequestID.unsigned(.max)
        let gap = SubscribeResult.Gap(requested: 7, first: 1)
        let job = Self.job(.queued, JobOrigin())
        let lines: [(String, [UInt8])] = [
            ("subscribe", StationLine.reply(id, SubscribeResult(from: 0, log: Self.scan))),
            (
                "subscribe",
                StationLine.reply(
                    id, SubscribeResult(from: 0, log: Self.scan, gap: gap, ignored: ["x"]))
            ),
            ("unsubscribe", StationLine.reply(id, EmptyObject())),
            (
                "scan.submit",
                StationLine.reply(id, SubmitResult(scan: Self.scan, unrecognised: nil))
            ),
            (
                "scan.submit",
                StationLine.reply(id, SubmitResult(scan: Self.scan, unrecognised: .malformed))
            ),
            ("status", StationLine.reply(id, Self.status)),
            ("outbox.get", StationLine.reply(id, JobResult(job: job, history: Self.history))),
            ("metrics", StationLine.reply(id, MetricsResult(text: "# EOF\n"))),
            (
                "account.login",
                StationLine.reply(
                    id, LoginResult(account: "u1", expiresAt: .init(milliseconds: 0)))
            ),
            ("account.logout", StationLine.reply(id, LogoutResult(notRevoked: "it is away"))),
        ]
        let methods = [
            "subscribe", "unsubscribe", "scan.submit", "status", "outbox.list", "outbox.get",
            "outbox.retry", "metrics", "account.login", "account.logout",
        ]
        for (method, line) in lines {
            let text = Array(line.dropLast())
            #expect(ProtocolValidator.shared.check(text, as: .server) == nil)
            for other in methods {
                let problem = ProtocolValidator.shared.check(text, as: .reply(other))
                // A logout that went well says as little as the end of a subscription.
                let isSame = other == method || (other, method) == ("account.logout", "unsubscribe")
                #expect((problem == nil) == isSame)
            }
        }
    }

    private static let history = [
        JobHistoryEntry(at: .init(milliseconds: 0), result: "failed", cause: "why", by: nil),
        JobHistoryEntry(
            at: .init(milliseconds: 0), result: "retried", cause: nil, by: JobOrigin(uid: 0)),
    ]

    @Test("the replies with jobs are described; only decisions leave some alone")
    func jobReplies() throws {
        let job = Self.job(.attention, JobOrigin(reader: "door", scan: Self.scan))
        let page = StationLine.reply(.integer(1), JobsResult(jobs: [job], next: "7"))
        for method in ["outbox.list", "outbox.retry", "outbox.discard"] {
            let problem = ProtocolValidator.shared.check(
                Array(page.dropLast()), as: .reply(method))
            #expect(problem == nil)
        }
        let decided = StationLine.reply(
            .integer(1), JobsResult(jobs: [], superseded: [Self.scan]))
        let problems = ["outbox.list", "outbox.retry"].map {
            ProtocolValidator.shared.check(Array(decided.dropLast()), as: .reply($0))
        }
        #expect(problems[0] != nil && problems[1] == nil)
        let whole = SubscribeResult(from: 0, log: Self.scan, snapshot: Self.status)
        let snapshot = Array(StationLine.reply(.integer(1), whole).dropLast())
        #expect(ProtocolValidator.shared.check(snapshot, as: .reply("subscribe")) == nil)
    }

    private static var status: Status {
        Status(
            station: "kiosk-3", version: "0.1.0", uptimeSeconds: 0, account: "a",
            readers: [
                .init(
                    id: "a", name: "b", kind: "pcsc", state: .ready, reason: nil, signals: ["ok"])
            ],
            location: LocationEvent(state: .fixed, location: place),
            api: .init(state: .offline, reason: "why", endpoint: "https://api.plings.io/graphql"),
            clock: .init(trusted: false),
            outbox: .init(
                scans: 1, queued: 0, waiting: 0, attention: 0, oldestAt: .init(milliseconds: 0),
                bytes: 1, held: 1),
            cache: .init(objects: 1, ageSeconds: 0), log: .init(first: 1, last: 0),
            counters: [
                "scans": 0, "recognised": 0, "suppressed": 0, "delivered": 0, "lost": 0,
            ])
    }

    private static let errors: [(RequestError, RequestID?)] = [
        (.lineTooLong, nil), (.unknownMethod("x"), .text("")),
        (.invalidParameter("types[1]", "is wrong"), .integer(.min)),
        (.station(.notAllowed, "no"), .integer(1)), (.station(.full, "no"), .integer(1)),
        (.station(.busy, "no"), nil), (.station(.busy, "no"), .integer(1)),
        (.station(.notFound, "no"), .integer(1)), (.station(.superseded, "no"), .integer(1)),
    ]

    @Test("every error is described", arguments: errors)
    func errorLines(error: RequestError, id: RequestID?) {
        let line = Array(StationLine.error(error, id: id).dropLast())
        #expect(ProtocolValidator.shared.check(line, as: .server) == nil)
    }

    @Test("every message of a reader program is described", arguments: ReaderMessageTests.messages)
    func readerMessages(message: ReaderMessage, line: String) {
        #expect(ProtocolValidator.shared.check(Array(line.utf8), as: .reader) == nil)
    }
}
