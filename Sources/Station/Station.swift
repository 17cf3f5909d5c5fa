package import Configuration
internal import LineProtocols
package import Platform
internal import PlingsAPI
internal import Scanning
package import ServiceManager
internal import Storage

/// The station: its parts put together, started and stopped in order.
@LoopActor
package final class Station {
    /// How long a stop may take before what is left is given up.
    private static let stopLimit = Duration.milliseconds(1000)
    private static let storeLimit = Duration.milliseconds(900)
    private static let pruneEvery = Duration.seconds(600)

    let pipeline: ScanPipeline
    let controlGroupName: String
    private let configuration: StationConfiguration
    private let name: String
    private let log: Log
    private let store: Store
    private let hub: Hub
    private let journal: Journal
    private let recorder: EventRecorder
    private let forwarder: Forwarder
    private let token: TokenWatch
    private let location: StationLocation
    private let socket: StationSocket
    private var supervisors: [ReaderSupervisor] = []
    private var server: SocketServer?
    private var lastProcess = 0
    private let startedAt = Clocks.bootNanoseconds()

    /// Opens the store and puts the parts together; nothing runs yet.
    ///
    /// - Parameters:
    ///   - configuration: What the operator has set.
    ///   - paths: Where the store and the socket are.
    ///   - log: Where to tell what happens.
    /// - Throws: `StartError` saying what can't be used.
    package init(
        configuration: StationConfiguration, paths: StartPaths, log: Log
    ) async throws(StartError) {
        self.configuration = configuration
        self.log = log
        name = configuration.station.id ?? Machine.hostName
        controlGroupName = configuration.socket.controlGroup.name
        socket = try StationSocket(configuration.socket, path: paths.socket, log: log)
        store = try StoreOpening(configuration, directory: paths.store, log: log).open()
        let range = try? await store.range()
        hub = Hub(first: range?.first ?? 1, last: range?.last ?? 0, log: store.log)
        journal = Journal(store: store, hub: hub, log: log)
        recorder = EventRecorder(journal: journal)
        location = StationLocation(configuration.location)
        let answering = Answering()
        let answers = FirstAnswers(patience: configuration.api.answerPatience) { answer in
            answering.pipeline?.answerWithoutAPI(answer)
        }
        forwarder = Forwarder(
            client: try Self.client(configuration.api), store: store, journal: journal,
            answers: answers, recorder: recorder,
            settings: Forwarder.Settings(
                patience: configuration.api.answerPatience, cacheLimit: configuration.cache.ttl,
                scansPerMinute: configuration.api.scansPerMinute,
                liveShare: configuration.api.liveShare),
            log: log)
        pipeline = ScanPipeline(
            settings: ScanPipeline.Settings(
                hosts: configuration.scan.hosts,
                announcesPresent: configuration.scan.announcePresent,
                cacheLimit: configuration.cache.ttl),
            journal: journal, recorder: recorder, forwarder: forwarder, answers: answers,
            location: location, log: log)
        answering.pipeline = pipeline
        token = TokenWatch(path: configuration.api.tokenFile, log: log)
    }

    /// Breaks the circle between the pipeline and what answers its scans late.
    private final class Answering {
        weak var pipeline: ScanPipeline?
    }

    private static func client(
        _ api: StationConfiguration.API
    ) throws(StartError) -> PlingsClient? {
        guard let endpoint = api.endpoint else { return nil }
        do {
            return try PlingsClient(
                endpoint: endpoint, caFile: api.caFile, timeout: api.timeout,
                userAgent: "plingsd/\(ProductVersion.current)")
        } catch {
            throw StartError("[api] endpoint: \(error)")
        }
    }

    // MARK: Starting

    /// Begins to work: the socket first, so that programs see everything that comes after.
    package func start() async throws(StartError) {
        try listen()
        await restorePresences()
        watchStore()
        forwarder.onTokenRefused = { [token] in token.read() }
        token.onChange = { [forwarder] token, problem in
            forwarder.tokenChanged(token, problem: problem)
        }
        recorder.record(.location(location.event))
        if configuration.api.endpoint != nil { token.start() }
        forwarder.start()
        startReaders()
        pruneLater(after: .seconds(5))
    }

    /// Takes over the tags that lay on the readers, those that are known already left out.
    private func restorePresences() async {
        // A store that can't be read shows it again in the first commit, which does what helps.
        guard let open = try? await store.openPresences() else { return }
        pipeline.restore(open)
    }

    private func watchStore() {
        journal.onFailureChange = { [weak self] fails in
            self?.forwarder.storing(!fails)
            if fails { Task { await self?.pruneOnce() } }
        }
        journal.onReopened = { [weak self] opened in
            guard let self else { return }
            StoreOpening.tell(opened, to: log)
            await restorePresences()
            for reader in supervisors.flatMap(\.readers) where reader.state == .ready {
                pipeline.deviceReady(reader.id)
            }
        }
    }

    private func listen() throws(StartError) {
        do {
            let server = try SocketServer(
                path: socket.path, mode: socket.mode, group: socket.group, log: log
            ) { [weak self] (socket: consuming Descriptor) in self?.connect(socket) }
            try server.start()
            self.server = server
        } catch {
            throw StartError("\(error)")
        }
    }

    private func startReaders() {
        let programs = ReaderPrograms(
            daemon: FilePath.ownProgram, configured: configuration.readers.programs)
        supervisors = ReaderPlan.plans(for: configuration, programs: programs).map { plan in
            ReaderSupervisor(
                plan: plan, log: log, isCongested: { [journal] in journal.isCongested },
                nextNumber: { [unowned self] in nextProcess() },
                report: { [unowned self] report in take(report) })
        }
        for supervisor in supervisors { supervisor.start() }
    }

    private func nextProcess() -> Int {
        lastProcess += 1
        return lastProcess
    }

    private func take(_ report: ReaderSupervisor.Report) {
        switch report {
        case .state(let event): recorder.record(.reader(event))
        case .ready(let device): pipeline.deviceReady(device)
        case .arrived(let arrival, let reader, let process):
            pipeline.arrived(arrival, on: reader, process: process)
        case .departed(let departure, let process):
            pipeline.departed(departure, process: process)
        case .gone(let device): pipeline.deviceGone(device)
        case .processEnded(let process): pipeline.processEnded(process)
        }
    }

    private func connect(_ socket: consuming Descriptor) -> ClientConnection? {
        let peer = UnixSocket.Peer(of: socket)
        let permissions = Permissions(
            of: peer, daemonUser: Accounts.effectiveUser, controlGroup: self.socket.controlGroup,
            readers: Set(supervisors.compactMap(\.pid)))
        let methods = Methods(station: self)
        let connection = ClientConnection(
            socket: socket, peer: peer, permissions: permissions, hub: hub, store: store,
            onClose: { [weak server] connection in server?.forget(connection) },
            answer: { request, client in await methods.answer(request, from: client) })
        let hello = Hello(
            version: ProductVersion.current, station: name, log: store.log, first: hub.first,
            last: hub.last, may: permissions.words)
        do {
            try connection.start(hello: hello)
            return connection
        } catch {
            log.warning("a connection could not be taken", ["cause": error.description])
            return nil
        }
    }

    /// Reads the token file again.
    package func readToken() {
        token.read()
    }

    // MARK: Stopping

    /// Ends readers, stores what they read, aborts requests under way and closes the socket.
    ///
    /// Takes less than two seconds, whatever a reader, a client or the API does.
    package func stop() async {
        Notifications.stopping()
        forwarder.stop()
        await stopReaders()
        let gate = Gate(count: 1)
        Task {
            await journal.finish()
            closeSocket()
            await store.close()
            gate.arrive()
        }
        // A store that is being looked through, or a disk that hangs, has as long as readers have.
        LoopActor.after(Self.storeLimit) { gate.open() }
        await gate.wait()
        journal.tellLost()
        closeSocket()
    }

    private func closeSocket() {
        server?.stop()
        server = nil
    }

    private func stopReaders() async {
        let gate = Gate(count: supervisors.count)
        for supervisor in supervisors { supervisor.stop { gate.arrive() } }
        LoopActor.after(Self.stopLimit) { gate.open() }
        await gate.wait()
    }

    // MARK: Upkeep

    private func pruneLater(after delay: Duration) {
        LoopActor.after(delay) { [weak self] in
            Task { await self?.prune() }
        }
    }

    private func prune() async {
        let isUnfinished = await pruneOnce()
        pruneLater(after: isUnfinished ? .milliseconds(200) : Self.pruneEvery)
    }

    /// Deletes what is old; on a full disk too, where it makes room.
    ///
    /// - Returns: Whether there may be more to delete.
    @discardableResult
    private func pruneOnce() async -> Bool {
        guard journal.canPrune else { return false }
        let age = Int64(configuration.store.retainEvents.components.seconds)
        let limit = recorder.moment().at.advanced(byMilliseconds: -age * 1000)
        let isUnfinished = try? await store.prune(
            olderThan: limit, keep: configuration.store.retainCount, chunk: 500)
        if let range = try? await store.range() { hub.pruned(first: range.first) }
        return isUnfinished ?? false
    }

    // MARK: Status

    /// Why a program may not add to what waits for delivery; nil where it may.
    ///
    /// The last of the disk is for scans of readers, which can't be asked to come later.
    func refusalOfWork() async -> String? {
        if let failure = journal.failure { return "nothing can be stored now: \(failure)" }
        // What can't be told now shows in the commit, which refuses an order that it can't store.
        guard let room = try? await store.room() else { return nil }
        guard room.isThere else {
            return "the disk of the store has less than 64 MiB left, which are kept for tags"
        }
        guard room.waiting >= configuration.store.maxJobs else { return nil }
        return "too many deliveries wait: [store] max_jobs is reached"
    }

    func status() async -> Status {
        // A store that looks through its file answers nobody for a while.
        let counts = journal.isRecovering ? nil : try? await store.outboxCounts()
        let cache = journal.isRecovering ? nil : try? await store.cacheSummary()
        let now = recorder.moment()
        let uptime = Int64((Clocks.bootNanoseconds() - startedAt) / 1_000_000_000)
        let api = forwarder.state
        return Status(
            station: name, version: ProductVersion.current, uptimeSeconds: uptime,
            account: forwarder.account, readers: supervisors.flatMap(\.readers),
            location: location.event,
            api: Status.API(
                state: api.state, reason: api.reason, endpoint: configuration.api.endpoint),
            clock: Status.Clock(trusted: recorder.clockIsTrusted),
            outbox: Status.Outbox(
                scans: (counts?.scans ?? 0) + journal.deferredDeliveries, queued: 0, waiting: 0,
                attention: counts?.attention ?? 0, oldestAt: counts?.oldest?.at,
                bytes: counts?.bytes ?? 0),
            cache: Status.Cache(
                objects: cache?.objects ?? 0,
                ageSeconds: cache?.newest.map { Int64(now.seconds(since: $0)) }),
            log: Status.Log(first: hub.first, last: hub.last),
            counters: [
                "scans": pipeline.scans, "recognised": pipeline.recognised,
                "delivered": forwarder.delivered, "lost": Int64(journal.lost),
                "unstored": Int64(journal.deferred.count),
            ],
            store: Status.Store(
                state: journal.failure?.word ?? "ok", reason: journal.failure?.description))
    }
}
