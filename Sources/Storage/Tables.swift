/// The tables of the file and the statements that one connection, the writer's, uses on them.
struct Tables {
    let transactions: Transactions
    let names: NameTables
    let totals: TotalsTable
    let events: EventLog
    let outbox: Outbox
    let backlog: Backlog
    let presences: PresenceTable
    let cache: CacheTable

    init(on connection: borrowing Connection, cacheLimit: Int) throws(StorageError) {
        transactions = try Transactions(on: connection)
        names = try NameTables(on: connection)
        totals = try TotalsTable(on: connection)
        events = try EventLog(on: connection)
        outbox = try Outbox(on: connection, names)
        backlog = try Backlog(on: connection, names)
        presences = try PresenceTable(on: connection, names)
        cache = try CacheTable(on: connection, names, limit: cacheLimit)
    }
}
