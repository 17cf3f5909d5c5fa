internal import CSQLite
internal import Scanning

/// The one connection that writes, with its tables; used on the store's thread alone.
final class Database {
    private let tables: Tables
    let connection: Connection
    let lock: DirectoryLock
    /// The files as they were when they were opened.
    let originals: DatabaseFiles
    private let files: StoreFiles
    private let bootID: String
    /// The id of the event log.
    private(set) var log: String
    /// As the last transaction left it.
    private(set) var totals: Totals
    private var firstSeq: Int64

    init(
        _ tables: Tables, _ connection: consuming Connection,
        _ lock: DirectoryLock, _ files: StoreFiles, log: String, bootID: String, totals: Totals,
        firstSeq: Int64?
    ) {
        self.log = log
        self.tables = tables
        self.connection = connection
        self.lock = lock
        self.files = files
        self.bootID = bootID
        self.totals = totals
        self.firstSeq = firstSeq ?? totals.lastSeq + 1
        originals = DatabaseFiles(files)
    }

    /// Whether nothing may come into its files any more, since they could not be opened for that.
    var isReadOnly: Bool { connection.isReadOnly }

    /// What became of its files under the running station; nil while all are in place.
    var displacement: String? { originals.displaced(in: files) }

    // MARK: Writing

    /// Stores all of the changes in one transaction, or none of them.
    func commit(_ changes: [Change]) throws(StorageError) -> [Committed] {
        guard changes.allSatisfy(\.endsDelivery) else { return try store(changes) }
        return try usingReserve { () throws(StorageError) -> [Committed] in try store(changes) }
    }

    private func store(_ changes: [Change]) throws(StorageError) -> [Committed] {
        try write { () throws(StorageError) -> [Committed] in
            var committed: [Committed] = []
            committed.reserveCapacity(changes.count)
            for change in changes { committed.append(try apply(change)) }
            return committed
        }
    }

    private func apply(_ change: Change) throws(StorageError) -> Committed {
        if let delivery = change.delivery {
            try tables.outbox.enter(delivery, on: connection, &totals)
        }
        var events: [StoredEvent] = []
        try append(change.events, to: &events)
        var cached: CacheEntry?
        if let question = change.answer {
            cached = try tables.cache.entry(question.key, account: question.account)
            try append(question.respond(cached), to: &events)
        }
        if let presence = change.presence { try tables.presences.apply(presence) }
        if let outcome = change.outcome { try tables.outbox.note(outcome, &totals) }
        if let cache = change.cache { try tables.cache.apply(cache, on: connection, &totals) }
        return Committed(events: events, cached: cached)
    }

    private func append(
        _ drafts: [EventDraft], to events: inout [StoredEvent]
    ) throws(StorageError) {
        for draft in drafts {
            let event = try tables.events.append(draft, &totals)
            events.append(event)
            guard draft.type == Self.answerType, let scan = draft.scan else { continue }
            try tables.outbox.note(firstAnswer: event.seq, to: scan)
        }
    }

    /// The type of the events that answer a scan.
    private static let answerType = "resolution"

    /// One transaction, whose totals are saved with it and taken back if it fails.
    private func write<Result>(
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let before = totals
        do throws(StorageError) {
            return try tables.transactions.perform(on: connection) {
                () throws(StorageError) -> Result in
                try beginBoot()
                let result = try body()
                try tables.totals.save(totals)
                return result
            }
        } catch {
            totals = before
            tables.names.forget()
            throw error
        }
    }

    /// Holds are times of the boot that made them: the first transaction of another ends them.
    private func beginBoot() throws(StorageError) {
        let boot = try tables.names.boots.makeNumber(of: bootID)
        guard totals.boot != boot else { return }
        try tables.outbox.releaseAll()
        totals.boot = boot
    }

    /// Deletes at most `chunk` events and as many ended jobs; see `Store.prune`.
    func prune(
        olderThan limit: Timestamp, keep: Int, chunk: Int
    ) throws(StorageError) -> Bool {
        let events = try tables.events.prunable(
            olderThan: limit, upTo: totals.lastSeq - Int64(keep), chunk: chunk)
        let jobs = try tables.outbox.prunable(
            olderThan: limit, excess: Int(totals.ended) - keep, chunk: chunk)
        guard events != nil || jobs > 0 else { return false }
        try usingReserve { () throws(StorageError) -> Void in
            try write { () throws(StorageError) -> Void in
                if let events { try tables.events.prune(upTo: events.seq) }
                if jobs > 0 { try tables.outbox.prune(count: jobs, &totals) }
            }
        }
        if let events { firstSeq = events.seq + 1 }
        return events?.count == chunk || jobs == chunk
    }

    /// Gives the log another id: what its numbers meant to anybody holds no more.
    func beginAnotherLog(_ id: String) throws(StorageError) {
        try write { () throws(StorageError) -> Void in
            try TotalsTable.rename(log: id, on: connection)
        }
        log = id
    }

    // MARK: Room for deleting

    /// Does what makes room, if need be in the room that is kept for it.
    private func usingReserve<Result>(
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        do throws(StorageError) {
            return try body()
        } catch {
            guard case .full = error, files.reserve.release() else { throw error }
        }
        defer {
            // Beginning the log anew gives back the room in it; what is left is kept again.
            try? copyBack()
            files.reserve.take()
        }
        return try body()
    }

    /// Takes the room that is kept for deleting again, where it was used and the disk has it.
    func takeReserve() { files.reserve.take() }

    // MARK: The write-ahead log

    /// A transaction that makes the log begin anew, if it may.
    ///
    /// Something must change in it: SQLite does not write a row again that is as it was.
    func settle() throws(StorageError) {
        try write { () throws(StorageError) -> Void in totals.settled += 1 }
    }

    /// Ends a copy of the log into the database that another connection has made.
    ///
    /// What came in meanwhile is copied here only where the log is about to outgrow its size:
    /// that holds up commits for as long as it takes.
    func finishCopyingBack(_ copy: CheckpointResult) throws(StorageError) {
        if copy.isComplete && copy.frames == connection.writeAheadFrames {
            try beginLogAnew()
        } else if connection.writeAheadFrames >= WriteAheadLog.fullFrames {
            try copyBack()
        }
    }

    /// Copies the log into the database and begins it anew, which makes the next start quick.
    func copyBack() throws(StorageError) {
        if try connection.checkpoint().isComplete { try beginLogAnew() }
    }

    /// Copies all of the log into the database, for when the log's file is gone.
    ///
    /// - Throws: `StorageError.busy` while somebody still reads from the log.
    func copyAllBack() throws(StorageError) {
        guard try connection.checkpoint().isComplete else {
            throw .busy(.init("checkpoint", code: SQLITE_BUSY, reason: "the log is being read"))
        }
    }

    private func beginLogAnew() throws(StorageError) {
        let size = StoreFiles.size(of: files.writeAheadLog) ?? 0
        guard size > WriteAheadLog.largestKept else { return try settle() }
        // SQLite cuts the file to the limit in the first commit after it began anew.
        try connection.execute(WriteAheadLog.limitSize)
        let result = Result { () throws(StorageError) -> Void in try settle() }
        try connection.execute(WriteAheadLog.keepSize)
        try result.get()
    }

    // MARK: Reading

    var range: LogRange { LogRange(first: firstSeq, last: totals.lastSeq) }

    func backlogHead(
        excluding identifiers: Set<String>, account: String?, bootNanoseconds: UInt64
    ) throws(StorageError) -> DeliveryRow? {
        try tables.backlog.head(
            excluding: identifiers, account: account, bootNanoseconds: bootNanoseconds)
    }

    func nextDue(
        excluding identifiers: Set<String>, account: String?, bootNanoseconds: UInt64
    ) throws(StorageError) -> UInt64? {
        try tables.backlog.nextDue(
            excluding: identifiers, account: account, bootNanoseconds: bootNanoseconds)
    }

    func oldestQueued(
        identifier: String, account: String?
    ) throws(StorageError) -> DeliveryRow? {
        try tables.backlog.oldest(of: identifier, account: account)
    }

    func outboxCounts() throws(StorageError) -> OutboxCounts {
        let size = StoreFiles.size(of: files.database) ?? 0
        let logSize = StoreFiles.size(of: files.writeAheadLog) ?? 0
        return OutboxCounts(
            scans: Int(totals.queuedScans), attention: Int(totals.attention),
            oldest: try tables.backlog.oldestMoment(), bytes: size + logSize)
    }

    func countOfOthers(than account: String?) throws(StorageError) -> Int {
        try tables.backlog.countOfOthers(than: account)
    }

    func openPresences() throws(StorageError) -> [OpenPresence] {
        try tables.presences.everything()
    }

    func cached(_ key: String, account: String?) throws(StorageError) -> CacheEntry? {
        try tables.cache.entry(key, account: account)
    }

    func cacheSummary() throws(StorageError) -> CacheSummary {
        try tables.cache.summary(totals)
    }
}
