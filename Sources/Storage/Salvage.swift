internal import Scanning

/// What was carried over from a damaged database into the one in its place.
package struct Rescued: Sendable, Hashable {
    /// Scans that are still to be delivered.
    package var deliveries = 0
    /// Deliveries that need a person.
    package var attention = 0
    /// Tags that lay on readers.
    package var presences = 0
    /// Deliveries that could not be read; nil where nobody knows how many there were.
    package var unreadable: Int?
}

/// Reads what must not be lost out of a database that is not sound, row by row.
///
/// Those are the deliveries that have not ended and the tags that lie on readers. Each row is
/// looked for by its number, so that a page that can't be read costs the rows on it alone. Nothing
/// is changed in the database; a row that is in the other one already stays as it is there, so
/// that a rescue which was ended half-way can be done again.
struct Salvage {
    private let rows: SalvageRows
    private let database: Database
    private var rescued = Rescued()
    private var pending: [Change] = []

    /// Rows in one transaction.
    private static let groupLimit = 256
    /// Numbers that are tried one by one, at most: about a second's work.
    private static let mostTries = 1_000_000

    /// Carries over what can be read.
    ///
    /// Blocks for the disk, in proportion to what waits.
    ///
    /// - Parameters:
    ///   - connection: The damaged database.
    ///   - database: The one that takes its place.
    /// - Returns: What was carried over and what was not.
    /// - Throws: `StorageError` where the database in its place can't be written.
    static func rescue(
        from connection: borrowing Connection, into database: Database
    ) throws(StorageError) -> Rescued {
        guard let rows = try? SalvageRows(on: connection) else { return Rescued() }
        var salvage = Salvage(rows: rows, database: database)
        let isWhole = try salvage.deliveries()
        try salvage.flush()
        salvage.count(isWhole: isWhole)
        try salvage.presences()
        return salvage.rescued
    }

    private init(rows: SalvageRows, database: Database) {
        self.rows = rows
        self.database = database
    }

    /// Carries the deliveries over, in their order.
    ///
    /// - Returns: Whether every row could be read.
    private mutating func deliveries() throws(StorageError) -> Bool {
        var cursor: Int64 = 0
        var isWhole = true
        var tries = Self.mostTries
        while true {
            let (found, reached, isOver) = rows.stretch(after: cursor, limit: Self.groupLimit)
            try add(found)
            cursor = reached
            if isOver { return isWhole }
            guard found.count < Self.groupLimit else { continue }
            isWhole = false
            guard let next = try stepOver(cursor, &tries) else { return false }
            cursor = next
        }
    }

    /// Looks for single rows until it is past those that can't be read.
    ///
    /// - Returns: The number after which reading on makes sense; nil where there is none.
    private mutating func stepOver(
        _ cursor: Int64, _ tries: inout Int
    ) throws(StorageError) -> Int64? {
        let last = rows.lastOrdinal ?? .max
        var ordinal = cursor
        var hasFailed = false
        while ordinal < last, tries > 0 {
            ordinal += 1
            tries -= 1
            switch rows.row(ordinal) {
            case .success(let row):
                try add([row].compactMap { $0 })
                if hasFailed { return ordinal }
            case .failure: hasFailed = true
            }
        }
        return nil
    }

    private mutating func add(_ found: [Change]) throws(StorageError) {
        for change in found {
            if case .attention = change.outcome {
                rescued.attention += 1
            } else {
                rescued.deliveries += 1
            }
        }
        pending += found
        if pending.count >= Self.groupLimit { try flush() }
    }

    private mutating func flush() throws(StorageError) {
        guard !pending.isEmpty else { return }
        _ = try database.commit(pending)
        pending = []
    }

    /// Says how many are missing, by the count that the damaged database kept itself.
    private mutating func count(isWhole: Bool) {
        let found = rescued.deliveries + rescued.attention
        if let open = rows.openDeliveries {
            rescued.unreadable = max(0, open - found)
        } else if isWhole {
            rescued.unreadable = 0
        }
    }

    private mutating func presences() throws(StorageError) {
        let presences = rows.presences()
        _ = try database.commit(presences.map { Change(presence: .opened($0)) })
        rescued.presences = presences.count
    }
}
