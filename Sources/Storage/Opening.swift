internal import CSQLite
internal import Platform
internal import Scanning

/// What the store found when it was opened.
package enum Opened: Sendable, Hashable {
    /// The file of an earlier run.
    case existing
    /// Nothing: the file is new.
    case created
    /// A file that is no sound database was put out of the way, and the store's file is new.
    case setAside(SetAside)
    /// The files had been deleted or replaced under the running station.
    case displaced(Displaced)

    /// A damaged database.
    package struct SetAside: Sendable, Hashable {
        /// Where it lies now.
        package let path: String
        /// What was wrong with it.
        package let reason: String
        /// What was carried over from it.
        package let rescued: Rescued
    }

    /// A database that was lost to whoever took its files away.
    package struct Displaced: Sendable, Hashable {
        /// What had happened to the files.
        package let reason: String
        /// What was carried over from it.
        package let rescued: Rescued
    }
}

/// Opens the database of a directory, or makes one.
struct Opening {
    let files: StoreFiles
    let bootID: String
    let cacheLimit: Int

    // `synchronous = FULL`: "FULL synchronous … in WAL mode … syncs the WAL file after each
    // transaction commit". The cache is bounded, so that memory is whatever the backlog.
    private static let settings = SQL(
        "settings",
        """
        PRAGMA trusted_schema = OFF;
        PRAGMA cell_size_check = ON;
        PRAGMA mmap_size = 0;
        PRAGMA foreign_keys = ON;
        PRAGMA synchronous = FULL;
        PRAGMA temp_store = MEMORY;
        PRAGMA secure_delete = FAST;
        PRAGMA cache_size = -2048;
        PRAGMA journal_size_limit = -1;
        """)
    private static let readerSettings = SQL(
        "settings of the reading connection",
        "PRAGMA cache_size = -512; PRAGMA query_only = ON;")
    private static let salvageSettings = SQL(
        "settings of the connection to a damaged database",
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;")
    private static let useLog = SQL("use log", "PRAGMA journal_mode = WAL")
    private static let pageCount = SQL("count pages", "PRAGMA page_count")
    private static let pageSize = SQL("read page size", "PRAGMA page_size")
    private static let lookThrough = SQL("look through", "PRAGMA integrity_check(1)")

    /// STRICT tables; an older library calls a file that has them damaged.
    private static let oldestLibrary: Int32 = 3_037_000

    /// Opens the file; one that is damaged is set aside first and a new one made.
    ///
    /// - Parameters:
    ///   - now: Dates a new log and the name of a file set aside.
    ///   - held: The lock of the directory, where the caller has it already.
    /// - Returns: The database and what was there.
    /// - Throws: `StorageError`.
    func open(
        now: Timestamp, lock held: DirectoryLock? = nil
    ) throws(StorageError) -> (database: Database, opened: Opened) {
        guard sqlite3_libversion_number() >= Self.oldestLibrary else {
            throw .other(
                .init(
                    "load SQLite", code: sqlite3_libversion_number(),
                    reason: "version 3.37 or later is needed"))
        }
        try files.makeDirectory()
        let lock: DirectoryLock
        if let held, held.isInPlace(files) { lock = held } else { lock = try DirectoryLock(files) }
        return try soundDatabase(lock, now)
    }

    /// Opens what lies in place of files that were deleted or replaced, and carries over what
    /// must not be lost from the database that is still open on them.
    ///
    /// - Throws: `StorageError`; the database is as it was.
    func open(
        inPlaceOf lost: Database, now: Timestamp, reason: String
    ) throws(StorageError) -> (database: Database, opened: Opened) {
        // A log beside a database that it does not belong to would be copied into it.
        if lost.originals.hasLog(in: files) { try files.setLogAside(at: now) }
        let (database, opened) = try open(now: now, lock: lost.lock)
        // It may be an older copy of the very log that subscribers know.
        if opened == .existing { try database.beginAnotherLog(UUIDv7(at: now).text) }
        var reason = reason
        if case .setAside(let found) = opened {
            reason += "; what lay in its place was damaged and is set aside as \(found.path)"
        }
        let rescued = try Salvage.rescue(from: lost.connection, into: database)
        return (database, .displaced(.init(reason: reason, rescued: rescued)))
    }

    // MARK: A sound file

    private func soundDatabase(
        _ lock: DirectoryLock, _ now: Timestamp
    ) throws(StorageError) -> (database: Database, opened: Opened) {
        if files.isBeingSetAside {
            return try replacement(for: "an earlier run had begun to set it aside", lock, now)
        }
        if files.hasOrphanedLog {
            return try replacement(for: "its log lay beside no database", lock, now)
        }
        let reason: String
        do throws(StorageError) {
            let (database, isNew) = try database(lock, now)
            return (database, isNew ? .created : .existing)
        } catch {
            guard case .damaged(let failure) = error else { throw error }
            reason = "\(failure.step): \(failure.reason)"
        }
        return try replacement(for: reason, lock, now)
    }

    /// Puts a damaged database out of the way, makes a new one and carries over what can be read.
    ///
    /// Each step can be the last one of a run: the next goes on from there.
    private func replacement(
        for reason: String, _ lock: DirectoryLock, _ now: Timestamp
    ) throws(StorageError) -> (database: Database, opened: Opened) {
        try files.beginSettingAside()
        let database = try newDatabase(lock, now)
        let rescued = try rescue(into: database)
        let path = try files.finishSettingAside(at: now)
        return (database, .setAside(.init(path: path, reason: reason, rescued: rescued)))
    }

    /// A new database, or the one that an earlier run had begun unless it came out damaged too.
    private func newDatabase(
        _ lock: DirectoryLock, _ now: Timestamp
    ) throws(StorageError) -> Database {
        do throws(StorageError) {
            return try database(lock, now).database
        } catch {
            guard case .damaged = error else { throw error }
        }
        _ = try files.setAside(at: now)
        return try database(lock, now).database
    }

    private func rescue(into database: Database) throws(StorageError) -> Rescued {
        // A file without a page is no database; SQLite would delete the log that lies beside it.
        guard StoreFiles.size(of: files.salvage) ?? 0 > 1,
            let connection = try? Connection(path: files.salvage, readsOnly: true)
        else { return Rescued() }
        try? connection.execute(Self.salvageSettings)
        return try Salvage.rescue(from: connection, into: database)
    }

    // MARK: Connections

    private func database(
        _ lock: DirectoryLock, _ now: Timestamp
    ) throws(StorageError) -> (database: Database, isNew: Bool) {
        try files.makeDatabase()
        let connection = try connection()
        let isNew = try Migrations.identify(on: connection)
        try useWriteAheadLog(connection)
        try lookThroughIfSuspected(connection)
        try Migrations.apply(on: connection, isEmpty: isNew, now: now)
        let tables = try tables(on: connection)
        let totals = try TotalsTable.load(on: connection)
        let log = try TotalsTable.log(on: connection)
        let first = try tables.events.firstSeq()
        if isNew { try files.synchroniseDirectory() }
        try? tables.transactions.perform(on: connection) { () throws(StorageError) -> Void in
            WriteAheadLog.grow(files)
            files.reserve.take()
        }
        let database = Database(
            tables, connection, lock, files, log: log, bootID: bootID, totals: totals,
            firstSeq: first)
        try settle(database)
        return (database, isNew)
    }

    private func connection() throws(StorageError) -> Connection {
        let connection = try Connection(path: files.database)
        try connection.execute(Self.settings)
        return connection
    }

    private func useWriteAheadLog(_ connection: borrowing Connection) throws(StorageError) {
        let mode = try connection.prepare(Self.useLog).first([]) { $0.text(0) }
        guard mode == "wal" else {
            throw .other(
                .init(
                    "use log", code: SQLITE_CANTOPEN,
                    reason: "the file system can't share memory, which a log needs"))
        }
    }

    /// Opens the connection that reads, once the one that writes is open.
    func reader() throws(StorageError) -> LogReader {
        let connection = try connection()
        try connection.execute(Self.readerSettings)
        let statements = try LogReader.Statements(on: connection)
        return LogReader(connection, statements)
    }

    /// Damage seen at work, or a file too short, is looked for in the whole file.
    ///
    /// This takes its time, in proportion to the file; no sound file comes to it.
    private func lookThroughIfSuspected(
        _ connection: borrowing Connection
    ) throws(StorageError) {
        let isShort = try isCutShort(connection)
        guard isShort || files.isUnderSuspicion else { return }
        let verdict = try connection.prepare(Self.lookThrough).first([]) { $0.text(0) }
        guard verdict == "ok" else {
            throw .damaged(
                .init("look through", code: SQLITE_CORRUPT, reason: verdict ?? "no answer"))
        }
        files.clearSuspicion()
    }

    /// Whether pages are neither in the file nor in its log.
    ///
    /// SQLite itself compares the file with its own count of pages only where the log is empty.
    private func isCutShort(_ connection: borrowing Connection) throws(StorageError) -> Bool {
        let count = try connection.prepare(Self.pageCount).first([]) { $0.integer(0) } ?? 0
        let pageSize = try connection.prepare(Self.pageSize).first([]) { $0.integer(0) } ?? 0
        let size = StoreFiles.size(of: files.database) ?? 0
        guard size < count * pageSize else { return false }
        let logged = LoggedPages(files).numbers
        return (size / pageSize + 1...count).contains { !logged.contains(UInt32($0)) }
    }

    /// A file of ours that lacks a table or column is damaged too: migrations only add.
    private func tables(on connection: borrowing Connection) throws(StorageError) -> Tables {
        do throws(StorageError) {
            return try Tables(on: connection, cacheLimit: cacheLimit)
        } catch {
            guard case .other(let failure) = error, failure.code & 0xFF == SQLITE_ERROR else {
                throw error
            }
            throw .damaged(failure)
        }
    }

    /// The first commit writes and synchronises the log's header, so that no scan's has to.
    private func settle(_ database: Database) throws(StorageError) {
        do throws(StorageError) {
            try database.settle()
        } catch {
            // The store is of use without: what can't be stored now may be so later.
            if case .busy = error { return }
            guard error.isForWantOfSpace else { throw error }
        }
    }
}
