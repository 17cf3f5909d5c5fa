package import Scanning

/// What happened to a job at one time.
package struct JobAttempt: Sendable, Hashable {
    package let at: Timestamp
    package let result: Result
    /// What was answered, or what went wrong, in words.
    package let cause: String?
    /// JSON: who decided, where somebody did.
    package let origin: [UInt8]?

    /// What came of it.
    package enum Result: String, Sendable, CaseIterable {
        case delivered, failed, attention, retried, discarded
    }

    package init(at: Timestamp, result: Result, cause: String? = nil, origin: [UInt8]? = nil) {
        self.at = at
        self.result = result
        self.cause = cause
        self.origin = origin
    }
}

/// The table `attempt`: the latest of what happened to each job.
struct AttemptTable {
    /// How much is kept of one job.
    ///
    /// Older entries go; how often it was tried, its row says.
    static let kept: Int64 = 50
    /// The most characters of a cause.
    private static let causeLimit = 500

    private let insert: Statement
    private let trim: Statement

    private static let insertAttempt = SQL(
        "note attempt",
        """
        INSERT INTO attempt (job, number, at, result, cause, origin)
        SELECT ?1, ifnull(max(number), 0) + 1, ?2, ?3, ?4, ?5 FROM attempt WHERE job = ?1
        """)
    private static let trimAttempts = SQL(
        "forget old attempts",
        """
        DELETE FROM attempt WHERE job = ?1
            AND number <= (SELECT max(number) FROM attempt WHERE job = ?1) - ?2
        """)

    init(on connection: borrowing Connection) throws(StorageError) {
        insert = try connection.prepare(Self.insertAttempt)
        trim = try connection.prepare(Self.trimAttempts)
    }

    /// Notes what happened to a job that is in the outbox.
    func add(
        _ job: String, at time: Timestamp, _ result: JobAttempt.Result, cause: String? = nil,
        origin: [UInt8]? = nil
    ) throws(StorageError) {
        try insert.run([
            .text(job), .integer(time.milliseconds), .text(result.rawValue),
            SQLValue(cause.map { String($0.prefix(Self.causeLimit)) }),
            origin.map(SQLValue.utf8) ?? .null,
        ])
        try trim.run([.text(job), .integer(Self.kept)])
    }
}
