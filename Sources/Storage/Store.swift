internal import Platform
package import Scanning

/// The durable store of a station: event log, outbox, open presences and cache in one file.
///
/// One connection writes, on this actor's own thread, which the methods block for as long as the
/// disk takes; the caller's thread and Swift's cooperative pool stay free. What `commit` has
/// returned survives whatever is killed or loses power afterwards.
package actor Store {
    private let executor: ThreadExecutor
    private let files: StoreFiles
    let readSide: ReadSide
    private var database: Database?
    private var isCopyingBack = false
    private var nextCopy = WriteAheadLog.busyFrames

    /// The id of the event log, a UUID of version 7 that was made with the file.
    package nonisolated let log: String
    /// What was there when the store was opened.
    package nonisolated let opened: Opened

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the store of a directory, or makes one; blocks the calling thread for the disk.
    ///
    /// A file that is damaged is renamed and a new one made: see `opened`.
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
        let opening = Opening(
            files: files, bootID: bootID, now: now, cacheLimit: maxCachedObjects)
        let (database, opened) = try opening.open()
        let reader = try opening.reader()
        self.files = files
        self.opened = opened
        log = database.log
        readSide = ReadSide(reader)
        executor = ThreadExecutor(name: "store")
        self.database = database
    }

    deinit {
        executor.stop()
    }

    /// Ends the connections and gives the directory free; whatever is asked later throws `closed`.
    package func close() async {
        await readSide.close()
        // What fails here is copied back by the next start; a damaged file is left as it is.
        if !files.isUnderSuspicion { try? database?.copyBack() }
        database = nil
    }

    // MARK: Writing

    /// Stores all of the changes in one transaction, or none of them.
    ///
    /// Blocks for one synchronisation of the disk, however many the changes are.
    ///
    /// - Returns: What each change became, in their order.
    /// - Throws: `StorageError`; the store is as it was before and goes on.
    package func commit(_ changes: [Change]) throws(StorageError) -> [Committed] {
        guard !changes.isEmpty else { return [] }
        let committed = try use { database throws(StorageError) in try database.commit(changes) }
        copyBackIfBusy()
        return committed
    }

    /// Deletes what is old or too much: events, and jobs that have ended; never what is queued.
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
            try database.prune(olderThan: limit, keep: keep, chunk: chunk)
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
        guard let database, !isCopyingBack,
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

    // MARK: The database

    func use<Result>(
        _ body: (Database) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard let database else { throw .closed }
        do throws(StorageError) {
            return try body(database)
        } catch {
            throw noted(error)
        }
    }

    /// Passes an error on; after damage the next start looks through the whole file.
    nonisolated func noted(_ error: StorageError) -> StorageError {
        if case .damaged = error { files.suspect() }
        return error
    }
}
