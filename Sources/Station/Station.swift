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
    /// How long readers may take to end, and the store after them, before they are given up.
    private static let stopLimit = Duration.milliseconds(900)
    private static let storeLimit = Duration.milliseconds(700)
    /// How long a renewal of the session may take before the rest begins.
    private static let renewalLimit = Duration.milliseconds(300)

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
    let token: TokenWatch
    /// Where an auth server is configured.
    let session: SessionKeeper?
    let socket: StationSocket
    private let pruning: Pruning
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
        pruning = Pruning(
            journal: journal, recorder: recorder, settings: Pruning.Settings(configuration))
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
        pruning.start()
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
            if fails { Task { await self?.pruning.once() } }
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

    /// Takes another configuration for what follows; see `FixedSettings` for what it may change.
    func take(_ configuration: StationConfiguration) {
        self.configuration = configuration
        pruning.settings = Pruning.Settings(configuration)
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
        // No reader outlives its station.
        for supervisor in all { supervisor.kill() }
    }
}
