internal import LineProtocols
internal import Platform
internal import Scanning
internal import Storage

/// The methods that look at the outbox and decide of its jobs.
@LoopActor
struct OutboxMethods {
    /// The most jobs of one reply.
    static let pageLimit = 1000
    private static let defaultPage = 100
    /// How many jobs are decided of at once: all of them share one fsync.
    private static let decisionPage = 100
    /// The most bytes of a reply's jobs; with the rest of the line less than 1 MiB.
    private static let byteLimit = 1_000_000

    let store: Store
    let journal: Journal
    let forwarder: Forwarder
    let recorder: EventRecorder

    // MARK: Looking

    func list(_ parameters: JobsParameters) async throws(RequestError) -> JobsResult {
        let limit = parameters.limit ?? Self.defaultPage
        guard 1...Self.pageLimit ~= limit else {
            throw .invalidParameter("limit", "is a number from 1 to \(Self.pageLimit)")
        }
        try mayLook()
        let now = recorder.moment()
        let filter = JobFilter(
            state: parameters.state?.rawValue, kind: parameters.kind,
            bootNanoseconds: now.bootNanoseconds)
        let page = try await page(filter, after: parameters.after, limit: limit)
        var jobs: [Job] = []
        var bytes = 0
        for row in page.jobs {
            let job = report(row, now).job
            bytes += Self.size(of: job)
            // The place of the last one that fits is where the next page begins.
            guard bytes <= Self.byteLimit || jobs.isEmpty else {
                let last = page.jobs[jobs.count - 1].ordinal
                return JobsResult(jobs: jobs, next: String(last))
            }
            jobs.append(job)
        }
        return JobsResult(jobs: jobs, next: page.next.map { String($0) })
    }

    func get(_ parameters: JobParameters) async throws(RequestError) -> JobResult {
        try mayLook()
        let (row, attempts) = try await job(parameters.id)
        let report = report(row, recorder.moment())
        return JobResult(job: report.job, history: report.history(attempts))
    }

    /// A store that looks through its file answers nobody for a while.
    private func mayLook() throws(RequestError) {
        guard journal.isRecovering else { return }
        throw .station(.busy, "the outbox can't be read now: the database is looked through")
    }

    private func report(_ row: JobRow, _ now: Moment) -> JobReport {
        let openFailure = row.state == "queued" ? forwarder.openFailure(of: row.id) : nil
        return JobReport(row: row, openFailure: openFailure, now: now)
    }

    private static func size(of job: Job) -> Int {
        // One comma more; what can't be encoded is never made.
        ((try? JSONLine.encode(job).count) ?? 0) + 1
    }

    private func page(
        _ filter: JobFilter, after: String?, limit: Int
    ) async throws(RequestError) -> JobPage {
        guard let place = after.map({ Int64($0) }) ?? 0, place >= 0 else {
            throw .invalidParameter("after", "is the `next` of an earlier reply")
        }
        do {
            return try await store.jobs(filter, after: place, limit: limit)
        } catch {
            throw Self.unreadable(error)
        }
    }

    private func job(
        _ id: String
    ) async throws(RequestError) -> (job: JobRow, history: [JobAttempt]) {
        let found: (job: JobRow, history: [JobAttempt])?
        do {
            found = try await store.job(id)
        } catch {
            throw Self.unreadable(error)
        }
        guard let found else { throw .station(.notFound, "there is no job of that id") }
        return found
    }

    private static func unreadable(_ error: StorageError) -> RequestError {
        .station(.busy, "the outbox can't be read now: \(error)")
    }

    // MARK: Deciding

    /// Tries again or discards one job, or a page of those that need attention.
    func decide(
        _ decision: JobDecision, _ parameters: DecisionParameters, by origin: JobOrigin
    ) async throws(RequestError) -> JobsResult {
        let force = parameters.force ?? false
        guard let id = parameters.id else {
            guard parameters.state == .attention else {
                let path = parameters.state == nil ? "id" : "state"
                throw .invalidParameter(path, "give an `id`, or the `state` attention")
            }
            let after = parameters.after
            return try await still { () async throws(RequestError) -> JobsResult in
                try await decideAll(decision, after: after, force: force, by: origin)
            }
        }
        guard parameters.state == nil else {
            throw .invalidParameter("state", "goes without an `id`")
        }
        return try await still { () async throws(RequestError) -> JobsResult in
            let row = try await job(id).job
            if let objection = decision.objection(to: row, force: force) { throw objection }
            let jobs = try await carryOut(decision, [row], by: origin)
            guard !jobs.isEmpty else {
                throw .station(.busy, "a scan of the same tag is being sent: try again")
            }
            return JobsResult(jobs: jobs)
        }
    }

    /// Between two commits, so that a job does not change while it is decided of.
    private func still<Value>(
        _ body: @LoopActor () async throws(RequestError) -> Value
    ) async throws(RequestError) -> Value {
        try await journal.whileStill { () async -> Result<Value, RequestError> in
            // Whoever is between two commits holds them all up, and must not wait for a store that
            // looks through its file.
            if let failure = journal.failure {
                return .failure(.station(.full, "the decision can't be stored: \(failure)"))
            }
            do throws(RequestError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private func decideAll(
        _ decision: JobDecision, after: String?, force: Bool, by origin: JobOrigin
    ) async throws(RequestError) -> JobsResult {
        let filter = JobFilter(state: "attention", bootNanoseconds: Clocks.bootNanoseconds())
        let page = try await page(filter, after: after, limit: Self.decisionPage)
        let rows = page.jobs.filter { decision.objection(to: $0, force: force) == nil }
        let taken = Set(rows.map(\.id))
        let left = page.jobs.map(\.id).filter { !taken.contains($0) }
        return JobsResult(
            jobs: try await carryOut(decision, rows, by: origin),
            next: page.next.map { String($0) }, superseded: left.isEmpty ? nil : left)
    }

    /// Stores what was decided, but of none whose identifier is being sent just now.
    ///
    /// - Returns: The jobs as they are afterwards.
    private func carryOut(
        _ decision: JobDecision, _ rows: [JobRow], by origin: JobOrigin
    ) async throws(RequestError) -> [Job] {
        var reserved: [String] = []
        defer { forwarder.release(reserved) }
        let free = rows.filter { row in
            guard let identifier = row.identifier, !reserved.contains(identifier) else {
                return true
            }
            guard forwarder.reserve(identifier) else { return false }
            reserved.append(identifier)
            return true
        }
        do {
            try await journal.commitNow(free.map { change(decision, of: $0, by: origin) })
        } catch {
            throw .station(.full, "the decision can't be stored: \(error)")
        }
        var jobs: [Job] = []
        for row in free { jobs.append(report(try await job(row.id).job, recorder.moment()).job) }
        return jobs
    }

    private func change(_ decision: JobDecision, of row: JobRow, by origin: JobOrigin) -> Change {
        let moment = recorder.moment()
        let stored = (try? JSONLine.encode(origin)) ?? []
        var change = Change(outcome: decision.outcome(of: row.id, at: moment, origin: stored))
        guard decision == .discard else { return change }
        let report = report(row, moment)
        let event = JobEvent(job: report.job.discarded, reader: report.reader)
        change.events = [recorder.draft(.job(event), at: moment.at)]
        return change
    }
}

extension Job {
    /// The job once it was given up.
    fileprivate var discarded: Job {
        var job = Job(
            id: id, kind: kind, state: .discarded, attempts: attempts, by: by, error: error,
            scan: scan)
        job.at = at
        job.dependsOn = dependsOn
        return job
    }
}
