internal import LineProtocols
internal import Platform
internal import ServiceManager
internal import Storage

/// One program at the station's socket: its requests in, replies and events out.
///
/// Requests are answered one after the other, in their order. While replies or events wait that
/// the client does not read, nothing more is read from it.
@LoopActor
final class ClientConnection: Hub.Receiver {
    private static let readSize = 16_384
    /// Reading on from the log waits until this much is left to write.
    private static let refillBelow = Subscription.queueLimit / 2
    /// How long a client may take nothing of what waits for it.
    static let patience = Duration.seconds(30)

    let permissions: Permissions
    let peer: UnixSocket.Peer?
    private let socket: Descriptor
    private let hub: Hub
    private let store: Store
    private let answer: @LoopActor (StationRequest, ClientConnection) async -> [UInt8]
    private let onClose: @LoopActor (ClientConnection) -> Void
    private var watch: EventLoop.WatchID?
    private(set) var isOpen = false
    /// The peer has closed and hears nothing any more.
    private var isDeaf = false
    private var splitter = LineSplitter()
    private var requests: [[UInt8]] = []
    private var isAnswering = false
    private var reachedEnd = false
    private var isClosing = false
    private var queue = SendQueue()
    private let patience: Duration
    /// When the client last took something, while something waits for it.
    private var takenAt: UInt64 = 0
    private var stuckTimer: TimerID?
    private var subscription: Subscription?
    /// Counts the subscriptions, so that a page read for an earlier one is dropped.
    private var subscriptionNumber = 0
    private var isReplaying = false
    /// The seq after which the latest subscription began.
    private var startedAfter: Int64 = 0
    /// True from `subscribe` until its reply is queued: the reply precedes all events.
    private var repliesFirst = false

    init(
        socket: consuming Descriptor, peer: UnixSocket.Peer?, permissions: Permissions, hub: Hub,
        store: Store, patience: Duration = ClientConnection.patience,
        onClose: @escaping @LoopActor (ClientConnection) -> Void,
        answer: @escaping @LoopActor (StationRequest, ClientConnection) async -> [UInt8]
    ) {
        self.socket = socket
        self.peer = peer
        self.permissions = permissions
        self.hub = hub
        self.store = store
        self.patience = patience
        self.onClose = onClose
        self.answer = answer
    }

    /// Says hello and begins to listen.
    func start(hello: Hello) throws(SystemError) {
        watch = try LoopActor.watch(socket.number, for: .readable) { [weak self] readiness in
            self?.ready(readiness)
        }
        isOpen = true
        send(StationLine.hello(hello))
    }

    /// Ends the connection at once.
    func close() {
        guard isOpen else { return }
        isOpen = false
        unwatch()
        if let stuckTimer { LoopActor.loop.cancel(stuckTimer) }
        unsubscribe()
        UnixSocket.shutDown(socket)
        onClose(self)
    }

    private func unwatch() {
        if let watch { LoopActor.loop.unwatch(watch) }
        watch = nil
    }

    // MARK: Reading

    private func ready(_ readiness: EventLoop.Readiness) {
        if readiness.contains(.writable) { drain() }
        if readiness.contains(.hungUp), isOpen { return peerHasGone() }
        if readiness.contains(.readable), isOpen {
            // What comes while requests are answered stays in the socket, unwatched.
            if wantsToRead { read() } else { updateWatch() }
        }
    }

    /// The peer has closed: what it asked before is carried out, though it will not see the answers.
    private func peerHasGone() {
        unwatch()
        unsubscribe()
        isDeaf = true
        while !reachedEnd, isOpen, !splitter.overflowed { read() }
        if !isAnswering, requests.isEmpty { close() }
    }

    private var wantsToRead: Bool {
        !reachedEnd && !isClosing && requests.isEmpty && queue.count < Subscription.queueLimit
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: Self.readSize)
        switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
        case .bytes(let count):
            requests += splitter.append(buffer[..<count])
            answerRequests()
        case .end:
            reachedEnd = true
            updateWatch()
            closeIfDone()
        case .wouldBlock:
            // One that reads no more but could still send is heard to here: nobody may keep the
            // loop by keeping its side open.
            if isDeaf { reachedEnd = true }
        case .failed:
            // A peer that left without reading all is no reason to forget what it asked.
            reachedEnd = true
            if !isDeaf { close() }
        }
    }

    private func answerRequests() {
        guard !isAnswering else { return }
        isAnswering = true
        Task { await answerAll() }
    }

    private func answerAll() async {
        while isOpen, !requests.isEmpty {
            await take(requests.removeFirst())
            // Whoever sends many at once has them answered one a turn of the loop, between which
            // others and tags have theirs.
            if !requests.isEmpty { await Task.yield() }
        }
        isAnswering = false
        if splitter.overflowed, isOpen { refuseLongLine() }
        guard isOpen else { return }
        if isDeaf { return close() }
        updateWatch()
        closeIfDone()
    }

    private func take(_ line: [UInt8]) async {
        switch StationRequest.read(line) {
        case .notification: break
        case .refused(let error, let id): send(StationLine.error(error, id: id))
        // Nobody hears the answer: only what changes something is carried out.
        case .request(let request) where isDeaf && request.isQuestion: break
        case .request(let request): send(await answer(request, self))
        }
        repliesFirst = false
        startReplaying()
    }

    private func refuseLongLine() {
        isClosing = true
        send(StationLine.error(.lineTooLong, id: nil))
        closeIfDone()
    }

    /// Closes once nothing more can come: no requests, no subscription, nothing left to write.
    private func closeIfDone() {
        let isDone = isClosing || (reachedEnd && subscription == nil)
        if isDone, !isAnswering, requests.isEmpty, queue.isEmpty { close() }
    }

    // MARK: Writing

    private func send(_ line: [UInt8]) {
        guard isOpen, !isDeaf else { return }
        queue.append(line)
        drain()
    }

    private func drain() {
        guard isOpen, !isDeaf, write() else { return }
        if queue.count < Self.refillBelow { startReplaying() }
        updateWatch()
        closeIfDone()
    }

    /// Writes what the client takes.
    ///
    /// - Returns: Whether the connection is still there.
    private func write() -> Bool {
        let before = queue.count
        guard queue.write(to: socket) != .broken else {
            peerHasGone()
            return false
        }
        if queue.count < before { takenAt = Clocks.monotonicNanoseconds() }
        if !queue.isEmpty, stuckTimer == nil {
            takenAt = Clocks.monotonicNanoseconds()
            watchForStuck(after: patience)
        }
        return true
    }

    private func watchForStuck(after delay: Duration) {
        stuckTimer = LoopActor.after(delay) { [weak self] in self?.checkForStuck() }
    }

    /// Looks when the patience would be over, not whenever something is taken.
    private func checkForStuck() {
        stuckTimer = nil
        guard isOpen, !queue.isEmpty else { return }
        let silent = Clocks.monotonicNanoseconds() - takenAt
        guard silent >= patience.nanoseconds else {
            return watchForStuck(after: .nanoseconds(Int64(patience.nanoseconds - silent)))
        }
        // Its kernel may have room for this line where it had none for a longer one.
        let last = queue.lastSeq ?? startedAfter
        queue.dropUnbegun()
        sayGoodbye(.stuck, last: last)
        close()
    }

    private func updateWatch() {
        guard let watch else { return }
        var readiness: EventLoop.Readiness = []
        if wantsToRead { readiness.insert(.readable) }
        if !queue.isEmpty { readiness.insert(.writable) }
        LoopActor.loop.change(watch, to: readiness)
    }

    // MARK: Events

    /// Begins a subscription in place of the one before.
    ///
    /// - Parameters:
    ///   - parameters: What is wanted.
    ///   - knownReaders: The ids and names of the readers there are.
    ///   - snapshot: How the station fares at the last event that was published.
    /// - Returns: Where it begins; with the snapshot, where that is at the last event.
    func subscribe(
        _ parameters: SubscribeParameters, knownReaders: Set<String>, snapshot: Status? = nil
    ) -> SubscribeResult {
        let (from, gap) = start(of: parameters)
        let filter = EventFilter(types: parameters.types, readers: parameters.readers)
        subscription = Subscription(filter: filter, from: from)
        startedAfter = from
        subscriptionNumber += 1
        repliesFirst = true
        if isOpen { hub.add(self) }
        return SubscribeResult(
            from: from, log: store.log, gap: gap,
            ignored: EventFilter.unknown(
                types: parameters.types, readers: parameters.readers, known: knownReaders),
            snapshot: from == hub.last ? snapshot : nil)
    }

    func unsubscribe() {
        subscription = nil
        subscriptionNumber += 1
        hub.remove(self)
    }

    private func start(of parameters: SubscribeParameters) -> (Int64, SubscribeResult.Gap?) {
        switch parameters.since ?? .now {
        case .now: return (hub.last, nil)
        case .start: return (hub.first - 1, nil)
        case .after(let seq):
            let isOtherLog = parameters.log.map { $0 != store.log } ?? false
            guard isOtherLog || seq > hub.last || seq < hub.first - 1 else { return (seq, nil) }
            return (hub.first - 1, SubscribeResult.Gap(requested: seq, first: hub.first))
        }
    }

    func receive(_ line: Hub.Line) {
        if subscription?.takes(line, queued: queue.count) ?? false {
            queue.append(line.bytes, seq: line.seq)
        }
    }

    func flush() {
        if !queue.isEmpty { drain() } else { startReplaying() }
    }

    func logReplaced() {
        guard let subscription else { return }
        sayGoodbye(.gap, last: subscription.cursor)
    }

    private func startReplaying() {
        guard let subscription, !subscription.isLive, !isReplaying, isOpen, !repliesFirst,
            queue.count < Self.refillBelow, self.subscription?.caughtUp(with: hub.last) == false
        else { return }
        isReplaying = true
        Task { await replay(for: subscriptionNumber) }
    }

    private func replay(for number: Int) async {
        while isOpen, number == subscriptionNumber, queue.count < Self.refillBelow,
            let cursor = subscription?.cursor, subscription?.caughtUp(with: hub.last) == false
        {
            guard let page = await page(after: cursor) else { break }
            guard isOpen, number == subscriptionNumber else { break }
            guard page.range.first <= cursor + 1 else {
                sayGoodbye(.gap, last: cursor)
                break
            }
            append(page)
        }
        isReplaying = false
        if isOpen, number != subscriptionNumber { startReplaying() }
    }

    private func page(after cursor: Int64) async -> EventPage? {
        do {
            return try await store.events(
                after: cursor, limit: 512, maxBytes: Subscription.queueLimit / 4)
        } catch {
            // The subscriber is not lost: it tries again with its cursor.
            close()
            return nil
        }
    }

    /// Closes the connection once what waits is written, with a last word why.
    private func sayGoodbye(_ reason: Farewell.Reason, last: Int64) {
        unsubscribe()
        isClosing = true
        send(Farewell(reason, last: last).line)
    }

    private func append(_ page: EventPage) {
        for event in page.events {
            let line = Hub.Line(event)
            if subscription?.replays(line) ?? false { queue.append(line.bytes, seq: line.seq) }
        }
        if write() { updateWatch() }
    }
}
