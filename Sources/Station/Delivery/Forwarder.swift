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
    private let answers: FirstAnswers
    private let recorder: EventRecorder
    private let deliveries: DeliveryRecorder
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
    var counters: DeliveryCounters { deliveries.counters }
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
        self.answers = answers
        self.recorder = recorder
        self.log = log
        deliveries = DeliveryRecorder(
            store: store, journal: journal, answers: answers, events: recorder,
            patience: settings.patience, cacheLimit: settings.cacheLimit, log: log)
        lane = ScanLane(
            configured: client != nil, perMinute: settings.scansPerMinute,
            liveShare: settings.liveShare)
        told = ToldState(lane.health.published)
        deliveries.onStored = { [weak self] in
            self?.lane.backlogChanged()
            self?.turn()
        }
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
        answers.patience = settings.patience
        deliveries.patience = settings.patience
        deliveries.cacheLimit = settings.cacheLimit
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
            await deliveries.unreadable(row)
            return .done
        }
        log.debug("a scan is sent", ["scan": row.delivery.id])
        let request = delivery.request(at: row.delivery.moment.at)
        let asker = Asker(account: account, token: lastToken)
        do {
            let answer = try await client.resolve(request, idempotencyKey: row.delivery.id)
            proven(by: row.delivery.id)
            await deliveries.answered(answer, row, delivery, account: asker.account)
            return .done
        } catch {
            if case .permanent(let code, let message) = error {
                proven(by: row.delivery.id)
                let attention = Attention(row: row, code: code, message: message)
                await deliveries.refused(attention, delivery, account: asker.account)
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
        deliveries.countFailure()
        let failed = FailureLedger.Failure(
            row: row, error: failure.description, moment: recorder.moment())
        switch failure {
        // What the API wants to have later fails by its wish, not by itself; so does what needs
        // another token.
        case .limited, .token: deliveries.failed(failed, counted: false, hold: nil)
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
        for settled in ledger.failed(failure) {
            deliveries.failed(settled, counted: false, hold: nil)
        }
    }

    private func count(_ failure: FailureLedger.Failure) {
        switch FailureLedger.verdict(on: failure.row.failures, at: failure.moment) {
        case .counted(let hold):
            let until = Clocks.bootNanoseconds() + hold
            deliveries.failed(failure, counted: true, hold: until)
        case .repeatedlyFailing: deliveries.gaveUp(failure)
        }
    }
}
