/// The table `presence`: the tags that lie on readers.
struct PresenceTable {
    private let names: NameTables
    private let open: Statement
    private let close: Statement
    private let all: Statement

    private static let openPresence = SQL(
        "open presence",
        """
        INSERT OR REPLACE INTO presence
            (scan, device, reader, medium, uid, contents, at, boot, boot_ns)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """)
    private static let closePresence = SQL(
        "close presence", "DELETE FROM presence WHERE scan = ?1")
    // A scan's id begins with its time, so this is the order of arrival.
    static let selectAll = SQL(
        "read presences",
        """
        SELECT scan, device, reader, medium, uid, contents,
            at, (SELECT boot_id FROM boot WHERE id = boot), boot_ns
        FROM presence ORDER BY scan
        """)

    init(
        on connection: borrowing Connection, _ names: NameTables
    ) throws(StorageError) {
        self.names = names
        open = try connection.prepare(Self.openPresence)
        close = try connection.prepare(Self.closePresence)
        all = try connection.prepare(Self.selectAll)
    }

    func apply(_ change: PresenceChange) throws(StorageError) {
        switch change {
        case .opened(let presence):
            let values: [SQLValue] = [
                .text(presence.scan), .text(presence.device), .utf8(presence.reader),
                .text(presence.medium), SQLValue(presence.uid), .text(presence.contents),
            ]
            try open.run(values + names.values(for: presence.moment))
        case .closed(let scan):
            try close.run([.text(scan)])
        }
    }

    /// Every tag that lay on a reader when the store last heard.
    func everything() throws(StorageError) -> [OpenPresence] {
        var found: [OpenPresence] = []
        try all.forEach([]) { row throws(StorageError) in
            found.append(OpenPresence(row))
            return true
        }
        return found
    }
}

extension OpenPresence {
    /// The presence in the columns of `PresenceTable.selectAll`.
    init(_ row: borrowing Row) {
        self.init(
            scan: row.text(0), device: row.text(1), reader: row.bytes(2), medium: row.text(3),
            uid: row.optionalText(4), contents: row.text(5), moment: Moment(row, from: 6))
    }
}
