internal import Scanning

/// A table of names that many rows refer to by a small number: accounts, or boots.
///
/// A name of forty bytes in every row and index of a long backlog would double what is to be
/// written. There are few of them, so those in use are remembered.
final class Names {
    private let find: Statement
    private let insert: Statement
    private var known: [String: Int64] = [:]

    /// Names remembered at most; then all are forgotten and looked up again.
    private static let mostKnown = 64

    fileprivate init(_ find: Statement, _ insert: Statement) {
        self.find = find
        self.insert = insert
    }

    /// The number of a name, or nil where no row was ever stored under it.
    func number(of name: String) throws(StorageError) -> Int64? {
        if let number = known[name] { return number }
        guard let number = try find.first([.text(name)], { $0.integer(0) }) else { return nil }
        remember(name, number)
        return number
    }

    /// The number of a name, which gets one where it has none; inside a transaction.
    func makeNumber(of name: String) throws(StorageError) -> Int64 {
        if let number = try number(of: name) { return number }
        guard let number = try insert.first([.text(name)], { $0.integer(0) }) else {
            throw .other(.init("insert name", code: 0, reason: "no number came back"))
        }
        remember(name, number)
        return number
    }

    /// Forgets what is remembered: the transaction that may have made it was rolled back.
    func forget() {
        known.removeAll()
    }

    private func remember(_ name: String, _ number: Int64) {
        if known.count >= Self.mostKnown { forget() }
        known[name] = number
    }
}

/// The two tables of names.
struct NameTables {
    /// The accounts, by the `sub` of their tokens.
    let accounts: Names
    /// The boots, by the kernel's ids for them.
    let boots: Names

    private static let findAccount = SQL(
        "find account", "SELECT id FROM account WHERE sub = ?1")
    private static let insertAccount = SQL(
        "insert account", "INSERT INTO account (sub) VALUES (?1) RETURNING id")
    private static let findBoot = SQL(
        "find boot", "SELECT id FROM boot WHERE boot_id = ?1")
    private static let insertBoot = SQL(
        "insert boot", "INSERT INTO boot (boot_id) VALUES (?1) RETURNING id")

    init(on connection: borrowing Connection) throws(StorageError) {
        accounts = Names(
            try connection.prepare(Self.findAccount), try connection.prepare(Self.insertAccount))
        boots = Names(
            try connection.prepare(Self.findBoot), try connection.prepare(Self.insertBoot))
    }

    /// The value that stands for an account in a row that is to be stored.
    func value(forAccount account: String?) throws(StorageError) -> SQLValue {
        guard let account else { return .null }
        return .integer(try accounts.makeNumber(of: account))
    }

    /// The values of the three columns of an instant: at, boot, boot_ns.
    func values(for moment: Moment) throws(StorageError) -> [SQLValue] {
        [
            .integer(moment.at.milliseconds), .integer(try boots.makeNumber(of: moment.bootID)),
            .integer(Int64(clamping: moment.bootNanoseconds)),
        ]
    }

    /// Forgets every number; see `Names.forget`.
    func forget() {
        accounts.forget()
        boots.forget()
    }
}
