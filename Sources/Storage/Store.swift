internal import Platform
package import Scanning
internal import Synchronization

/// The durable store of a station: event log, outbox, open presences and cache in one file.
///
/// One connection writes, on this actor's own thread, which the methods block for as long as the
/// disk takes; the caller's thread and Swift's cooperative pool stay free. What `commit` has
/// returned survives whatever is killed or loses power afterwards.
package actor Store {
    private let executor: ThreadExecutor
    let opening: Opening
    let readSide: ReadSide
    var state: State
    let identity: Mutex<Identity>
    private var isCopyingBack = false
    var nextCopy = WriteAheadLog.busyFrames

    /// New work is refused while the file system has less than this left, so that scans have it.
    package static let roomForScans: Int64 = 64 << 20

    enum State {
        case open(Database)
        /// There is no database for now, and why.
        case shut(StorageError)
        case closed
    }

    struct Identity {
        var log: String
        var opened: Opened?
        /// Damage that has shown since the file was opened.
        var damage: StorageError?
    }

    /// The id of the event log, a UUID of version 7 that was made with the file.
    ///
    /// A provisional one where the store could not be opened yet.
    package nonisolated var log: String { identity.withLock { $0.log } }
    /// What was there when the store was opened last; nil where it could not be opened yet.
    package nonisolated var opened: Opened? { identity.withLock { $0.opened } }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the store of a directory, or makes one; blocks the calling thread for the disk.
    ///
    /// A file that is damaged is renamed and a new one made: see `opened`. On a file system that
    /// is read-only a store that is there is opened for reading.
    ///
    /// - Parameters:
    ///   - directory: Where the files are; made for its owner alone where it is missing.
    ///   - bootID: The id of this boot: holds that earlier boots made are void.
    ///   - now: Dates a new log and the name of a file set aside.
    ///   - maxCachedObjects: From how many answers on the cache drops the oldest.
    /// - Throws: `StorageError.inUse` where another process has the directory; `full` or
    ///   `readOnly` where the files can't be made.
    package init(
        directory: String, bootID: String, now: Timestamp, maxCachedObjects: Int = 50_000
    ) throws(StorageError) {
        let files = StoreFiles(directory: directory)
        let opening = Opening(files: files, bootID: bootID, cacheLimit: maxCachedObjects)
        let (database, opened) = try opening.open(now: now)
        let reader = try opening.reader()
        self.opening = opening
        identity = Mutex(Identity(log: database.log, opened: opened))
        readSide = ReadSide(reader)
        executor = ThreadExecutor(name: "store")
        state = .open(database)
    }

    /// A store that could not be opened yet: all work fails with the cause until `recover` has
    /// opened it.
    ///
    /// - Parameters:
    ///   - directory: See the other initialiser; the same holds for what follows.
    ///   - bootID: The id of this boot.
    ///   - now: Dates the provisional id of the log.
    ///   - maxCachedObjects: From how many answers on the cache drops the oldest.
    ///   - cause: Why it could not be opened.
    package init(
        directory: String, bootID: String, now: Timestamp, maxCachedObjects: Int,
        unopened cause: StorageError
    ) {
        let files = StoreFiles(directory: directory)
        opening = Opening(files: files, bootID: bootID, cacheLimit: maxCachedObjects)
        identity = Mutex(Identity(log: UUIDv7(at: now).text))
        readSide = ReadSide()
        executor = ThreadExecutor(name: "store")
        state = .shut(cause)
    }

    deinit {
        executor.stop()
    }

    nonisolated var files: StoreFiles { opening.files }

    /// Ends the connections and gives the directory free; whatever is asked later throws `closed`.
    package func close() async {
        await readSide.close()
        // What fails here is copied back by the next start; a damaged file is left as it is.
        if !files.isUnderSuspicion, case .open(let database) = state { try? database.copyBack() }
        state = .closed
    }

    // MARK: Writing

    /// Stores all of the changes in one transaction, or none of them.
    ///
    /// Blocks for one synchronisation of the disk, however many the changes are.
    ///
    /// - Parameters:
    ///   - changes: What to store.
    ///   - waits: Whether a quarter of a second is waited for another program's lock.
    /// - Returns: What each change became, in their order.
    /// - Throws: `StorageError`; the store is as it was before. Where it is damaged, or its files
    ///   are gone, it stays so until `recover`.
    package func commit(
        _ changes: [Change], waitingForLocks waits: Bool = true
    ) throws(StorageError) -> [Committed] {
        guard !changes.isEmpty else { return [] }
        if let damage { throw damage }
        let committed = try use { database throws(StorageError) in
            if let reason = database.displacement {
                throw .displaced(.init("look for the database", code: 0, reason: reason))
            }
            database.connection.waitForLocks(waits)
            defer { database.connection.waitForLocks(true) }
            return try database.commit(changes)
        }
        copyBackIfBusy()
        return committed
    }

    /// Deletes what is old or too much: events, and jobs that have ended; never what is queued.
    ///
    /// Works on a full disk too, in room that is kept for it.
    ///
    /// - Parameters:
    ///   - limit: What happened or ended before goes.
    ///   - keep: How many events, and how many ended jobs, stay at most.
    ///   - chunk: How many of each are deleted at most, in one transaction.
    /// - Returns: Whether there may be more to delete.
    /// - Throws: `StorageError`; nothing was deleted then.
    package func prune(
        olderThan limit: Timestamp, keep: Int, chunk: Int
    ) throws(StorageError) -> Bool {
        let more = try use { database throws(StorageError) in
            let more = try database.prune(olderThan: limit, keep: keep, chunk: chunk)
            database.takeReserve()
            return more
        }
        copyBackIfBusy()
        return more
    }

    /// Copies the write-ahead log back into the database where enough has gathered.
    ///
    /// For moments when nothing else is to be stored. Under load the store does so by itself, on
    /// another thread.
    package func checkpointIfNeeded() async throws(StorageError) {
        let frames = try use { database throws(StorageError) in
            database.connection.writeAheadFrames
        }
        guard frames >= WriteAheadLog.idleFrames, !isCopyingBack else { return }
        isCopyingBack = true
        try await copyBack()
    }

    private func copyBackIfBusy() {
        guard case .open(let database) = state, !isCopyingBack,
            database.connection.writeAheadFrames >= nextCopy
        else { return }
        isCopyingBack = true
        // A failure shows again where it matters: in the commit that finds no room.
        Task { try? await copyBack() }
    }

    private func copyBack() async throws(StorageError) {
        defer { isCopyingBack = false }
        let copied: CheckpointResult
        do throws(StorageError) {
            copied = try await readSide.copyBack()
        } catch {
            throw noted(error)
        }
        try use { database throws(StorageError) in
            defer { nextCopy = WriteAheadLog.next(after: database.connection.writeAheadFrames) }
            try database.finishCopyingBack(copied)
        }
    }

    // MARK: Reading

    /// What the log holds.
    package func range() throws(StorageError) -> LogRange {
        try use { database throws(StorageError) in database.range }
    }

    /// A stretch of the log after a seq, and what the log held at that moment.
    ///
    /// Read on a thread of its own, beside the commits.
    ///
    /// - Parameters:
    ///   - seq: The last event that is not wanted.
    ///   - limit: How many events at most.
    ///   - maxBytes: How large their bodies may be together; the first is given in any case.
    /// - Returns: Fewer than asked for where the log or the bytes end; where the log was pruned
    ///   past `seq`, the events begin at `range.first`.
    /// - Throws: `StorageError`.
    package nonisolated func events(
        after seq: Int64, limit: Int, maxBytes: Int
    ) async throws(StorageError) -> EventPage {
        do throws(StorageError) {
            return try await readSide.events(after: seq, limit: limit, maxBytes: maxBytes)
        } catch {
            throw noted(error)
        }
    }

    /// The oldest delivery that may be sent now.
    ///
    /// It is the oldest of its identifier, not held, and of this account: a delivery without an
    /// account goes with every token, a token without an account sends every delivery.
    ///
    /// - Parameters:
    ///   - identifiers: Instance keys that are being delivered already.
    ///   - account: The token's `sub`.
    ///   - bootNanoseconds: Now.
    /// - Returns: Nil where nothing may be sent now; see `nextDue`.
    /// - Throws: `StorageError`.
    package func backlogHead(
        excluding identifiers: Set<String>, account: String?, bootNanoseconds: UInt64
    ) throws(StorageError) -> DeliveryRow? {
        try use { database throws(StorageError) in
            try database.backlogHead(
                excluding: identifiers, account: account, bootNanoseconds: bootNanoseconds)
        }
    }

    /// When the first delivery that is held now becomes due, CLOCK_BOOTTIME in nanoseconds.
    ///
    /// The parameters are those of `backlogHead`.
    package func nextDue(
        excluding identifiers: Set<String>, account: String?, bootNanoseconds: UInt64
    ) throws(StorageError) -> UInt64? {
        try use { database throws(StorageError) in
            try database.nextDue(
                excluding: identifiers, account: account, bootNanoseconds: bootNanoseconds)
        }
    }

    /// The oldest queued delivery of an identifier that this account may send, held or not.
    package func oldestQueued(
        identifier: String, account: String?
    ) throws(StorageError) -> DeliveryRow? {
        try use { database throws(StorageError) in
            try database.oldestQueued(identifier: identifier, account: account)
        }
    }

    /// The outbox as `status` shows it; does not count rows.
    package func outboxCounts() throws(StorageError) -> OutboxCounts {
        try use { database throws(StorageError) in try database.outboxCounts() }
    }

    /// How many queued scans are another account's, which a token of this one leaves alone.
    package func countOfOthers(than account: String?) throws(StorageError) -> Int {
        try use { database throws(StorageError) in try database.countOfOthers(than: account) }
    }

    /// The tags that lay on readers when the store last heard, in the order of arrival.
    package func openPresences() throws(StorageError) -> [OpenPresence] {
        try use { database throws(StorageError) in try database.openPresences() }
    }

    /// The cached answer for an instance key that this account may read.
    package func cached(_ key: String, account: String?) throws(StorageError) -> CacheEntry? {
        try use { database throws(StorageError) in try database.cached(key, account: account) }
    }

    /// The cache as `status` shows it.
    package func cacheSummary() throws(StorageError) -> CacheSummary {
        try use { database throws(StorageError) in try database.cacheSummary() }
    }

    // MARK: Room

    /// Stores something of no meaning, which shows that storing works.
    package func prove() throws(StorageError) {
        if let damage { throw damage }
        try use { database throws(StorageError) in
            database.connection.waitForLocks(false)
            defer { database.connection.waitForLocks(true) }
            try database.settle()
        }
    }

    /// Whether the file system has room for new work, beyond what is left to scans, and how many
    /// deliveries of scans wait already; one look, without counting rows.
    package func room() throws(StorageError) -> (isThere: Bool, waiting: Int) {
        try use { database throws(StorageError) in
            (
                files.freeBytes ?? .max >= Self.roomForScans,
                Int(database.totals.queuedScans)
            )
        }
    }

    // MARK: The database

    func use<Result>(
        _ body: (Database) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let database: Database
        switch state {
        case .open(let open): database = open
        case .shut(let cause): throw cause
        case .closed: throw .closed
        }
        do throws(StorageError) {
            return try body(database)
        } catch {
            throw noted(error)
        }
    }

    nonisolated var damage: StorageError? { identity.withLock { $0.damage } }

    /// Passes an error on; after damage nothing is stored until the whole file was looked through.
    nonisolated func noted(_ error: StorageError) -> StorageError {
        let error = error.atWork
        if case .damaged = error {
            files.suspect()
            identity.withLock { $0.damage = error }
        }
        return error
    }
}
