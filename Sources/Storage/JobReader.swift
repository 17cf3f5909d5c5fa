internal import Scanning

/// Reads the table `outbox` for those who look at it; on the connection that reads.
struct JobReader {
    /// The most rows that are looked at for one page: bounds how long others wait for the reader.
    static let rowLimit = 20_000

    private let page: Statement
    private let attention: Statement
    private let oldest: Statement
    private let one: Statement
    private let attempts: Statement

    static let attentionPage = SQL(
        "read jobs that need attention",
        """
        SELECT id, ordinal, kind, state, identifier, payload, origin, at, attempts, held_until_ns,
            error, error_code, ended_at, superseded, depends_on
        FROM outbox WHERE state = 'attention' AND ordinal > ?1 ORDER BY ordinal
        """)
    static let wholePage = SQL(
        "read jobs",
        """
        SELECT id, ordinal, kind, state, identifier, payload, origin, at, attempts, held_until_ns,
            error, error_code, ended_at, superseded, depends_on
        FROM outbox WHERE ordinal > ?1 ORDER BY ordinal
        """)
    static let oldestQueued = SQL(
        "read oldest queued job", "SELECT min(ordinal) FROM outbox WHERE head = 1")
    private static let oneJob = SQL(
        "read job",
        """
        SELECT id, ordinal, kind, state, identifier, payload, origin, at, attempts, held_until_ns,
            error, error_code, ended_at, superseded, depends_on
        FROM outbox WHERE id = ?1
        """)
    private static let selectAttempts = SQL(
        "read attempts",
        "SELECT at, result, cause, origin FROM attempt WHERE job = ?1 ORDER BY number")

    init(on connection: borrowing Connection) throws(StorageError) {
        page = try connection.prepare(Self.wholePage)
        attention = try connection.prepare(Self.attentionPage)
        oldest = try connection.prepare(Self.oldestQueued)
        one = try connection.prepare(Self.oneJob)
        attempts = try connection.prepare(Self.selectAttempts)
    }

    /// Jobs after a place in the order of the outbox.
    func jobs(
        _ filter: JobFilter, after ordinal: Int64, limit: Int
    ) throws(StorageError) -> JobPage {
        let stored = filter.storedState
        var start = ordinal
        if stored == "queued" {
            // The oldest scan that is queued is the head of its identifier.
            guard let oldest = try oldest.first([], { $0.optionalInteger(0) }) ?? nil else {
                return JobPage(jobs: [], next: nil)
            }
            start = max(start, oldest - 1)
        }
        var found: [JobRow] = []
        var next: Int64?
        var seen = start
        var looked = 0
        let statement = stored == "attention" ? attention : page
        try statement.forEach([.integer(start)]) { row throws(StorageError) in
            guard found.count < limit, looked < Self.rowLimit else {
                next = seen
                return false
            }
            looked += 1
            seen = row.integer(1)
            guard stored == nil || row.text(3) == stored,
                filter.kind == nil || row.text(2) == filter.kind
            else { return true }
            let job = JobRow(row)
            if filter.takes(job) { found.append(job) }
            return true
        }
        return JobPage(jobs: found, next: next)
    }

    /// One job with what happened to it, oldest first.
    func job(_ id: String) throws(StorageError) -> (job: JobRow, history: [JobAttempt])? {
        guard let job = try one.first([.text(id)], { JobRow($0) }) else { return nil }
        var history: [JobAttempt] = []
        try attempts.forEach([.text(id)]) { row throws(StorageError) in
            guard let result = JobAttempt.Result(rawValue: row.text(1)) else { return true }
            history.append(
                JobAttempt(
                    at: Timestamp(milliseconds: row.integer(0)), result: result,
                    cause: row.optionalText(2), origin: row.isNull(3) ? nil : row.bytes(3)))
            return true
        }
        if job.state == "done", let at = job.endedAt {
            history.append(JobAttempt(at: at, result: .delivered))
        }
        return (job, history)
    }
}

extension JobRow {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            id: row.text(0), ordinal: row.integer(1), kind: row.text(2), state: row.text(3),
            identifier: row.optionalText(4), payload: row.bytes(5), origin: row.bytes(6),
            at: Timestamp(milliseconds: row.integer(7)), attempts: Int(row.integer(8)),
            heldUntilBootNanoseconds: row.optionalInteger(9).map { UInt64(clamping: $0) },
            error: row.optionalText(10), errorCode: row.optionalText(11),
            endedAt: row.optionalInteger(12).map { Timestamp(milliseconds: $0) },
            isSuperseded: row.integer(13) != 0, dependsOn: row.optionalText(14))
    }
}
