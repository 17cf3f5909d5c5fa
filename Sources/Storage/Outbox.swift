internal import Scanning

/// The table `outbox`, as its one writer changes it.
///
/// The first queued scan of each identifier and account is marked as `head`. Whatever puts a scan
/// into the queue or takes one out keeps the marks, so that choosing what to send never walks past
/// the scans that wait behind another.
struct Outbox {
    private let names: NameTables
    private let attempts: AttemptTable
    private let decisions: Decisions
    private let insert: Statement
    private let answered: Statement
    private let failures: Statement
    private let hold: Statement
    private let end: Statement
    private let refuse: Statement
    private let promote: Statement
    private let supersede: Statement
    private let release: Statement
    private let oldestEnded: Statement
    private let deleteEnded: Statement

    private static let insertScan = SQL(
        "insert delivery",
        """
        INSERT INTO outbox (ordinal, id, kind, state, identifier, account, payload, origin,
            clock_trusted, at, boot, boot_ns, head)
        VALUES (?1, ?2, 'scan', 'queued', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
            CASE WHEN EXISTS (
                SELECT 1 FROM outbox WHERE kind = 'scan' AND state = 'queued'
                    AND identifier = ?3 AND account IS ?4
            ) THEN NULL ELSE 1 END)
        ON CONFLICT (id) DO NOTHING
        """)
    private static let noteAnswer = SQL(
        "note first answer",
        "UPDATE outbox SET first_answer = ?2 WHERE id = ?1 AND first_answer IS NULL")
    static let readFailures = SQL(
        "read failures",
        """
        SELECT attempts, counted_failures, failing_ns,
            (SELECT boot_id FROM boot WHERE id = failed_boot), failed_ns
        FROM outbox WHERE id = ?1 AND state = 'queued'
        """)
    private static let holdDelivery = SQL(
        "hold delivery",
        """
        UPDATE outbox SET error = ?2, held_until_ns = ?3, attempts = ?4, counted_failures = ?5,
            failing_ns = ?6, failed_boot = ?7, failed_ns = ?8
        WHERE id = ?1 AND state = 'queued'
        """)
    private static let endDelivery = SQL(
        "end delivery",
        """
        UPDATE outbox SET state = 'done', ended_at = ?2, head = NULL, held_until_ns = NULL,
            attempts = attempts + 1, error = NULL
        WHERE id = ?1 AND kind = 'scan' AND state = 'queued'
        RETURNING identifier, account, ifnull(accepted, ordinal)
        """)
    private static let refuseDelivery = SQL(
        "put delivery aside",
        """
        UPDATE outbox SET state = 'attention', error = ?2, error_code = ?3, head = NULL,
            held_until_ns = NULL, attempts = attempts + 1
        WHERE id = ?1 AND kind = 'scan' AND state = 'queued'
        RETURNING identifier, account
        """)
    static let promoteNext = SQL(
        "promote next delivery",
        """
        UPDATE outbox SET head = 1 WHERE ordinal = (
            SELECT ordinal FROM outbox WHERE kind = 'scan' AND state = 'queued'
                AND identifier = ?1 AND account IS ?2
            ORDER BY ordinal LIMIT 1)
        """)
    static let markSuperseded = SQL(
        "mark deliveries that were overtaken",
        """
        UPDATE outbox SET superseded = 1
        WHERE state = 'attention' AND identifier = ?1 AND ifnull(accepted, ordinal) < ?2
            AND superseded IS NULL
        """)
    private static let releaseHeld = SQL(
        "release held deliveries",
        "UPDATE outbox SET held_until_ns = NULL WHERE head = 1 AND held_until_ns IS NOT NULL")
    static let selectEnded = SQL(
        "read ended jobs",
        "SELECT ended_at FROM outbox WHERE ended_at IS NOT NULL ORDER BY ended_at LIMIT ?1")
    static let removeEnded = SQL(
        "delete ended jobs",
        """
        DELETE FROM outbox WHERE ordinal IN (
            SELECT ordinal FROM outbox WHERE ended_at IS NOT NULL ORDER BY ended_at LIMIT ?1)
        """)

    init(
        on connection: borrowing Connection, _ names: NameTables
    ) throws(StorageError) {
        self.names = names
        attempts = try AttemptTable(on: connection)
        decisions = try Decisions(on: connection)
        insert = try connection.prepare(Self.insertScan)
        answered = try connection.prepare(Self.noteAnswer)
        failures = try connection.prepare(Self.readFailures)
        hold = try connection.prepare(Self.holdDelivery)
        end = try connection.prepare(Self.endDelivery)
        refuse = try connection.prepare(Self.refuseDelivery)
        promote = try connection.prepare(Self.promoteNext)
        supersede = try connection.prepare(Self.markSuperseded)
        release = try connection.prepare(Self.releaseHeld)
        oldestEnded = try connection.prepare(Self.selectEnded)
        deleteEnded = try connection.prepare(Self.removeEnded)
    }

    /// Queues a delivery behind all others; one whose id is there already stays as it is.
    func enter(
        _ delivery: Delivery, on connection: borrowing Connection, _ totals: inout Totals
    ) throws(StorageError) {
        let values: [SQLValue] = [
            .integer(totals.lastOrdinal + 1), .text(delivery.id), .text(delivery.identifier),
            try names.value(forAccount: delivery.account), .utf8(delivery.payload),
            .utf8(delivery.origin),
            .integer(delivery.clockTrusted ? 1 : 0),
        ]
        try insert.run(values + names.values(for: delivery.moment))
        guard connection.changes == 1 else { return }
        totals.lastOrdinal += 1
        totals.queuedScans += 1
    }

    /// Keeps which event was the first to answer a scan.
    func note(firstAnswer seq: Int64, to scan: String) throws(StorageError) {
        try answered.run([.text(scan), .integer(seq)])
    }

    /// Notes what came of an attempt; a delivery that is no longer queued stays as it is.
    func note(
        _ outcome: DeliveryOutcome, _ totals: inout Totals
    ) throws(StorageError) {
        switch outcome {
        case .delivered(let id, let moment):
            try deliver(id, at: moment, &totals)
        case .failed(let id, let error, let counted, let moment, let until):
            try fail(id, error: error, counted: counted, at: moment, holdUntil: until)
        case .attention(let id, let error, let code, let moment):
            let left = try refuse.first([.text(id), .text(error), .text(code)]) { Lane($0) }
            guard try closeRank(left, &totals) else { return }
            totals.attention += 1
            guard let moment else { return }
            try attempts.add(id, at: moment.at, .attention, cause: "\(code): \(error)")
        case .retried(let id, let moment, let origin):
            guard let lane = try decisions.requeue(id, &totals) else { return }
            try promote.run([.text(lane.identifier), SQLValue(lane.account)])
            try attempts.add(id, at: moment.at, .retried, origin: origin)
        case .discarded(let id, let moment, let origin):
            guard let lane = try decisions.discard(id, at: moment.at, &totals) else { return }
            try promote.run([.text(lane.identifier), SQLValue(lane.account)])
            try attempts.add(id, at: moment.at, .discarded, origin: origin)
        }
    }

    /// Ends a delivery; those that it overtook are marked.
    private func deliver(
        _ id: String, at moment: Moment, _ totals: inout Totals
    ) throws(StorageError) {
        var order: Int64 = 0
        let left = try end.first([.text(id), .integer(moment.at.milliseconds)]) { row in
            order = row.integer(2)
            return Lane(row)
        }
        guard try closeRank(left, &totals), let left else { return }
        totals.ended += 1
        try supersede.run([.text(left.identifier), .integer(order)])
    }

    /// The scans that must be delivered one after the other.
    struct Lane {
        let identifier: String
        /// The account's number.
        let account: Int64?

        init(_ row: borrowing Row) {
            identifier = row.text(0)
            account = row.optionalInteger(1)
        }
    }

    /// Marks the scan that follows one which has left the queue.
    private func closeRank(
        _ lane: Lane?, _ totals: inout Totals
    ) throws(StorageError) -> Bool {
        guard let lane else { return false }
        try promote.run([.text(lane.identifier), SQLValue(lane.account)])
        totals.queuedScans -= 1
        return true
    }

    private func fail(
        _ id: String, error: String, counted: Bool, at moment: Moment, holdUntil: UInt64?
    ) throws(StorageError) {
        let before = try failures.first([.text(id)]) { Failures($0, from: 0) }
        guard let failures = before?.adding(counted: counted, at: moment) else { return }
        let until = holdUntil.map { Int64(clamping: $0) }
        var boot: Int64?
        if let name = failures.lastBootID { boot = try names.boots.makeNumber(of: name) }
        try hold.run([
            .text(id), .text(error), SQLValue(until), .integer(Int64(failures.attempts)),
            .integer(Int64(failures.counted)), .integer(Int64(clamping: failures.spanNanoseconds)),
            SQLValue(boot), .integer(Int64(clamping: failures.lastBootNanoseconds)),
        ])
        try attempts.add(id, at: moment.at, .failed, cause: error)
    }

    /// Ends every hold: the boot whose clock they were measured by is over.
    func releaseAll() throws(StorageError) {
        try release.run()
    }

    /// How many ended jobs may go, oldest first, of at most `chunk`.
    func prunable(
        olderThan limit: Timestamp, excess: Int, chunk: Int
    ) throws(StorageError) -> Int {
        var count = 0
        try oldestEnded.forEach([.integer(Int64(chunk))]) { row throws(StorageError) in
            guard count < excess || row.integer(0) < limit.milliseconds else { return false }
            count += 1
            return true
        }
        return count
    }

    /// Deletes so many ended jobs, oldest first.
    func prune(count: Int, _ totals: inout Totals) throws(StorageError) {
        try deleteEnded.run([.integer(Int64(count))])
        totals.ended -= Int64(count)
    }
}

extension Failures {
    /// What five columns of a row say, from `attempts` on.
    init(_ row: borrowing Row, from column: Int32) {
        self.init(
            attempts: Int(row.integer(column)), counted: Int(row.integer(column + 1)),
            spanNanoseconds: UInt64(clamping: row.integer(column + 2)),
            lastBootID: row.optionalText(column + 3),
            lastBootNanoseconds: UInt64(clamping: row.integer(column + 4)))
    }
}
