internal import LineProtocols
internal import Platform
internal import PlingsAPI
internal import Scanning
internal import ServiceManager
internal import Storage

/// Delivers scans to the API: performs what the scan lane decides.
@LoopActor
final class Forwarder {
    let client: PlingsClient?
    private let store: Store
    private let journal: Journal
    private let answers: FirstAnswers
    private let recorder: EventRecorder
    private var settings: Settings
    private let log: Log
    var lane: ScanLane
    private(set) var ledger = FailureLedger()
    private var published: APIEvent?
    private var told: ToldState<APIEvent>
    private var wake: TimerID?
    private var isStopped = false
    /// Counts what there was to show to the API.
    var lastToken = 0
    var credential = Credential.missing("no token is set", account: nil)
    /// Called when the API refused the token; true where another one is being fetched.
    var renewsToken: @LoopActor () -> Bool = { false }
    /// Called when the API refused the token for good, so that the file is read again.
    var onTokenRefused: @LoopActor () -> Void = {}
    private(set) var counters = DeliveryCounters()
    var delivered: Int64 { counters.delivered }
    /// Called at each scan before it is sent.
    var onScan: @LoopActor () -> Void = {}

    /// Who asks the API: another token may come before it answers.
    private struct Asker {
        let account: String?
        let token: Int
    }

    /// What the configuration says of delivering.
    struct Settings {
        let patience: Duration
        let cacheLimit: Duration
        let scansPerMinute: Int
        let liveShare: Double
    }

    init(
        client: PlingsClient?, store: Store, journal: Journal, answers: FirstAnswers,
        recorder: EventRecorder, settings: Settings, log: Log
    ) {
        self.client = client
        self.store = store
        self.journal = journal
        self.answers = answers
        self.recorder = recorder
        self.settings = settings
        self.log = log
        lane = ScanLane(
            configured: client != nil, perMinute: settings.scansPerMinute,
            liveShare: settings.liveShare)
        told = ToldState(lane.health.published)
    }

    /// The state of the API.
    var state: APIEvent { lane.health.published }

    /// The state of the API that subscribers know.
    var toldState: APIEvent { told.known(now: state) }
    /// Whose scans they are that are made now.
    var account: String? { credential.account }

    /// What the first answer to a scan may be made of now.
    var answerMode: FirstAnswer.Mode {
        switch lane.health.state {
        case .notConfigured: .offline(.notConfigured)
        case .unknown, .online, .suspect: .online
        case .offline: .offline(.network)
        case .unauthorised: .offline(.unauthorised)
        }
    }

    /// Takes other settings for what is sent from now on.
    func change(_ settings: Settings) {
        self.settings = settings
        answers.patience = settings.patience
        lane.changePace(perMinute: settings.scansPerMinute, liveShare: settings.liveShare)
        turn()
    }

    func start() {
        if client != nil, case .missing(let reason, _) = credential {
            lane.withHealth { $0.unauthorised(reason: reason, now: now) }
        }
        turn()
    }

    /// Begins nothing any more and aborts what is under way; what is queued stays queued.
    func stop() {
        isStopped = true
        if let wake { LoopActor.loop.cancel(wake) }
        client?.stop()
    }

    /// A recognised scan is in the outbox now.
    func scanned(_ scan: String, identifier: String) {
        onScan()
        lane.scanned(scan, identifier: identifier, now: now)
        turn()
    }

    /// Whether outcomes can be stored; while they can't, nothing is sent.
    func storing(_ works: Bool) {
        lane.isHeld = !works
        lane.backlogChanged()
        turn()
    }

    var now: UInt64 { Clocks.monotonicNanoseconds() }

    // MARK: Turning

    func turn() {
        // Whatever the lane says counts as begun, so it is not asked without a token.
        guard !isStopped, hasToken, let client else { return publishState() }
        for action in lane.next(now: now) { perform(action, client) }
        publishState()
        scheduleWake()
    }

    private func scheduleWake() {
        if let wake { LoopActor.loop.cancel(wake) }
        wake = nil
        let now = now
        guard let time = lane.wakeTime(now: now) else { return }
        wake = LoopActor.after(.nanoseconds(Int64(time > now ? time - now : 0))) { [weak self] in
            self?.turn()
        }
    }

    private func publishState() {
        guard lane.health.isKnown else { return }
        let state = state
        guard state != published else { return }
        published = state
        told.recorded()
        recorder.record(.api(state)) { [self] in told.published(state) }
        log.info(
            "the API's state changed",
            ["state": state.state.rawValue, "reason": state.reason ?? "none"])
        switch state.state {
        case .online, .notConfigured: break
        case .offline: answers.apiUnavailable(.network)
        case .unauthorised: answers.apiUnavailable(.unauthorised)
        }
    }

    private func perform(_ action: ScanLane.Action, _ client: PlingsClient) {
        switch action {
        case .probe: Task { await probe(client) }
        case .deliver(let identifier): Task { await deliver(identifier, client) }
        case .deliverBacklog(let excluded): Task { await deliverBacklog(excluded, client) }
        }
    }

    private func probe(_ client: PlingsClient) async {
        let asker = Asker(account: account, token: lastToken)
        do {
            try await client.probe()
            proven(by: nil)
        } catch {
            failed(error, row: nil, by: asker)
        }
        lane.probeEnded()
        turn()
    }

    private func deliver(_ identifier: String, _ client: PlingsClient) async {
        let row = try? await store.oldestQueued(identifier: identifier, account: account)
        var ending = ScanLane.Ending.nothing(due: nil)
        if let row, !isStopped { ending = await send(row, client) }
        lane.ended(ending, scan: row?.delivery.id, identifier: identifier, wasBacklog: false)
        // Where the store could not be read the scan is found with the backlog.
        if row == nil { lane.backlogChanged() }
        turn()
    }

    private func deliverBacklog(_ excluded: Set<String>, _ client: PlingsClient) async {
        let found = await OutboxSearch(store: store, log: log).oldest(excluded, account)
        guard case .row(let row) = found, !isStopped else {
            lane.ended(
                .nothing(due: found.due.map { now + $0 }), scan: nil, identifier: nil,
                wasBacklog: true)
            return turn()
        }
        guard lane.foundBacklog(identifier: row.delivery.identifier, now: now) else {
            return turn()
        }
        let ending = await send(row, client)
        lane.ended(
            ending, scan: row.delivery.id, identifier: row.delivery.identifier, wasBacklog: true)
        turn()
    }

    // MARK: One delivery

    private func send(_ row: DeliveryRow, _ client: PlingsClient) async -> ScanLane.Ending {
        guard let delivery = try? ScanDelivery(row) else {
            let attention = Attention(
                row: row, code: "BAD_RECORD", message: "the stored delivery can't be read")
            _ = await journal.record(change(for: attention))
            return .done
        }
        log.debug("a scan is sent", ["scan": row.delivery.id])
        let request = delivery.request(at: row.delivery.moment.at)
        let asker = Asker(account: account, token: lastToken)
        do {
            let answer = try await client.resolve(request, idempotencyKey: row.delivery.id)
            proven(by: row.delivery.id)
            await record(answer, row, delivery, asker)
            return .done
        } catch {
            if case .permanent(let code, let message) = error {
                proven(by: row.delivery.id)
                let attention = Attention(row: row, code: code, message: message)
                await refused(attention, delivery, asker)
                return .done
            }
            failed(error, row: row, by: asker)
            // While another token is fetched, the scan's turn comes again within its patience.
            if error != .aborted, !isAwaitingToken { answerWithoutAPI(row.delivery.id) }
            return .failed
        }
    }

    /// Gives a scan whose delivery failed its first answer, with the reason that holds now.
    private func answerWithoutAPI(_ scan: String) {
        if case .offline(let reason) = answerMode {
            answers.settle(scan, reason)
        } else {
            answers.settle(scan, .waiting)
        }
    }

    private func record(
        _ answer: ResolveAnswer, _ row: DeliveryRow, _ delivery: ScanDelivery, _ asker: Asker
    ) async {
        let moment = recorder.moment()
        let record = await self.record(of: row, delivery, asker)
        let event = record.event(answer, now: moment)
        let change = Change(
            events: [recorder.draft(.resolution(event), at: moment.at)],
            outcome: .delivered(id: row.delivery.id, moment: moment),
            cache: try? record.cacheChange(answer, now: moment))
        await withCheckedContinuation { continuation in
            journal.record(change) { [self] _ in
                counters.answered(event.outcome)
                continuation.resume()
            }
        }
    }

    private func record(
        of row: DeliveryRow, _ delivery: ScanDelivery, _ asker: Asker
    ) async -> AnswerRecord {
        let isFirst = answers.apiAnswered(row.delivery.id)
        return AnswerRecord(
            row: isFirst ? row : await withFirstAnswer(row, asker), delivery: delivery,
            isFirst: isFirst, patience: settings.patience, cacheLimit: settings.cacheLimit,
            account: asker.account)
    }

    /// The row with the first answer that was given while the API was asked.
    private func withFirstAnswer(_ row: DeliveryRow, _ asker: Asker) async -> DeliveryRow {
        guard row.firstAnswer == nil else { return row }
        // The answer was recorded before this empty change, and is stored before it.
        _ = await journal.record(Change())
        let identifier = row.delivery.identifier
        let again = try? await store.oldestQueued(identifier: identifier, account: asker.account)
        guard let again, again.delivery.id == row.delivery.id else { return row }
        return again
    }

    private func refused(
        _ attention: Attention, _ delivery: ScanDelivery, _ asker: Asker
    ) async {
        let moment = recorder.moment()
        let record = await record(of: attention.row, delivery, asker)
        let refusal = record.refusal(
            code: attention.code, message: attention.message, now: moment)
        var change = change(for: attention)
        change.events.insert(recorder.draft(.resolution(refusal), at: moment.at), at: 0)
        change.cache = .remove(key: delivery.identifier.identifier)
        _ = await journal.record(change)
    }

    private func change(for attention: Attention) -> Change {
        // The message may repeat what was on the tag, which has no place in a log.
        log.error(
            "a scan needs attention",
            ["scan": attention.row.delivery.id, "code": attention.code])
        let moment = recorder.moment()
        return Change(
            events: [recorder.draft(.job(attention.event), at: moment.at)],
            outcome: attention.outcome(at: moment))
    }

    // MARK: Health

    private func proven(by id: String?) {
        // Without a token the station is unauthorised, whatever comes of requests under way.
        if hasToken { lane.withHealth { $0.answered() } }
        for failure in ledger.proven(by: id) { count(failure) }
    }

    private func failed(_ failure: APIFailure, row: DeliveryRow?, by asker: Asker) {
        guard failure != .aborted else { return }
        if hasToken { judge(failure, ofScan: row != nil, asker) }
        guard let row else { return }
        counters.failures += 1
        let failed = FailureLedger.Failure(
            row: row, error: failure.description, moment: recorder.moment())
        switch failure {
        // What the API wants to have later fails by its wish, not by itself; so does what needs
        // another token.
        case .limited, .token: store(failed, counted: false, hold: nil)
        case .transient, .unanswered: note(failed)
        case .permanent, .aborted: break
        }
    }

    /// What a failure says of the API's health.
    private func judge(_ failure: APIFailure, ofScan: Bool, _ asker: Asker) {
        let now = now
        switch failure {
        case .token where asker.token != lastToken: break
        case .token(let reason):
            guard !renewsToken() else { return }
            lane.withHealth { $0.unauthorised(reason: reason, now: now) }
            onTokenRefused()
        case .limited(_, let retryAfter):
            lane.limited(now: now, retryAfter: retryAfter, jitter: .random(in: 0...1))
        case .transient(let reason, let retryAfter?):
            lane.withHealth { [waiting = lane.isWaiting] in
                $0.failed(
                    reason: reason, now: now, jitter: .random(in: 0...1), waiting: waiting,
                    retryAfter: retryAfter)
            }
        case .transient where ofScan:
            // It may be this scan's own fault: a probe decides.
            lane.withHealth { $0.doubted(now: now) }
        case .transient, .unanswered, .permanent, .aborted:
            lane.withHealth { [waiting = lane.isWaiting] in
                $0.failed(
                    reason: failure.description, now: now, jitter: .random(in: 0...1),
                    waiting: waiting)
            }
        }
    }

    private func note(_ failure: FailureLedger.Failure) {
        log.debug(
            "a scan was not delivered",
            ["scan": failure.row.delivery.id, "cause": failure.error])
        for settled in ledger.failed(failure) { store(settled, counted: false, hold: nil) }
    }

    private func count(_ failure: FailureLedger.Failure) {
        switch FailureLedger.verdict(on: failure.row.failures, at: failure.moment) {
        case .counted(let hold):
            store(failure, counted: true, hold: Clocks.bootNanoseconds() + hold)
        case .repeatedlyFailing:
            // The API has said nothing of the tag: what is cached stands.
            store(
                change(
                    for: Attention(
                        row: failure.row, code: "REPEATEDLY_FAILING", message: failure.error)))
        }
    }

    private func store(_ failure: FailureLedger.Failure, counted: Bool, hold: UInt64?) {
        let outcome = DeliveryOutcome.failed(
            id: failure.row.delivery.id, error: failure.error, counted: counted,
            moment: failure.moment, holdUntilBootNanoseconds: hold)
        store(Change(outcome: outcome))
    }

    /// Stores what became of a delivery that was under way before.
    private func store(_ change: Change) {
        journal.record(change) { [weak self] _ in
            self?.lane.backlogChanged()
            self?.turn()
        }
    }
}
