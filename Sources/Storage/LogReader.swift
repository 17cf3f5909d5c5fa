/// A connection that reads the event log and the outbox; used by one thread at a time.
final class LogReader {
    private let statements: Statements
    let connection: Connection

    private static let beginReading = SQL("begin reading", "BEGIN")
    private static let endReading = SQL("end reading", "COMMIT")
    private static let selectLast = SQL("read last event", "SELECT last_seq FROM store")
    static let selectPage = SQL(
        "read events",
        """
        SELECT seq, type, reader_id, reader_name, scan, body FROM event
        WHERE seq > ?1 ORDER BY seq LIMIT ?2
        """)

    init(_ connection: consuming Connection, _ statements: Statements) {
        self.connection = connection
        self.statements = statements
    }

    /// What the reader runs; apart from it, since a noncopyable member rules out throwing.
    struct Statements {
        let begin: Statement
        let end: Statement
        let first: Statement
        let last: Statement
        let page: Statement
        let jobs: JobReader

        init(on connection: borrowing Connection) throws(StorageError) {
            begin = try connection.prepare(LogReader.beginReading)
            end = try connection.prepare(LogReader.endReading)
            first = try connection.prepare(EventLog.selectFirst)
            last = try connection.prepare(LogReader.selectLast)
            page = try connection.prepare(LogReader.selectPage)
            jobs = try JobReader(on: connection)
        }
    }

    /// A stretch of the log and its range, both of one moment.
    func events(
        after seq: Int64, limit: Int, maxBytes: Int
    ) throws(StorageError) -> EventPage {
        try atOneMoment { () throws(StorageError) -> EventPage in
            EventPage(
                events: try stretch(after: seq, limit: limit, maxBytes: maxBytes),
                range: try range())
        }
    }

    /// Some jobs of the outbox; see `Store.jobs`.
    func jobs(
        _ filter: JobFilter, after ordinal: Int64, limit: Int
    ) throws(StorageError) -> JobPage {
        try atOneMoment { () throws(StorageError) -> JobPage in
            try statements.jobs.jobs(filter, after: ordinal, limit: limit)
        }
    }

    /// One job of the outbox with what happened to it.
    func job(_ id: String) throws(StorageError) -> (job: JobRow, history: [JobAttempt])? {
        try atOneMoment { () throws(StorageError) -> (job: JobRow, history: [JobAttempt])? in
            try statements.jobs.job(id)
        }
    }

    /// Reads as if nothing were written meanwhile.
    private func atOneMoment<Result>(
        _ read: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try statements.begin.run()
        do throws(StorageError) {
            let result = try read()
            try statements.end.run()
            return result
        } catch {
            if connection.isInTransaction { try? statements.end.run() }
            throw error
        }
    }

    private func stretch(
        after seq: Int64, limit: Int, maxBytes: Int
    ) throws(StorageError) -> [StoredEvent] {
        var events: [StoredEvent] = []
        var bytes = 0
        let values: [SQLValue] = [.integer(seq), .integer(Int64(limit))]
        try statements.page.forEach(values) { row throws(StorageError) in
            bytes += row.count(5)
            guard events.isEmpty || bytes <= maxBytes else { return false }
            events.append(StoredEvent(row, from: 0))
            return true
        }
        return events
    }

    private func range() throws(StorageError) -> LogRange {
        let last = try statements.last.first { $0.integer(0) } ?? 0
        let first = try statements.first.first { $0.optionalInteger(0) } ?? nil
        return LogRange(first: first ?? last + 1, last: last)
    }
}
