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
    private static let stopLimit = Duration.milliseconds(1500)
    private static let pruneEvery = Duration.seconds(600)

    let pipeline: ScanPipeline
    let controlGroupName: String
    private(set) var configuration: StationConfiguration
    private let name: String
    let log: Log
    private let store: Store
    private let hub: Hub
    private let journal: Journal
    let recorder: EventRecorder
    let forwarder: Forwarder
    private let token: TokenWatch
    private let socket: StationSocket
    private let lastLook: LastLook
    var supervisors: [ReaderSupervisor] = []
    /// Of readers that are not in the configuration any more, until their programs have ended.
    var retiring: [ReaderSupervisor] = []
    private var server: SocketServer?
    private var lastProcess = 0
    private var lookFailed = false
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
        lastLook = LastLook(besideSocket: paths.socket)
        store = try Self.openStore(paths.store, configuration, log)
        let range = try await Self.range(of: store)
        hub = Hub(first: range.first, last: range.last)
        journal = Journal(store: store, hub: hub, log: log)
        recorder = EventRecorder(journal: journal)
        let answering = Answering()
        let answers = FirstAnswers(patience: configuration.api.answerPatience) { answer in
            answering.pipeline?.answerWithoutAPI(answer)
        }
        forwarder = Forwarder(
            client: try Self.client(configuration.api), store: store, journal: journal,
            answers: answers, recorder: recorder,
            settings: Forwarder.Settings(configuration), log: log)
        pipeline = ScanPipeline(
            settings: ScanPipeline.Settings(configuration), journal: journal, recorder: recorder,
            forwarder: forwarder, answers: answers,
            location: StationLocation(configuration.location), log: log)
        answering.pipeline = pipeline
        token = TokenWatch(path: configuration.api.tokenFile, log: log)
    }

    /// Breaks the circle between the pipeline and what answers its scans late.
    private final class Answering {
        weak var pipeline: ScanPipeline?
    }

    private static func openStore(
        _ directory: String, _ configuration: StationConfiguration, _ log: Log
    ) throws(StartError) -> Store {
        do {
            let now = Timestamp(milliseconds: Clocks.realMilliseconds())
            let store = try Store(
                directory: directory, bootID: Clocks.bootID, now: now,
                maxCachedObjects: configuration.cache.maxObjects)
            if case .setAside(let path, let reason) = store.opened {
                log.error(
                    "the store was damaged and is set aside; a new one begins",
                    ["kept": path, "cause": reason])
            }
            return store
        } catch {
            throw StartError(error.description)
        }
    }

    private static func range(of store: Store) async throws(StartError) -> LogRange {
        do {
            return try await store.range()
        } catch {
            throw StartError(error.description)
        }
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
        do {
            let open = try await store.openPresences()
            try listen()
            pipeline.restore(open, lastLook: lastLook.read(bootID: Clocks.bootID))
        } catch let error as StartError {
            throw error
        } catch {
            throw StartError("\(error)")
        }
        journal.onFailureChange = { [forwarder] fails in forwarder.storing(!fails) }
        forwarder.onTokenRefused = { [token] in token.read() }
        token.onChange = { [forwarder] token, problem in
            forwarder.tokenChanged(token, problem: problem)
        }
        pipeline.deviceState = { [unowned self] device in
            supervisors.lazy.compactMap { $0.state(of: device) }.first ?? .disconnected
        }
        recorder.record(.location(pipeline.location.event))
        if configuration.api.endpoint != nil { token.start() }
        forwarder.start()
        startReaders()
        pruneLater(after: .seconds(5))
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
        supervisors = readerPlans().map(supervisor)
        for supervisor in supervisors { supervisor.start() }
    }

    func readerPlans() -> [ReaderPlan] {
        let programs = ReaderPrograms(
            daemon: FilePath.ownProgram, configured: configuration.readers.programs)
        return ReaderPlan.plans(for: configuration, programs: programs)
    }

    func supervisor(for plan: ReaderPlan) -> ReaderSupervisor {
        ReaderSupervisor(
            plan: plan, log: log, isCongested: { [journal] in journal.isCongested },
            nextNumber: { [unowned self] in nextProcess() },
            report: { [unowned self] report in take(report) })
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
        case .occupied(let device, let process):
            pipeline.deviceOccupied(device, process: process)
        case .gone(let device): pipeline.deviceGone(device)
        case .interrupted(let device, let process):
            pipeline.deviceInterrupted(device, process: process)
        case .looked: noteLook()
        case .processEnded(let process, let devices, let lastLook):
            pipeline.processEnded(process, devices: devices, lastSeen: lastLook)
        }
    }

    /// Notes that the tags are still there, for a run after this one that finds them gone.
    private func noteLook() {
        guard pipeline.presences.count > 0, !lookFailed else { return }
        do {
            try lastLook.write(Clocks.bootNanoseconds(), bootID: Clocks.bootID)
        } catch {
            lookFailed = true
            log.warning(
                "how long a tag was held can't be kept over a restart",
                ["cause": error.description])
        }
    }

    private func connect(_ socket: consuming Descriptor) -> ClientConnection? {
        let peer = UnixSocket.Peer(of: socket)
        let permissions = Permissions(
            of: peer, daemonUser: Accounts.effectiveUser, controlGroup: self.socket.controlGroup,
            readers: Set((supervisors + retiring).compactMap(\.pid)))
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
        // A station without an API has no use for a token, and misses none.
        if configuration.api.endpoint != nil { token.read() }
    }

    /// Takes another configuration for what follows; see `FixedSettings` for what it may change.
    func take(_ configuration: StationConfiguration) {
        self.configuration = configuration
    }

    // MARK: Stopping

    /// Ends readers, stores what they read, aborts requests under way and closes the socket.
    ///
    /// Takes less than two seconds, whatever a reader, a client or the API does.
    package func stop() async {
        Notifications.stopping()
        noteLook()
        forwarder.stop()
        await stopReaders()
        await journal.finish()
        server?.stop()
        await store.close()
    }

    private func stopReaders() async {
        let all = supervisors + retiring
        let gate = Gate(count: all.count)
        for supervisor in all { supervisor.stop { gate.arrive() } }
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
        let age = Int64(configuration.store.retainEvents.components.seconds)
        let limit = recorder.moment().at.advanced(byMilliseconds: -age * 1000)
        var isUnfinished = false
        if journal.isStoring {
            isUnfinished =
                (try? await store.prune(
                    olderThan: limit, keep: configuration.store.retainCount, chunk: 500)) ?? false
            if let range = try? await store.range() { hub.pruned(first: range.first) }
        }
        pruneLater(after: isUnfinished ? .milliseconds(200) : Self.pruneEvery)
    }

    // MARK: Status

    /// Whether a program may add to what waits for delivery.
    func hasRoomForJobs() async -> Bool {
        let waiting = (try? await store.outboxCounts().scans) ?? 0
        return waiting < configuration.store.maxJobs
    }

    func status() async -> Status {
        let counts = try? await store.outboxCounts()
        let cache = try? await store.cacheSummary()
        let now = recorder.moment()
        let uptime = Int64((Clocks.bootNanoseconds() - startedAt) / 1_000_000_000)
        let api = forwarder.state
        return Status(
            station: name, version: ProductVersion.current, uptimeSeconds: uptime,
            account: forwarder.account, readers: supervisors.flatMap(\.readers),
            location: pipeline.location.event,
            api: Status.API(
                state: api.state, reason: api.reason, endpoint: configuration.api.endpoint),
            clock: Status.Clock(trusted: recorder.clockIsTrusted),
            outbox: Status.Outbox(
                scans: counts?.scans ?? 0, queued: 0, waiting: 0,
                attention: counts?.attention ?? 0, oldestAt: counts?.oldest?.at,
                bytes: counts?.bytes ?? 0),
            cache: Status.Cache(
                objects: cache?.objects ?? 0,
                ageSeconds: cache?.newest.map { Int64(now.seconds(since: $0)) }),
            log: Status.Log(first: hub.first, last: hub.last),
            counters: [
                "scans": pipeline.scans, "recognised": pipeline.recognised,
                "suppressed": pipeline.suppressed, "delivered": forwarder.delivered,
                "lost": Int64(journal.lost),
            ])
    }
}
