internal import Scanning

/// What came of deliveries since the start.
struct DeliveryCounters {
    /// The API's answers.
    private(set) var outcomes: [ResolutionEvent.Outcome: Int64] = [:]
    /// Attempts that failed and are made again.
    var failures: Int64 = 0

    /// Scans that the API has answered.
    var delivered: Int64 { outcomes.values.reduce(0, +) }

    mutating func answered(_ outcome: ResolutionEvent.Outcome) {
        outcomes[outcome, default: 0] += 1
    }
}
