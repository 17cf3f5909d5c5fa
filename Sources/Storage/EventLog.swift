internal import Scanning

/// The table `event`, as its one writer uses it.
struct EventLog {
    private let insert: Statement
    private let oldest: Statement
    private let delete: Statement
    private let first: Statement

    private static let insertEvent = SQL(
        "insert event",
        """
        INSERT INTO event (seq, at, type, reader_id, reader_name, scan, body)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """)
    private static let selectOldest = SQL(
        "read oldest events", "SELECT seq, at FROM event ORDER BY seq LIMIT ?1")
    private static let deleteEvents = SQL("delete events", "DELETE FROM event WHERE seq <= ?1")
    static let selectFirst = SQL("read first event", "SELECT min(seq) FROM event")

    init(on connection: borrowing Connection) throws(StorageError) {
        insert = try connection.prepare(Self.insertEvent)
        oldest = try connection.prepare(Self.selectOldest)
        delete = try connection.prepare(Self.deleteEvents)
        first = try connection.prepare(Self.selectFirst)
    }

    /// Appends an event with the seq that follows the last.
    func append(
        _ draft: EventDraft, _ totals: inout Totals
    ) throws(StorageError) -> StoredEvent {
        totals.lastSeq += 1
        try insert.run([
            .integer(totals.lastSeq), .integer(draft.at.milliseconds), .text(draft.type),
            SQLValue(draft.readerID), SQLValue(draft.readerName), SQLValue(draft.scan),
            .utf8(draft.body),
        ])
        return StoredEvent(
            seq: totals.lastSeq, type: draft.type, readerID: draft.readerID,
            readerName: draft.readerName, scan: draft.scan, body: draft.body)
    }

    /// The oldest event's seq, or nil where there is none.
    func firstSeq() throws(StorageError) -> Int64? {
        try first.first { $0.optionalInteger(0) } ?? nil
    }

    /// How far the log may be cut off at its old end: a seq and the number of events up to it.
    ///
    /// Looks at no more than `chunk` events. Only a stretch from the beginning is cut, whatever
    /// the clock said in between, so that what is left stays consecutive.
    func prunable(
        olderThan limit: Timestamp, upTo lastToGo: Int64, chunk: Int
    ) throws(StorageError) -> (seq: Int64, count: Int)? {
        var cut: (seq: Int64, count: Int)?
        try oldest.forEach([.integer(Int64(chunk))]) { row throws(StorageError) in
            let seq = row.integer(0)
            guard seq <= lastToGo || row.integer(1) < limit.milliseconds else { return false }
            cut = (seq, (cut?.count ?? 0) + 1)
            return true
        }
        return cut
    }

    /// Deletes the events up to a seq.
    func prune(upTo seq: Int64) throws(StorageError) {
        try delete.run([.integer(seq)])
    }
}
