internal import LineProtocols
internal import Scanning
internal import Storage

/// What somebody wants to be done with a job.
enum JobDecision: Equatable {
    case retry, discard

    /// Looks for what speaks against it.
    ///
    /// - Parameters:
    ///   - row: The job.
    ///   - force: Whether what it costs is accepted.
    /// - Returns: Why it can't be done; nil where it can.
    func objection(to row: JobRow, force: Bool) -> RequestError? {
        switch (self, Job.State(rawValue: row.state)) {
        case (.retry, .attention):
            guard row.isSuperseded, !force else { return nil }
            let text = "a later scan of the same tag was delivered: its place would run backwards"
            return .station(.superseded, text)
        case (.discard, .attention): return nil
        case (.discard, .queued):
            let text = "must be true: the delivery was not given up, it is still tried"
            return force ? nil : .invalidParameter("force", text)
        case (.retry, .queued):
            return .invalidParameter("id", "the delivery was not given up: it is still tried")
        case (_, .done): return .invalidParameter("id", "the delivery is done")
        case (_, .discarded): return .invalidParameter("id", "the delivery was discarded")
        case (_, _): return .invalidParameter("id", "nothing can be decided of this job now")
        }
    }

    /// What becomes of the job.
    func outcome(of id: String, at moment: Moment, origin: [UInt8]) -> DeliveryOutcome {
        switch self {
        case .retry: .retried(id: id, moment: moment, origin: origin)
        case .discard: .discarded(id: id, moment: moment, origin: origin)
        }
    }
}
