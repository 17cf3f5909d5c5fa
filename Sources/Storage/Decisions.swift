internal import Scanning

/// What people decide of deliveries: to try them again, or to give them up.
struct Decisions {
    private let find: Statement
    private let requeue: Statement
    private let demote: Statement
    private let discard: Statement

    static let findJob = SQL(
        "find delivery that is decided of",
        """
        SELECT identifier, account, state, ordinal, EXISTS (
            SELECT 1 FROM outbox AS other WHERE other.kind = 'scan' AND other.state = 'queued'
                AND other.identifier = job.identifier)
        FROM outbox AS job
        WHERE id = ?1 AND kind = 'scan' AND state IN ('queued', 'attention')
        """)
    private static let requeueJob = SQL(
        "try delivery again",
        """
        UPDATE outbox SET state = 'queued', accepted = ifnull(accepted, ordinal), ordinal = ?2,
            error_code = NULL, counted_failures = 0, failing_ns = 0, failed_boot = NULL,
            failed_ns = NULL
        WHERE id = ?1
        """)
    static let demoteHead = SQL(
        "put delivery behind another",
        """
        UPDATE outbox SET head = NULL, held_until_ns = NULL
        WHERE kind = 'scan' AND state = 'queued' AND identifier = ?1 AND account IS ?2 AND head = 1
        """)
    private static let discardJob = SQL(
        "discard delivery",
        """
        UPDATE outbox SET state = 'discarded', ended_at = ?2, head = NULL, held_until_ns = NULL
        WHERE id = ?1
        """)

    init(on connection: borrowing Connection) throws(StorageError) {
        find = try connection.prepare(Self.findJob)
        requeue = try connection.prepare(Self.requeueJob)
        demote = try connection.prepare(Self.demoteHead)
        discard = try connection.prepare(Self.discardJob)
    }

    private struct Found {
        let lane: Outbox.Lane
        let needsAttention: Bool
        let ordinal: Int64
        /// Whether scans of the identifier wait.
        let othersWait: Bool

        init(_ row: borrowing Row) {
            lane = Outbox.Lane(row)
            needsAttention = row.text(2) == "attention"
            ordinal = row.integer(3)
            othersWait = row.integer(4) != 0
        }
    }

    /// Queues what needed attention again.
    ///
    /// - Returns: Where the next head is to be marked; nil where nothing was to be done.
    func requeue(_ id: String, _ totals: inout Totals) throws(StorageError) -> Outbox.Lane? {
        guard let found = try find.first([.text(id)], { Found($0) }), found.needsAttention else {
            return nil
        }
        // Scans of its identifier that wait were made later: it keeps its place before them.
        if !found.othersWait { totals.lastOrdinal += 1 }
        let ordinal = found.othersWait ? found.ordinal : totals.lastOrdinal
        try demote.run([.text(found.lane.identifier), SQLValue(found.lane.account)])
        try requeue.run([.text(id), .integer(ordinal)])
        totals.attention -= 1
        totals.queuedScans += 1
        return found.lane
    }

    /// Ends a delivery that is queued or needs attention.
    ///
    /// - Returns: Where the next head is to be marked; nil where nothing was to be done.
    func discard(
        _ id: String, at time: Timestamp, _ totals: inout Totals
    ) throws(StorageError) -> Outbox.Lane? {
        guard let found = try find.first([.text(id)], { Found($0) }) else { return nil }
        try discard.run([.text(id), .integer(time.milliseconds)])
        if found.needsAttention { totals.attention -= 1 } else { totals.queuedScans -= 1 }
        totals.ended += 1
        return found.lane
    }
}
