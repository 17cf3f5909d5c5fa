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
    private static let stopLimit = Duration.milliseconds(900)
    private static let storeLimit = Duration.milliseconds(700)
    /// How much of that a renewal of the session may take before the rest begins.
    private static let renewalLimit = Duration.milliseconds(300)
    private static let pruneEvery = Duration.seconds(600)
    /// The longest wait for an answer of the auth server: somebody at a terminal waits too.
    private static let authPatience = Duration.seconds(20)

    let pipeline: ScanPipeline
    let controlGroupName: String
    private(set) var configuration: StationConfiguration
    let name: String
    let log: Log
    let store: Store
    let hub: Hub
    let journal: Journal
    let recorder: EventRecorder
    let forwarder: Forwarder
    private let token: TokenWatch
    /// Where an auth server is configured.
    let session: SessionKeeper?
    private let socket: StationSocket
    private let lastLook: LastLook
    /// Through which programs' questions go.
    let questions = Turnstile()
    var supervisors: [ReaderSupervisor] = []
    /// Of readers that are not in the configuration any more, until their programs have ended.
    var retiring: [ReaderSupervisor] = []
    private(set) var server: SocketServer?
    private var toldReaders = ToldState<[Status.Reader]>([])
    private var lastProcess = 0
    private var lookFailed = false
    let startedAt = Clocks.bootNanoseconds()

    /// Opens the store and puts the parts together; nothing runs yet.
    ///
    /// - Parameters:
    ///   - configuration: What the operator has set.
    ///   - paths: Where the store and the socket are.
    ///   - handed: The socket that systemd has made, where it has.
    ///   - log: Where to tell what happens.
    /// - Throws: `StartError` saying what can't be used.
    package init(
        configuration: StationConfiguration, paths: StartPaths, handed: HandedSocket? = nil,
        log: Log
    ) async throws(StartError) {
        self.configuration = configuration
        self.log = log
        name = configuration.station.id ?? Machine.hostName
        controlGroupName = configuration.socket.controlGroup.name
        socket = try StationSocket(
            configuration.socket, path: paths.socket, handed: handed, log: log)
        lastLook = LastLook(besideSocket: paths.socket)
        store = try StoreOpening(configuration, directory: paths.store, log: log).open()
        let range = try? await store.range()
        hub = Hub(first: range?.first ?? 1, last: range?.last ?? 0, log: store.log)
        journal = Journal(store: store, hub: hub, log: log)
        recorder = EventRecorder(journal: journal)
        let answering = Answering()
        let answers = FirstAnswers(patience: configuration.api.answerPatience) { answer in
            answering.pipeline?.answerWithoutAPI(answer)
        }
        let client = try Self.client(configuration.api)
        forwarder = Forwarder(
            client: client, store: store, journal: journal,
            answers: answers, recorder: recorder,
            settings: Forwarder.Settings(configuration), log: log)
        pipeline = ScanPipeline(
            settings: ScanPipeline.Settings(configuration), journal: journal, recorder: recorder,
            forwarder: forwarder, answers: answers,
            location: StationLocation(configuration.location), log: log)
        answering.pipeline = pipeline
        token = TokenWatch(path: configuration.api.tokenFile, log: log)
        session = try Self.session(configuration.api, client, paths.store, log)
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

    private static func session(
        _ api: StationConfiguration.API, _ client: PlingsClient?, _ directory: String, _ log: Log
    ) throws(StartError) -> SessionKeeper? {
        guard let client, let url = api.authURL else { return nil }
        if let file = api.apiKeyFile, let warning = try? APIKeyFile.read(file).warning {
            log.warning("others can read the API key", ["cause": warning])
        }
        do {
            let auth = try AuthClient(
                url: url, apiKeyFile: api.apiKeyFile, timeout: min(api.timeout, authPatience),
                sharing: client)
            return SessionKeeper(
                client: auth, file: SessionFile(path: "\(directory)/session.json"), server: url,
                log: log)
        } catch {
            throw StartError("[api] auth_url: \(error)")
        }
    }

    // MARK: Starting

    /// Begins to work: the socket first, so that programs see everything that comes after.
    package func start() async throws(StartError) {
        try listen()
        await restorePresences(lastLook: lastLook.read(bootID: Clocks.bootID))
        watchStore()
        pipeline.deviceState = { [unowned self] device in
            supervisors.lazy.compactMap { $0.state(of: device) }.first ?? .disconnected
        }
        recorder.record(.location(pipeline.location.event))
        await startAuthorising()
        forwarder.start()
        startReaders()
        pruneLater(after: .seconds(5))
    }

    /// Begins to have a token, from a session or else from a file.
    private func startAuthorising() async {
        guard let session else {
            forwarder.onTokenRefused = { [token] in token.read() }
            token.onChange = { [forwarder] token, problem in
                forwarder.tokenChanged(token, problem: problem)
            }
            if configuration.api.endpoint != nil { token.start() }
            return
        }
        session.onChange = { [forwarder] credential in forwarder.take(credential) }
        forwarder.renewsToken = { [session] in session.tokenRefused() }
        forwarder.onScan = { [session] in session.scanned() }
        await session.start()
    }

    /// Takes over the tags that lay on the readers, those that are known already left out.
    private func restorePresences(lastLook: UInt64? = nil) async {
        // A store that can't be read shows it again in the first commit, which does what helps.
        guard let open = try? await store.openPresences() else { return }
        pipeline.restore(open, lastLook: lastLook)
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
            let server = SocketServer(try socket.listener(), log: log) {
                [weak self] (socket: consuming Descriptor) in self?.connect(socket)
            }
            try server.start()
            self.server = server
        } catch {
            throw StartError("\(error)")
        }
    }

    private func startReaders() {
        supervisors = readerPlans().map(supervisor)
        toldReaders = ToldState(readers)
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

    /// The readers for `status`.
    var readers: [Status.Reader] { supervisors.flatMap(\.readers) }

    /// The readers as subscribers know them.
    var knownReaders: [Status.Reader] { toldReaders.known(now: readers) }

    private func nextProcess() -> Int {
        lastProcess += 1
        return lastProcess
    }

    private func take(_ report: ReaderSupervisor.Report) {
        switch report {
        case .state(let event):
            let readers = readers
            toldReaders.recorded()
            recorder.record(.reader(event)) { [self] in toldReaders.published(readers) }
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
        if session == nil, configuration.api.endpoint != nil { token.read() }
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
        await session?.stop(within: Self.renewalLimit)
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

    // MARK: What programs ask

    var outbox: OutboxMethods {
        OutboxMethods(store: store, journal: journal, forwarder: forwarder, recorder: recorder)
    }

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
}
