internal import LineProtocols
internal import Platform
internal import Scanning
internal import ServiceManager
internal import Storage

/// Stores what happens and then publishes it, in one order.
///
/// Changes that come while a commit is under way wait for the next one, so that many scans share
/// one fsync. Nothing is published before it is durable, except while nothing can be stored: then
/// events go out without a seq, and the changes wait in memory (see `DeferredChanges`) until the
/// store works again. One change that can't be stored by its own fault holds up no other.
@LoopActor
final class Journal {
    /// The most changes in one transaction: bounds what one fsync may hold up.
    static let groupLimit = 256

    /// What became of a change.
    enum Fate {
        case stored(Committed)
        /// So many events of it are published, and wait in memory to be stored.
        case deferred(StorageError, published: Int)
        /// So many events of it are published; it will never be stored, by its own fault.
        case leftOut(StorageError, published: Int)
        /// Nothing of it has happened: it was an order, which can be given again.
        case refused(StorageError)
    }

    struct Entry {
        let change: Change
        /// Whether somebody waits to hear that it is stored, and nothing is to happen otherwise.
        let isOrder: Bool
        let completion: (@LoopActor (Fate) -> Void)?
    }

    let store: Store
    let hub: Hub
    let log: Log
    private var waiting: [Entry] = []
    var isCommitting = false
    /// Whether the store is doing what helps it, and answers nobody meanwhile.
    var isRecovering = false
    /// What waits in memory while nothing can be stored.
    var deferred = DeferredChanges()
    /// Why nothing can be stored now; nil where everything can.
    var failure: StorageError?
    /// Changes that were given up: the memory for them was full, or they could not be stored.
    var lost = 0
    /// Whether it was said that changes are given up, since storing failed.
    var hasToldOverflow = false
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    /// Those who wait for a moment between two commits.
    private var stillWaiters: [CheckedContinuation<Void, Never>] = []
    /// Called whenever storing begins to fail or works again.
    var onFailureChange: @LoopActor (Bool) -> Void = { _ in }
    /// Called when the store was opened anew, before anything is stored in it.
    var onReopened: @LoopActor (Opened) async -> Void = { _ in }

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
    ///
    /// An order is published only if it can be stored.
    func record(
        _ change: Change, asOrder isOrder: Bool = false,
        completion: (@LoopActor (Fate) -> Void)? = nil
    ) {
        waiting.append(Entry(change: change, isOrder: isOrder, completion: completion))
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
        publish(try await store.commit(changes), of: [])
    }

    func commitAll() async {
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
        guard failure == nil else { return await holdBack(group) }
        do throws(StorageError) {
            publish(try await store.commit(group.map(\.change)), of: group)
        } catch {
            guard error.concernsOneChange else {
                fail(error)
                return await holdBack(group)
            }
            guard group.count > 1 else { return await leaveOut(group[0], error) }
            for entry in group { await commit([entry]) }
        }
    }

    func publish(_ committed: [Committed], of group: [Entry]) {
        for result in committed {
            for event in result.events { hub.publish(event) }
        }
        hub.flush()
        for (entry, result) in zip(group, committed) { entry.completion?(.stored(result)) }
    }
}
