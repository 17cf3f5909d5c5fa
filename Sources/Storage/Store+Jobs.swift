/// Looking at the outbox; on the thread that reads, beside the commits.
extension Store {
    /// Jobs in the order of the outbox.
    ///
    /// A page may hold fewer than asked for, even none, and still not be the last: only `next`
    /// says that there is no more.
    ///
    /// - Parameters:
    ///   - filter: Which jobs.
    ///   - ordinal: The place after which to begin; 0 for the beginning.
    ///   - limit: How many at most.
    /// - Returns: The jobs, and where to go on.
    /// - Throws: `StorageError`.
    package nonisolated func jobs(
        _ filter: JobFilter, after ordinal: Int64, limit: Int
    ) async throws(StorageError) -> JobPage {
        do throws(StorageError) {
            return try await readSide.jobs(filter, after: ordinal, limit: limit)
        } catch {
            throw noted(error)
        }
    }

    /// A job with what happened to it, oldest first; nil where there is none of that id.
    ///
    /// - Throws: `StorageError`.
    package nonisolated func job(
        _ id: String
    ) async throws(StorageError) -> (job: JobRow, history: [JobAttempt])? {
        do throws(StorageError) {
            return try await readSide.job(id)
        } catch {
            throw noted(error)
        }
    }
}
