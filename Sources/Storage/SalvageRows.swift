/// The rows of a database that is not sound, as far as they can be read.
struct SalvageRows {
    private let next: Statement
    private let single: Statement
    private let allPresences: Statement?
    /// The highest number that a delivery has; nil where that can't be read.
    let lastOrdinal: Int64?
    /// The deliveries that had not ended, as the database counted them; nil where unreadable.
    let openDeliveries: Int?

    private static func columns(boot: String) -> String {
        """
        SELECT job.ordinal, job.id, job.identifier, job.account,
            (SELECT sub FROM account WHERE id = job.account), job.payload, job.origin,
            job.clock_trusted, job.at, \(boot), job.boot_ns, job.state, job.error, job.error_code
        FROM outbox AS job NOT INDEXED
        """
    }
    private static let bootOfRow = "(SELECT boot_id FROM boot WHERE id = job.boot)"
    private static let selectBoots = SQL("read boots", "SELECT boot_id FROM boot")
    private static let isOpen = "job.kind = 'scan' AND job.state IN ('queued', 'attention')"
    private static let selectCounts = SQL(
        "read counts of the damaged database",
        "SELECT last_ordinal, queued_scans + attention FROM store")

    init(on connection: borrowing Connection) throws(StorageError) {
        // Without its boot a delivery still has the time that the clock told.
        let hasBoots = (try? connection.prepare(Self.selectBoots).run()) != nil
        let columns = Self.columns(boot: hasBoots ? Self.bootOfRow : "''")
        next = try connection.prepare(
            "\(columns) WHERE job.ordinal > ?1 AND \(Self.isOpen) ORDER BY job.ordinal LIMIT ?2",
            name: "read deliveries of the damaged database")
        single = try connection.prepare(
            "\(columns) WHERE job.ordinal = ?1 AND \(Self.isOpen)",
            name: "read a delivery of the damaged database")
        allPresences = try? connection.prepare(PresenceTable.selectAll)
        let counts = try? connection.prepare(Self.selectCounts).first([]) {
            (last: $0.integer(0), open: Int($0.integer(1)))
        }
        lastOrdinal = counts?.last
        openDeliveries = counts?.open
    }

    /// The open deliveries after a number, up to the first row that can't be read.
    ///
    /// - Returns: What was found; the number of the last of them; and whether that was the end of
    ///   the table.
    func stretch(
        after ordinal: Int64, limit: Int
    ) -> (found: [Change], reached: Int64, isOver: Bool) {
        var found: [Change] = []
        var reached = ordinal
        do throws(StorageError) {
            try next.forEach([.integer(ordinal), .integer(Int64(limit))]) {
                row throws(StorageError) in
                guard let change = Self.change(row) else { return false }
                found.append(change)
                reached = row.integer(0)
                return true
            }
        } catch {
            return (found, reached, false)
        }
        // The one that stopped it is there, but makes no sense.
        let isOver = found.count < limit && (try? hasNothing(after: reached)) == true
        return (found, reached, isOver)
    }

    private func hasNothing(after ordinal: Int64) throws(StorageError) -> Bool {
        try next.first([.integer(ordinal), .integer(1)]) { $0.integer(0) } == nil
    }

    /// One delivery; nil where it is not there or has ended.
    func row(_ ordinal: Int64) -> Result<Change?, StorageError> {
        Result { () throws(StorageError) -> Change? in
            var isThere = false
            var change: Change?
            try single.forEach([.integer(ordinal)]) { row throws(StorageError) in
                isThere = true
                change = Self.change(row)
                return true
            }
            guard isThere, change == nil else { return change }
            throw .damaged(.init("read a delivery", code: 0, reason: "the row makes no sense"))
        }
    }

    /// The tags that lay on readers, up to the first that can't be read.
    func presences() -> [OpenPresence] {
        var found: [OpenPresence] = []
        try? allPresences?.forEach([]) { row throws(StorageError) in
            found.append(OpenPresence(row))
            return true
        }
        return found
    }

    /// A row as it enters another outbox; nil where it lacks what a delivery needs.
    ///
    /// Without its account it would go to another's, so such a row can't be used either.
    private static func change(_ row: borrowing Row) -> Change? {
        let account = row.optionalText(4)
        guard !row.isNull(1), !row.isNull(2), !row.isNull(5), !row.isNull(6),
            row.isNull(3) == (account == nil)
        else { return nil }
        let delivery = Delivery(
            id: row.text(1), identifier: row.text(2), payload: row.bytes(5),
            moment: Moment(row, from: 8), clockTrusted: row.integer(7) != 0, origin: row.bytes(6),
            account: account)
        var change = Change(delivery: delivery)
        if row.text(11) == "attention" {
            change.outcome = .attention(
                id: delivery.id, error: row.optionalText(12) ?? "",
                code: row.optionalText(13) ?? "UNKNOWN")
        }
        return change
    }
}
