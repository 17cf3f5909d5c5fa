internal import Platform

/// A second connection on a thread of its own, beside the one that writes.
///
/// It replays the log and copies the write-ahead log back into the database while commits go on:
/// neither a hundred subscribers that catch up nor a slow disk's checkpoint holds up a scan.
actor ReadSide {
    private let executor = ThreadExecutor(name: "store reader")
    private var reader: LogReader?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ reader: sending LogReader? = nil) {
        self.reader = reader
    }

    deinit {
        executor.stop()
    }

    /// Takes another connection, after the one before was closed.
    func open(_ reader: sending LogReader) {
        self.reader = reader
    }

    /// Ends the connection; whatever is asked later throws `closed`.
    func close() {
        reader = nil
    }

    /// A stretch of the log after a seq, and what the log held at that moment.
    func events(
        after seq: Int64, limit: Int, maxBytes: Int
    ) throws(StorageError) -> EventPage {
        guard let reader else { throw .closed }
        return try reader.events(after: seq, limit: limit, maxBytes: maxBytes)
    }

    /// Some jobs of the outbox; see `Store.jobs`.
    func jobs(
        _ filter: JobFilter, after ordinal: Int64, limit: Int
    ) throws(StorageError) -> JobPage {
        guard let reader else { throw .closed }
        return try reader.jobs(filter, after: ordinal, limit: limit)
    }

    /// One job of the outbox with what happened to it.
    func job(_ id: String) throws(StorageError) -> (job: JobRow, history: [JobAttempt])? {
        guard let reader else { throw .closed }
        return try reader.job(id)
    }

    /// Copies the write-ahead log back into the database; blocks this thread for the disk.
    func copyBack() throws(StorageError) -> CheckpointResult {
        guard let reader else { throw .closed }
        return try reader.connection.checkpoint()
    }
}
