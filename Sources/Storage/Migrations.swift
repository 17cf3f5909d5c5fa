internal import CSQLite
internal import Scanning

/// Brings a file to the tables that this program needs.
enum Migrations {
    private static let readVersion = SQL("read version", "PRAGMA user_version")
    private static let readApplication = SQL("read application id", "PRAGMA application_id")
    private static let countTables = SQL("read schema", "SELECT count(*) FROM sqlite_schema")

    /// Makes sure that the file is a station's, or empty, before anything is written into it.
    ///
    /// - Returns: Whether it is empty.
    /// - Throws: `StorageError.damaged` where it is another program's database.
    static func identify(on connection: borrowing Connection) throws(StorageError) -> Bool {
        if try integer(countTables, on: connection) == 0 { return true }
        let application = try integer(readApplication, on: connection)
        guard application == Schema.applicationID else {
            throw .damaged(
                .init(
                    "read application id", code: SQLITE_NOTADB,
                    reason: "the database is another program's"))
        }
        return false
    }

    /// Applies the migrations that the file does not have; a later program's file stays as it is.
    static func apply(
        on connection: borrowing Connection, isEmpty: Bool, now: Timestamp
    ) throws(StorageError) {
        let version = isEmpty ? 0 : Int(try integer(readVersion, on: connection))
        guard version < Schema.migrations.count else { return }
        let transactions = try Transactions(on: connection)
        try transactions.perform(on: connection) { () throws(StorageError) -> Void in
            for migration in Schema.migrations.dropFirst(version) {
                try connection.execute(migration)
            }
            guard isEmpty else { return }
            try TotalsTable.make(log: UUIDv7(at: now).text, on: connection)
        }
        // Tables and the log's id belong into the database itself: a power cut that tears the
        // write-ahead log must not take them.
        _ = try connection.checkpoint()
    }

    private static func integer(
        _ sql: SQL, on connection: borrowing Connection
    ) throws(StorageError) -> Int64 {
        try connection.prepare(sql).first { $0.integer(0) } ?? 0
    }
}
