/// The statements that begin and end transactions of one connection.
struct Transactions {
    private let begin: Statement
    private let commit: Statement
    private let rollback: Statement

    init(on connection: borrowing Connection) throws(StorageError) {
        // IMMEDIATE takes the write lock at once: a deferred one could fail half-way.
        begin = try connection.prepare(SQL("begin", "BEGIN IMMEDIATE"))
        commit = try connection.prepare(SQL("commit", "COMMIT"))
        rollback = try connection.prepare(SQL("roll back", "ROLLBACK"))
    }

    /// Does all of the body in one transaction, or nothing of it.
    func perform<Result>(
        on connection: borrowing Connection, _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try begin.run()
        do throws(StorageError) {
            let result = try body()
            try commit.run()
            return result
        } catch {
            // Some errors have rolled back already: "SQLITE_FULL, SQLITE_IOERR …" may do so.
            if connection.isInTransaction { try? rollback.run() }
            throw error
        }
    }
}
