internal import LineProtocols
internal import Platform
internal import Scanning
internal import ServiceManager
internal import Storage

/// Stores what happens and then publishes it, in one order.
///
/// Changes that come while a commit is under way wait for the next one, so that many scans share
/// one fsync. Nothing is published before it is durable, except while nothing can be stored: then
/// events go out without a seq, and the changes wait in memory (at most `deferredLimit`, the
/// oldest given up and counted) until space returns.
@LoopActor
final class Journal {
    /// How many changes wait in memory while nothing can be stored.
    static let deferredLimit = 10_000
    private static let retryAfter = Duration.seconds(2)
    /// The most changes in one transaction: bounds what one fsync may hold up.
    private static let groupLimit = 256

    /// What became of a change.
    enum Fate {
        case stored(Committed)
        /// So many events of it are published, and wait in memory to be stored.
        case deferred(StorageError, published: Int)
    }

    private struct Entry {
        let change: Change
        let completion: (@LoopActor (Fate) -> Void)?
    }

    private let store: Store
    private let hub: Hub
    private let log: Log
    private var waiting: [Entry] = []
    private(set) var isCommitting = false
    private var deferred: [Change] = []
    private(set) var failure: StorageError?
    /// Changes that were given up because the memory for them was full.
    private(set) var lost = 0
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    /// Those who wait for a moment between two commits.
    private var stillWaiters: [CheckedContinuation<Void, Never>] = []
    /// Called whenever storing begins to fail or works again.
    var onFailureChange: @LoopActor (Bool) -> Void = { _ in }

    init(store: Store, hub: Hub, log: Log) {
        self.store = store
        self.hub = hub
        self.log = log
    }

    /// Whether so much waits that nothing more should be taken on from readers for now.
    var isCongested: Bool { waiting.count > 4 * Self.groupLimit }

    /// Whether changes can be stored now.
    var isStoring: Bool { failure == nil }

    /// Takes a change; the completion is called after it was published.
    func record(_ change: Change, completion: (@LoopActor (Fate) -> Void)? = nil) {
        waiting.append(Entry(change: change, completion: completion))
        guard !isCommitting else { return }
        isCommitting = true
        Task { await commitAll() }
    }

    /// Takes a change and waits until it was published.
    func record(_ change: Change) async -> Fate {
        await withCheckedContinuation { continuation in
            record(change) { fate in continuation.resume(returning: fate) }
        }
    }

    /// Waits until everything that was recorded has been published.
    func settle() async {
        guard isCommitting else { return }
        await withCheckedContinuation { idleWaiters.append($0) }
    }

    /// Stores what can still be stored before the station ends; what can't is lost, and told.
    func finish() async {
        await settle()
        if failure != nil { await retry() }
        await settle()
        guard !deferred.isEmpty else { return }
        lost += deferred.count
        log.error(
            "what could not be stored is lost: the station ends", ["count": "\(deferred.count)"])
        deferred = []
    }

    /// Does something between two commits: what is published is what is stored, and stays so.
    ///
    /// Changes that are recorded meanwhile wait for as long as it takes; the body must not wait
    /// for one of its own.
    func whileStill<Value>(_ body: @LoopActor () async -> Value) async -> Value {
        if isCommitting {
            await withCheckedContinuation { stillWaiters.append($0) }
        }
        isCommitting = true
        let value = await body()
        Task { await commitAll() }
        return value
    }

    /// Stores changes and publishes them, or does neither; only within `whileStill`.
    ///
    /// - Throws: `StorageError`: these changes are not kept in memory for later.
    func commitNow(_ changes: [Change]) async throws(StorageError) {
        if let failure { throw failure }
        publish(try await store.commit(changes))
    }

    private func commitAll() async {
        while !waiting.isEmpty || !stillWaiters.isEmpty {
            let group = Array(waiting.prefix(Self.groupLimit))
            waiting.removeFirst(group.count)
            if !group.isEmpty { await commit(group) }
            // Whoever waits for a still moment goes on with the commits afterwards.
            guard stillWaiters.isEmpty else { return stillWaiters.removeFirst().resume() }
        }
        isCommitting = false
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
        // A failure shows again where it matters: in the commit that finds no room.
        if failure == nil { try? await store.checkpointIfNeeded() }
    }

    private func commit(_ group: [Entry]) async {
        if let failure { return await deferAll(group, failure) }
        do {
            let committed = try await store.commit(group.map(\.change))
            publish(committed)
            for (entry, result) in zip(group, committed) { entry.completion?(.stored(result)) }
        } catch {
            fail(error)
            await deferAll(group, error)
        }
    }

    private func publish(_ committed: [Committed]) {
        for result in committed {
            for event in result.events { hub.publish(event) }
        }
        hub.flush()
    }

    // MARK: While nothing can be stored

    private func fail(_ error: StorageError) {
        failure = error
        log.error("nothing can be stored", ["cause": error.description])
        onFailureChange(true)
        retryLater()
    }

    private func deferAll(_ group: [Entry], _ error: StorageError) async {
        var changes: [Change] = []
        for entry in group { changes.append(await answered(entry.change)) }
        for event in changes.flatMap(\.events) { hub.publishUnstored(event) }
        deferred += changes
        let excess = deferred.count - Self.deferredLimit
        if excess > 0 {
            deferred.removeFirst(excess)
            lost += excess
            log.error("scans were given up: the memory for them is full", ["count": "\(excess)"])
        }
        hub.flush()
        for (entry, change) in zip(group, changes) {
            entry.completion?(.deferred(error, published: change.events.count))
        }
    }

    /// The change with its answer, as it is published now and will be stored later.
    ///
    /// The cache can mostly be read where nothing can be written.
    private func answered(_ change: Change) async -> Change {
        guard let question = change.answer else { return change }
        let entry = try? await store.cached(question.key, account: question.account)
        var change = change
        change.events += question.respond(entry)
        change.answer = nil
        return change
    }

    private func retryLater() {
        LoopActor.after(Self.retryAfter) { [self] in
            Task { await retry() }
        }
    }

    private func retry() async {
        guard !isCommitting else { return retryLater() }
        isCommitting = true
        while !deferred.isEmpty {
            let group = Array(deferred.prefix(Self.groupLimit))
            do {
                let committed = try await store.commit(group)
                deferred.removeFirst(group.count)
                for event in committed.flatMap({ $0.events }) { hub.account(event) }
            } catch {
                retryLater()
                // Whatever was recorded meanwhile is published, and whoever waits goes on.
                return await commitAll()
            }
        }
        failure = nil
        log.info("storing works again")
        onFailureChange(false)
        await commitAll()
    }
}
