/// What holds for the whole file: the counters that give out numbers, and the counts of rows.
struct Totals: Sendable, Equatable {
    /// The number of the boot in which holds count; nil in a new file.
    var boot: Int64?
    var lastSeq: Int64
    var lastOrdinal: Int64
    var lastCached: Int64
    var queuedScans: Int64
    var attention: Int64
    var ended: Int64
    var cached: Int64
    var settled: Int64
}

/// The table `store` with its one row.
struct TotalsTable {
    private let save: Statement

    private static let insert = SQL(
        "make totals",
        """
        INSERT INTO store (id, log, last_seq, last_ordinal, last_cached, queued_scans,
            attention, ended, cached, settled)
        VALUES (1, ?1, 0, 0, 0, 0, 0, 0, 0, 0)
        """)
    private static let select = SQL(
        "read totals",
        """
        SELECT boot, last_seq, last_ordinal, last_cached, queued_scans, attention, ended,
            cached, settled
        FROM store
        """)
    private static let updateLog = SQL("rename log", "UPDATE store SET log = ?1")
    private static let selectLog = SQL("read log id", "SELECT log FROM store")
    // The counters are the safe side of what the tables themselves show, should a person have
    // changed the file by hand.
    private static let highest = SQL(
        "read highest numbers",
        """
        SELECT (SELECT max(seq) FROM event), (SELECT max(ordinal) FROM outbox),
            (SELECT max(ordinal) FROM cache)
        """)
    private static let update = SQL(
        "save totals",
        """
        UPDATE store SET boot = ?1, last_seq = ?2, last_ordinal = ?3, last_cached = ?4,
            queued_scans = ?5, attention = ?6, ended = ?7, cached = ?8, settled = ?9
        """)

    init(on connection: borrowing Connection) throws(StorageError) {
        save = try connection.prepare(Self.update)
    }

    /// Makes the row of a new file.
    static func make(
        log: String, on connection: borrowing Connection
    ) throws(StorageError) {
        try connection.prepare(insert).run([.text(log)])
    }

    /// Gives the event log another id.
    static func rename(
        log: String, on connection: borrowing Connection
    ) throws(StorageError) {
        try connection.prepare(updateLog).run([.text(log)])
    }

    /// The id of the event log.
    static func log(on connection: borrowing Connection) throws(StorageError) -> String {
        guard let log = try connection.prepare(selectLog).first([], { $0.text(0) }) else {
            throw .damaged(.init("read log id", code: 0, reason: "the row is missing"))
        }
        return log
    }

    /// Reads the row.
    static func load(on connection: borrowing Connection) throws(StorageError) -> Totals {
        let found = try connection.prepare(select).first([]) { row in
            Totals(
                boot: row.optionalInteger(0), lastSeq: row.integer(1), lastOrdinal: row.integer(2),
                lastCached: row.integer(3), queuedScans: row.integer(4),
                attention: row.integer(5), ended: row.integer(6), cached: row.integer(7),
                settled: row.integer(8))
        }
        guard var totals = found else {
            throw .damaged(.init("read totals", code: 0, reason: "the row is missing"))
        }
        try connection.prepare(highest).forEach([]) { row throws(StorageError) in
            totals.lastSeq = max(totals.lastSeq, row.integer(0))
            totals.lastOrdinal = max(totals.lastOrdinal, row.integer(1))
            totals.lastCached = max(totals.lastCached, row.integer(2))
            return true
        }
        return totals
    }

    /// Writes the row; in the transaction that changed what it says.
    func save(_ totals: Totals) throws(StorageError) {
        try save.run([
            SQLValue(totals.boot), .integer(totals.lastSeq), .integer(totals.lastOrdinal),
            .integer(totals.lastCached), .integer(totals.queuedScans),
            .integer(totals.attention), .integer(totals.ended), .integer(totals.cached),
            .integer(totals.settled),
        ])
    }
}
