internal import LineProtocols
internal import Scanning
internal import Storage

/// A job of the outbox as the protocol shows it.
struct JobReport {
    let row: JobRow
    /// A failed attempt that the row does not know of yet.
    let openFailure: FailureLedger.Failure?
    let now: Moment

    var job: Job {
        var job = Job(
            id: row.id, kind: row.kind, state: state,
            attempts: row.attempts + (openFailure == nil ? 0 : 1),
            by: Self.origin(row.origin, scan: row.id), error: error,
            scan: row.kind == "scan" ? row.id : nil)
        job.at = row.at
        job.nextAttemptAt = nextAttemptAt
        job.dependsOn = row.dependsOn
        return job
    }

    /// The reader whose scan it delivers; nil where the record can't be read.
    var reader: ReaderReference? {
        try? JSONLine.decode(ScanDelivery.self, from: row.payload).reader
    }

    private var state: Job.State {
        row.isHeld(at: now.bootNanoseconds) ? .waiting : Job.State(rawValue: row.state) ?? .queued
    }

    private var error: String? {
        if let openFailure { return openFailure.error }
        guard let code = row.errorCode else { return row.error }
        return [code, row.error].compactMap { $0 }.joined(separator: ": ")
    }

    private var nextAttemptAt: Timestamp? {
        guard row.isHeld(at: now.bootNanoseconds), let until = row.heldUntilBootNanoseconds else {
            return nil
        }
        let wait = Int64(clamping: (until - now.bootNanoseconds) / 1_000_000)
        return now.at.advanced(byMilliseconds: wait)
    }

    /// What happened to the job, oldest first.
    func history(_ attempts: [JobAttempt]) -> [JobHistoryEntry] {
        let entries = attempts.map { attempt in
            JobHistoryEntry(
                at: attempt.at, result: attempt.result.rawValue, cause: attempt.cause,
                by: attempt.origin.flatMap { try? JSONLine.decode(JobOrigin.self, from: $0) })
        }
        guard let openFailure else { return entries }
        let failed = JobAttempt.Result.failed.rawValue
        return entries + [
            JobHistoryEntry(
                at: openFailure.moment.at, result: failed, cause: openFailure.error, by: nil)
        ]
    }

    /// Who ordered a job: a reader's scan is told with the reader.
    static func origin(_ stored: [UInt8], scan: String) -> JobOrigin {
        var origin = (try? JSONLine.decode(JobOrigin.self, from: stored)) ?? JobOrigin()
        if origin.reader != nil { origin.scan = scan }
        return origin
    }
}
