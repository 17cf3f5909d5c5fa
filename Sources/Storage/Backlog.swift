internal import Scanning

/// Chooses from the table `outbox` which scan is to be delivered next.
///
/// The scans of one identifier go one after the other, so only the heads of their queues are looked
/// at. A scan without an account goes with every token; a token without an account sends every
/// scan; the scans of another account are as if they were not there.
struct Backlog {
    private let names: NameTables
    private let accounts: Statement
    private let others: Statement
    private let ready: Statement
    private let due: Statement
    private let held: Statement
    private let oldest: Statement
    private let oldestHeld: Statement
    private let moment: Statement
    private let row: Statement

    private static let queuedOfOthers = SQL(
        "count other accounts' scans",
        """
        SELECT count(*) FROM outbox
        WHERE kind = 'scan' AND state = 'queued' AND account IS NOT NULL AND account IS NOT ?1
        """)
    private static let allAccounts = SQL("read accounts", "SELECT id FROM account")
    static let readyHeads = SQL(
        "read deliveries that are ready",
        """
        SELECT ordinal, identifier FROM outbox
        WHERE head = 1 AND account IS ?1 AND held_until_ns IS NULL ORDER BY ordinal
        """)
    static let dueHeads = SQL(
        "read deliveries that are due",
        """
        SELECT ordinal, identifier FROM outbox
        WHERE head = 1 AND account IS ?1 AND held_until_ns <= ?2
        """)
    static let heldHeads = SQL(
        "read deliveries that are held",
        """
        SELECT held_until_ns, identifier, ordinal FROM outbox
        WHERE head = 1 AND account IS ?1 AND held_until_ns > ?2 ORDER BY held_until_ns
        """)
    static let oldestScan = SQL(
        "read oldest delivery of an identifier",
        """
        SELECT ordinal FROM outbox WHERE kind = 'scan' AND state = 'queued'
            AND identifier = ?1 AND account IS ?2
        ORDER BY ordinal LIMIT 1
        """)
    static let oldestHeldHead = SQL(
        "read oldest held delivery",
        """
        SELECT min(ordinal) FROM outbox
        WHERE head = 1 AND account IS ?1 AND held_until_ns IS NOT NULL
        """)
    private static let momentOfDelivery = SQL(
        "read time of delivery",
        """
        SELECT at, (SELECT boot_id FROM boot WHERE id = outbox.boot), boot_ns
        FROM outbox WHERE ordinal = ?1
        """)
    static let delivery = SQL(
        "read delivery",
        """
        SELECT job.id, job.identifier, (SELECT sub FROM account WHERE id = job.account),
            job.payload, job.origin, job.clock_trusted,
            job.at, (SELECT boot_id FROM boot WHERE id = job.boot), job.boot_ns,
            job.attempts, job.counted_failures, job.failing_ns,
            (SELECT boot_id FROM boot WHERE id = job.failed_boot), job.failed_ns,
            job.held_until_ns, job.error, job.first_answer,
            event.seq, event.type, event.reader_id, event.reader_name, event.scan, event.body
        FROM outbox AS job LEFT JOIN event ON event.seq = job.first_answer
        WHERE job.ordinal = ?1
        """)

    init(
        on connection: borrowing Connection, _ names: NameTables
    ) throws(StorageError) {
        self.names = names
        accounts = try connection.prepare(Self.allAccounts)
        others = try connection.prepare(Self.queuedOfOthers)
        ready = try connection.prepare(Self.readyHeads)
        due = try connection.prepare(Self.dueHeads)
        held = try connection.prepare(Self.heldHeads)
        oldest = try connection.prepare(Self.oldestScan)
        oldestHeld = try connection.prepare(Self.oldestHeldHead)
        moment = try connection.prepare(Self.momentOfDelivery)
        row = try connection.prepare(Self.delivery)
    }

    /// The oldest delivery that may be sent now.
    func head(
        excluding identifiers: Set<String>, account: String?, bootNanoseconds: UInt64
    ) throws(StorageError) -> DeliveryRow? {
        let accounts = try matching(account)
        let now = SQLValue.integer(Int64(clamping: bootNanoseconds))
        var best: Int64?
        for candidates in accounts {
            let others = accounts.filter { $0 != candidates }
            // The ready ones come in order: the first that will do is the oldest of them.
            try ready.forEach([SQLValue(candidates)]) { row throws(StorageError) in
                let ordinal = row.integer(0)
                guard ordinal < best ?? .max else { return false }
                let identifier = row.text(1)
                if identifiers.contains(identifier) { return true }
                guard try isOldest(ordinal, of: identifier, beside: others) else { return true }
                best = ordinal
                return false
            }
            try due.forEach([SQLValue(candidates), now]) { row throws(StorageError) in
                let ordinal = row.integer(0)
                let identifier = row.text(1)
                guard ordinal < best ?? .max, !identifiers.contains(identifier),
                    try isOldest(ordinal, of: identifier, beside: others)
                else { return true }
                best = ordinal
                return true
            }
        }
        return try delivery(best)
    }

    /// When the first delivery that is held now becomes due.
    func nextDue(
        excluding identifiers: Set<String>, account: String?, bootNanoseconds: UInt64
    ) throws(StorageError) -> UInt64? {
        let accounts = try matching(account)
        let now = SQLValue.integer(Int64(clamping: bootNanoseconds))
        var next: Int64?
        for candidates in accounts {
            let others = accounts.filter { $0 != candidates }
            try held.forEach([SQLValue(candidates), now]) { row throws(StorageError) in
                let identifier = row.text(1)
                guard !identifiers.contains(identifier),
                    try isOldest(row.integer(2), of: identifier, beside: others)
                else { return true }
                next = min(next ?? .max, row.integer(0))
                return false
            }
        }
        return next.map { UInt64(clamping: $0) }
    }

    /// The oldest queued delivery of an identifier, held or not.
    func oldest(
        of identifier: String, account: String?
    ) throws(StorageError) -> DeliveryRow? {
        var best: Int64?
        for candidates in try matching(account) {
            guard let ordinal = try oldestOrdinal(identifier, candidates) else { continue }
            best = min(best ?? .max, ordinal)
        }
        return try delivery(best)
    }

    /// When the oldest queued delivery was made, whoever's it is.
    func oldestMoment() throws(StorageError) -> Moment? {
        var best = Int64.max
        for account in try matching(nil) {
            try ready.forEach([SQLValue(account)]) { row throws(StorageError) in
                best = min(best, row.integer(0))
                return false
            }
            let held = try oldestHeld.first([SQLValue(account)]) { $0.optionalInteger(0) }
            best = min(best, (held ?? nil) ?? .max)
        }
        return try moment.first([.integer(best)]) { Moment($0, from: 0) }
    }

    /// How many queued scans a token of this account leaves alone.
    ///
    /// Rows are counted only where there is more than one account at all.
    func countOfOthers(than account: String?) throws(StorageError) -> Int {
        guard let account else { return 0 }
        let number = try names.accounts.number(of: account)
        let known = try matching(nil).compactMap { $0 }
        guard known.contains(where: { $0 != number }) else { return 0 }
        return Int(try others.first([SQLValue(number)]) { $0.integer(0) } ?? 0)
    }

    /// The accounts whose scans a token of this account sends; nil stands for scans without one.
    private func matching(_ account: String?) throws(StorageError) -> [Int64?] {
        var numbers: [Int64?] = [nil]
        if let account {
            guard let number = try names.accounts.number(of: account) else { return numbers }
            return numbers + [number]
        }
        try accounts.forEach([]) { row throws(StorageError) in
            numbers.append(row.integer(0))
            return true
        }
        return numbers
    }

    /// Whether no other account that counts has an older scan of the identifier.
    private func isOldest(
        _ ordinal: Int64, of identifier: String, beside others: [Int64?]
    ) throws(StorageError) -> Bool {
        for other in others {
            guard let rival = try oldestOrdinal(identifier, other) else { continue }
            if rival < ordinal { return false }
        }
        return true
    }

    private func oldestOrdinal(
        _ identifier: String, _ account: Int64?
    ) throws(StorageError) -> Int64? {
        try oldest.first([.text(identifier), SQLValue(account)]) { $0.integer(0) }
    }

    private func delivery(_ ordinal: Int64?) throws(StorageError) -> DeliveryRow? {
        guard let ordinal else { return nil }
        return try row.first([.integer(ordinal)]) { DeliveryRow($0, ordinal: ordinal) }
    }
}

extension DeliveryRow {
    fileprivate init(_ row: borrowing Row, ordinal: Int64) {
        self.init(
            delivery: Delivery(
                id: row.text(0), identifier: row.text(1), payload: row.bytes(3),
                moment: Moment(row, from: 6), clockTrusted: row.integer(5) != 0,
                origin: row.bytes(4), account: row.optionalText(2)),
            ordinal: ordinal, failures: Failures(row, from: 9),
            heldUntilBootNanoseconds: row.optionalInteger(14).map { UInt64(clamping: $0) },
            error: row.optionalText(15), firstAnswer: FirstAnswer(row, from: 16))
    }
}

extension DeliveryRow.FirstAnswer {
    fileprivate init?(_ row: borrowing Row, from column: Int32) {
        guard let seq = row.optionalInteger(column) else { return nil }
        self.seq = seq
        event = row.isNull(column + 1) ? nil : StoredEvent(row, from: column + 1)
    }
}

extension StoredEvent {
    /// The event in six columns of a row: seq, type, reader_id, reader_name, scan, body.
    init(_ row: borrowing Row, from column: Int32) {
        self.init(
            seq: row.integer(column), type: row.text(column + 1),
            readerID: row.optionalText(column + 2), readerName: row.optionalText(column + 3),
            scan: row.optionalText(column + 4), body: row.bytes(column + 5))
    }
}
