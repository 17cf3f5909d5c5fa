internal import LineProtocols
internal import Platform
internal import Scanning
internal import ServiceManager
internal import Storage

/// The path of one tag: from what a reader reports to what is stored and published.
@LoopActor
final class ScanPipeline {
    /// What the configuration says of scans.
    struct Settings {
        let hosts: [String]
        let announcesPresent: Bool
        let cacheLimit: Duration
        let flapLimit: Int
    }

    private(set) var settings: Settings
    private(set) var normaliser: Normaliser
    let journal: Journal
    let recorder: EventRecorder
    private let forwarder: Forwarder
    private let answers: FirstAnswers
    private(set) var location: StationLocation
    let log: Log
    /// What lies on the readers; the readers as events name them, by device.
    var presences = Presences()
    var readers: [String: ReaderReference] = [:]
    var giveUpTimer: TimerID?
    var flaps: FlapFilter
    var quietTimer: TimerID?
    /// Arrivals of flapping tags, which were left out.
    var suppressed: Int64 = 0
    /// In which state a device is, for events that are about something else.
    var deviceState: @LoopActor (String) -> DeviceState = { _ in .ready }
    /// What was published since the start.
    private(set) var counters = ScanCounters()
    var scans: Int64 { counters.all }
    var recognised: Int64 { counters.recognised }

    init(
        settings: Settings, journal: Journal, recorder: EventRecorder, forwarder: Forwarder,
        answers: FirstAnswers, location: StationLocation, log: Log
    ) {
        self.settings = settings
        normaliser = Normaliser(hosts: settings.hosts)
        flaps = FlapFilter(limit: settings.flapLimit)
        self.journal = journal
        self.recorder = recorder
        self.forwarder = forwarder
        self.answers = answers
        self.location = location
        self.log = log
    }

    /// Takes other settings for all scans from now on.
    func change(_ settings: Settings, location: StationLocation) {
        self.settings = settings
        normaliser = Normaliser(hosts: settings.hosts)
        flaps.limit = settings.flapLimit
        self.location = location
    }

    // MARK: Scans

    struct NewScan {
        let scan: String
        let reader: ReaderReference
        let medium: String
        let reading: Normaliser.Reading
        let moment: Moment
        let origin: JobOrigin
    }

    /// Makes a scan by hand.
    ///
    /// - Parameters:
    ///   - text: The tag URL.
    ///   - origin: Who submitted it.
    /// - Returns: The scan's id, why it has no identifier, and whether it is stored.
    func submit(_ text: String, origin: JobOrigin) async -> (SubmitResult, Journal.Fate) {
        let moment = recorder.moment()
        let new = NewScan(
            scan: UUIDv7(at: moment.at).text, reader: .manual, medium: "manual",
            reading: normaliser.read(text: text), moment: moment, origin: origin)
        let fate = await withCheckedContinuation { continuation in
            publish(new, presence: nil, asOrder: true) { continuation.resume(returning: $0) }
        }
        return (SubmitResult(scan: new.scan, unrecognised: new.reading.unrecognised), fate)
    }

    func publish(
        _ new: NewScan, presence: PresenceChange?, asOrder isOrder: Bool = false,
        completion: (@LoopActor (Journal.Fate) -> Void)? = nil
    ) {
        let event = ScanEvent(
            scan: new.scan, reader: new.reader, medium: new.medium, tag: new.reading.tag,
            identifier: new.reading.identifier, unrecognised: new.reading.unrecognised,
            content: new.reading.content, location: location.current)
        var change = Change(events: [recorder.draft(.scan(event), at: new.moment.at)])
        change.presence = presence
        guard let identifier = new.reading.identifier else {
            return journal.record(change, asOrder: isOrder) { [self] fate in
                count(new, fate)
                completion?(fate)
            }
        }
        change.delivery = delivery(of: new, identifier)
        let mode = forwarder.answerMode
        let first = FirstAnswer(
            scan: new.scan, reader: new.reader, identifier: identifier, mode: mode)
        change.answer = question(for: first)
        journal.record(change, asOrder: isOrder) { [self] fate in
            count(new, fate)
            follow(new.scan, first, fate)
            completion?(fate)
        }
    }

    /// Counts a scan that was published just now.
    private func count(_ new: NewScan, _ fate: Journal.Fate) {
        if case .refused = fate { return }
        let now = Clocks.bootNanoseconds()
        let detected = new.moment.bootNanoseconds
        counters.published(
            new.reading.unrecognised,
            after: new.reader == .manual ? nil : Double(max(now, detected) - detected) / 1e9)
    }

    private func delivery(of new: NewScan, _ identifier: ScannedIdentifier) -> Delivery {
        let payload = ScanDelivery(
            reader: new.reader, identifier: identifier, location: location.toSend)
        return Delivery(
            id: new.scan, identifier: identifier.identifier, payload: encoded(payload),
            moment: new.moment, clockTrusted: recorder.clockIsTrusted,
            origin: encoded(new.origin), account: forwarder.account)
    }

    /// Asks the cache within the transaction that stores the scan: one fsync for both.
    private func question(for answer: FirstAnswer) -> CacheQuestion {
        let now = recorder.moment()
        let limit = settings.cacheLimit.components.seconds
        let trusted = recorder.clockIsTrusted
        return CacheQuestion(key: answer.identifier.identifier, account: forwarder.account) {
            entry in
            let known = entry.flatMap { FirstAnswer.Known($0, now: now, limit: limit) }
            guard let event = answer.resolution(known) else { return [] }
            return [
                EventRecorder.draft(
                    TimedEvent(at: now.at, clockTrusted: trusted, event: .resolution(event)))
            ]
        }
    }

    /// After a scan was published: who answers it if the cache did not.
    private func follow(_ scan: String, _ first: FirstAnswer, _ fate: Journal.Fate) {
        let published =
            switch fate {
            case .stored(let committed): committed.events.count
            case .deferred(_, let published), .leftOut(_, let published): published
            case .refused: 0
            }
        if published == 1 {
            answers.expect(first)
            // What became of the API while the scan was stored is told to those that wait alone.
            if case .offline(let reason) = forwarder.answerMode { answers.settle(scan, reason) }
        }
        // One that could not be stored is sent once it is, with the backlog.
        guard case .stored = fate else { return }
        forwarder.scanned(scan, identifier: first.identifier.identifier)
    }

    /// Publishes the best answer there is without the API.
    func answerWithoutAPI(_ answer: FirstAnswer) {
        journal.record(Change(answer: question(for: answer)))
    }

    func encoded(_ value: some Encodable) -> [UInt8] {
        do {
            return try JSONLine.encode(value)
        } catch {
            // Only a number without a JSON form can fail, and locations are checked when read.
            preconditionFailure("a record that can't be written: \(error)")
        }
    }
}

extension FirstAnswer.Known {
    /// What a cached row says now; nil where it is not readable, which is as if it were not there.
    init?(_ entry: CacheEntry, now: Moment, limit: Int64) {
        guard
            let resolution = try? JSONLine.decode(Resolution.self, from: entry.resolution)
        else { return nil }
        self.resolution = resolution
        ageSeconds = (now.seconds(since: entry.moment) * 1000).rounded() / 1000
        isStale = ageSeconds >= Double(min(Int64(entry.ttlSeconds), limit))
    }
}
