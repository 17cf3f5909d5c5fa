/// The table `cache`: the API's last answers, at most so many.
struct CacheTable {
    private let names: NameTables
    private let find: Statement
    private let insert: Statement
    private let delete: Statement
    private let evict: Statement
    private let oldest: Statement
    private let newest: Statement
    private let limit: Int64

    /// Evictions in one transaction at most: a lowered limit is reached step by step.
    private static let evictionsAtOnce: Int64 = 32

    // Another account's answer is as if it were not there; see `Backlog`.
    private static let selectEntry = SQL(
        "read cached answer",
        """
        SELECT instance_key, (SELECT sub FROM account WHERE id = cache.account), resolution,
            at, (SELECT boot_id FROM boot WHERE id = cache.boot), boot_ns, ttl_seconds
        FROM cache
        WHERE instance_key = ?1 AND (account IS NULL OR ?2 IS NULL OR account = ?2)
        """)
    private static let insertEntry = SQL(
        "cache answer",
        """
        INSERT INTO cache
            (ordinal, instance_key, account, resolution, ttl_seconds, at, boot, boot_ns)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """)
    private static let deleteEntry = SQL(
        "remove cached answer", "DELETE FROM cache WHERE instance_key = ?1")
    private static let evictOldest = SQL(
        "evict cached answers",
        """
        DELETE FROM cache WHERE ordinal IN (SELECT ordinal FROM cache ORDER BY ordinal LIMIT ?1)
        """)
    private static let selectOldest = SQL(
        "read oldest cached answer",
        """
        SELECT at, (SELECT boot_id FROM boot WHERE id = cache.boot), boot_ns
        FROM cache ORDER BY ordinal LIMIT 1
        """)
    private static let selectNewest = SQL(
        "read newest cached answer",
        """
        SELECT at, (SELECT boot_id FROM boot WHERE id = cache.boot), boot_ns
        FROM cache ORDER BY ordinal DESC LIMIT 1
        """)

    init(
        on connection: borrowing Connection, _ names: NameTables, limit: Int
    ) throws(StorageError) {
        self.names = names
        self.limit = Int64(limit)
        find = try connection.prepare(Self.selectEntry)
        insert = try connection.prepare(Self.insertEntry)
        delete = try connection.prepare(Self.deleteEntry)
        evict = try connection.prepare(Self.evictOldest)
        oldest = try connection.prepare(Self.selectOldest)
        newest = try connection.prepare(Self.selectNewest)
    }

    /// The answer for an instance key that this account may read.
    func entry(_ key: String, account: String?) throws(StorageError) -> CacheEntry? {
        var reader: Int64?
        // An account that was never stored reads what has none: no row has the number 0.
        if let account { reader = try names.accounts.number(of: account) ?? 0 }
        return try find.first([.text(key), SQLValue(reader)]) { row in
            CacheEntry(
                key: row.text(0), account: row.optionalText(1), resolution: row.bytes(2),
                moment: Moment(row, from: 3), ttlSeconds: Int(row.integer(6)))
        }
    }

    func apply(
        _ change: CacheChange, on connection: borrowing Connection, _ totals: inout Totals
    ) throws(StorageError) {
        switch change {
        case .put(let entry):
            try remove(entry.key, on: connection, &totals)
            try put(entry, &totals)
            try makeRoom(on: connection, &totals)
        case .remove(let key):
            try remove(key, on: connection, &totals)
        }
    }

    private func put(
        _ entry: CacheEntry, _ totals: inout Totals
    ) throws(StorageError) {
        guard limit > 0 else { return }
        totals.lastCached += 1
        totals.cached += 1
        let values: [SQLValue] = [
            .integer(totals.lastCached), .text(entry.key),
            try names.value(forAccount: entry.account),
            .utf8(entry.resolution), .integer(Int64(entry.ttlSeconds)),
        ]
        try insert.run(values + names.values(for: entry.moment))
    }

    private func remove(
        _ key: String, on connection: borrowing Connection, _ totals: inout Totals
    ) throws(StorageError) {
        try delete.run([.text(key)])
        totals.cached -= Int64(connection.changes)
    }

    private func makeRoom(
        on connection: borrowing Connection, _ totals: inout Totals
    ) throws(StorageError) {
        guard totals.cached > limit else { return }
        try evict.run([.integer(min(totals.cached - limit, Self.evictionsAtOnce))])
        totals.cached -= Int64(connection.changes)
    }

    func summary(_ totals: Totals) throws(StorageError) -> CacheSummary {
        CacheSummary(
            objects: Int(totals.cached), oldest: try oldest.first { Moment($0, from: 0) },
            newest: try newest.first { Moment($0, from: 0) })
    }
}
