/// A connection that reads the event log; used by one thread at a time.
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

        init(on connection: borrowing Connection) throws(StorageError) {
            begin = try connection.prepare(LogReader.beginReading)
            end = try connection.prepare(LogReader.endReading)
            first = try connection.prepare(EventLog.selectFirst)
            last = try connection.prepare(LogReader.selectLast)
            page = try connection.prepare(LogReader.selectPage)
        }
    }

    /// A stretch of the log and its range, both of one moment.
    func events(
        after seq: Int64, limit: Int, maxBytes: Int
    ) throws(StorageError) -> EventPage {
        try statements.begin.run()
        do throws(StorageError) {
            let result = EventPage(
                events: try stretch(after: seq, limit: limit, maxBytes: maxBytes),
                range: try range())
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
