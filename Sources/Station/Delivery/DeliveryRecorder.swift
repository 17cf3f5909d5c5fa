internal import Platform
internal import PlingsAPI
internal import Scanning
internal import ServiceManager
internal import Storage

/// Stores what came of deliveries, publishes it, and counts it.
@LoopActor
final class DeliveryRecorder {
    private let store: Store
    private let journal: Journal
    private let answers: FirstAnswers
    private let events: EventRecorder
    private let log: Log
    /// How long a scan waits for its first answer.
    var patience: Duration
    /// The longest that an answer may be kept.
    var cacheLimit: Duration
    private(set) var counters = DeliveryCounters()
    /// Called when something is stored that nobody waits for.
    var onStored: @LoopActor () -> Void = {}

    init(
        store: Store, journal: Journal, answers: FirstAnswers, events: EventRecorder,
        patience: Duration, cacheLimit: Duration, log: Log
    ) {
        self.store = store
        self.journal = journal
        self.answers = answers
        self.events = events
        self.patience = patience
        self.cacheLimit = cacheLimit
        self.log = log
    }

    // MARK: What the API said

    /// The API has answered; back when that is published.
    func answered(
        _ answer: ResolveAnswer, _ row: DeliveryRow, _ delivery: ScanDelivery, account: String?
    ) async {
        let moment = events.moment()
        let record = await record(of: row, delivery, account)
        let event = record.event(answer, now: moment)
        let change = Change(
            events: [events.draft(.resolution(event), at: moment.at)],
            outcome: .delivered(id: row.delivery.id, moment: moment),
            cache: try? record.cacheChange(answer, now: moment))
        await withCheckedContinuation { continuation in
            journal.record(change) { [self] _ in
                counters.answered(event.outcome)
                continuation.resume()
            }
        }
    }

    /// The API has refused the scan for good; back when that is published.
    func refused(_ attention: Attention, _ delivery: ScanDelivery, account: String?) async {
        let moment = events.moment()
        let record = await record(of: attention.row, delivery, account)
        let refusal = record.refusal(
            code: attention.code, message: attention.message, now: moment)
        var change = change(for: attention)
        change.events.insert(events.draft(.resolution(refusal), at: moment.at), at: 0)
        change.cache = .remove(key: delivery.identifier.identifier)
        _ = await journal.record(change)
    }

    private func record(
        of row: DeliveryRow, _ delivery: ScanDelivery, _ account: String?
    ) async -> AnswerRecord {
        let isFirst = answers.apiAnswered(row.delivery.id)
        return AnswerRecord(
            row: isFirst ? row : await withFirstAnswer(row, account), delivery: delivery,
            isFirst: isFirst, patience: patience, cacheLimit: cacheLimit, account: account)
    }

    /// The row with the first answer that was given while the API was asked.
    private func withFirstAnswer(_ row: DeliveryRow, _ account: String?) async -> DeliveryRow {
        guard row.firstAnswer == nil else { return row }
        // The answer was recorded before this empty change, and is stored before it.
        _ = await journal.record(Change())
        let identifier = row.delivery.identifier
        let again = try? await store.oldestQueued(identifier: identifier, account: account)
        guard let again, again.delivery.id == row.delivery.id else { return row }
        return again
    }

    // MARK: What ends without an answer

    /// The stored record can't be read; back when that is published.
    func unreadable(_ row: DeliveryRow) async {
        let attention = Attention(
            row: row, code: "BAD_RECORD", message: "the stored delivery can't be read")
        _ = await journal.record(change(for: attention))
    }

    /// A scan fails again and again while the API answers others.
    func gaveUp(_ failure: FailureLedger.Failure) {
        // The API has said nothing of the tag: what is cached stands.
        let attention = Attention(
            row: failure.row, code: "REPEATEDLY_FAILING", message: failure.error)
        record(change(for: attention))
    }

    /// An attempt has failed, and another one will be made.
    ///
    /// - Parameters:
    ///   - failure: The attempt.
    ///   - counted: Whether it counts against the scan.
    ///   - hold: Until when the scan is left alone, in nanoseconds of CLOCK_BOOTTIME.
    func failed(_ failure: FailureLedger.Failure, counted: Bool, hold: UInt64?) {
        let outcome = DeliveryOutcome.failed(
            id: failure.row.delivery.id, error: failure.error, counted: counted,
            moment: failure.moment, holdUntilBootNanoseconds: hold)
        record(Change(outcome: outcome))
    }

    /// Counts an attempt that failed and is made again.
    func countFailure() {
        counters.failures += 1
    }

    private func change(for attention: Attention) -> Change {
        // The message may repeat what was on the tag, which has no place in a log.
        log.error(
            "a scan needs attention",
            ["scan": attention.row.delivery.id, "code": attention.code])
        let moment = events.moment()
        return Change(
            events: [events.draft(.job(attention.event), at: moment.at)],
            outcome: attention.outcome(at: moment))
    }

    private func record(_ change: Change) {
        journal.record(change) { [weak self] _ in self?.onStored() }
    }
}
