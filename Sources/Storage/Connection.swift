internal import CSQLite

/// One connection to the database file, which closes itself; used by one thread at a time.
struct Connection: ~Copyable {
    private let handle: OpaquePointer
    /// The frames in the write-ahead log, as the last commit of this connection left them.
    private let frames: UnsafeMutablePointer<Int32>

    /// How long a statement waits for a program outside the station that holds the database.
    ///
    /// A scan may have to wait so long, and a stop twice.
    private static let patienceMilliseconds: Int32 = 250

    /// Opens a file that is there already.
    ///
    /// Closing it changes no file, so that a damaged one is kept as it was found.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - readsOnly: Whether nothing may be changed in it, whatever is run.
    /// - Throws: `StorageError` where it can't be opened; whether it is a database shows later.
    init(path: String, readsOnly: Bool = false) throws(StorageError) {
        var opened: OpaquePointer?
        // No mutex: the connection's owner is the only one that calls.
        let access = readsOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let systemCode = sqlite3_system_errno(opened)
            sqlite3_close_v2(opened)
            throw StorageError(step: "open database", code: code, systemCode: systemCode)
        }
        handle = opened
        frames = .allocate(capacity: 1)
        frames.initialize(to: 0)
        waitForLocks(true)
        keepWriteAheadLog()
        // A hook of our own takes the place of the automatic checkpoint: "sqlite3_wal_hook()
        // overwrites any prior" and the automatic one is itself such a hook.
        sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                context?.assumingMemoryBound(to: Int32.self).pointee = frames
                return SQLITE_OK
            }, frames)
    }

    deinit {
        // Statements that still live keep the handle as a "zombie" until they are finalized.
        sqlite3_close_v2(handle)
        frames.deallocate()
    }

    /// Leaves the log file as it is at the last close, at its grown size.
    ///
    /// SQLite would copy it back and delete it; the store copies back itself when it stops.
    private borrowing func keepWriteAheadLog() {
        var persist: Int32 = 1
        sqlite3_file_control(handle, nil, SQLITE_FCNTL_PERSIST_WAL, &persist)
        _ = plings_sqlite_leave_log_at_close(handle, 1)
    }

    /// Whether statements wait for a lock that another program has, or fail at once.
    borrowing func waitForLocks(_ waits: Bool) {
        sqlite3_busy_timeout(handle, waits ? Self.patienceMilliseconds : 0)
    }

    /// Whether the file could only be opened for reading; that stays so until it is opened anew.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Prepares a statement that is kept and run many times.
    borrowing func prepare(_ sql: SQL) throws(StorageError) -> Statement {
        try prepare(sql.text, name: sql.name)
    }

    /// Prepares text put together at run time; nothing in it may come from outside the program.
    borrowing func prepare(
        _ text: String, name: StaticString
    ) throws(StorageError) -> Statement {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(handle, text, -1, flags, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(name) }
        return Statement(owning: statement, name: name)
    }

    /// Runs statements once, without values or rows.
    borrowing func execute(_ sql: SQL) throws(StorageError) {
        guard sqlite3_exec(handle, sql.text, nil, nil, nil) == SQLITE_OK else {
            throw failure(sql.name)
        }
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The rows that the last INSERT, UPDATE or DELETE changed.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The frames in the write-ahead log after the last commit of this connection.
    var writeAheadFrames: Int { Int(frames.pointee) }

    /// Copies the write-ahead log back into the database as far as nobody is in the way.
    ///
    /// Blocks for the disk (two synchronisations and the pages), never for other connections, and
    /// does not hold up a writer. Source: https://www.sqlite.org/c3ref/wal_checkpoint_v2.html
    borrowing func checkpoint() throws(StorageError) -> CheckpointResult {
        var frames: Int32 = 0
        var copied: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(
            handle, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
        guard code == SQLITE_OK else { throw failure("checkpoint") }
        return CheckpointResult(frames: Int(frames), copied: Int(copied))
    }

    private borrowing func failure(_ step: StaticString) -> StorageError {
        StorageError(
            step: step, code: sqlite3_extended_errcode(handle),
            systemCode: sqlite3_system_errno(handle))
    }
}

/// How far a checkpoint came.
struct CheckpointResult: Sendable {
    let frames: Int
    let copied: Int

    /// Whether the next writer may begin the log anew.
    var isComplete: Bool { frames == copied }
}
