internal import Storage

/// What the forwarder has to do with decisions about jobs.
extension Forwarder {
    /// A failed attempt that is not in the job's row yet: whether it counts is still open.
    func openFailure(of id: String) -> FailureLedger.Failure? { ledger.failure(of: id) }

    /// Keeps the scans of an identifier from being sent while one of them is decided of.
    ///
    /// - Returns: False where one of them is being sent.
    func reserve(_ identifier: String) -> Bool { lane.reserve(identifier) }

    /// Ends what `reserve` began, and looks at the outbox again.
    func release(_ identifiers: [String]) {
        for identifier in identifiers {
            lane.ended(.nothing(due: nil), scan: nil, identifier: identifier, wasBacklog: false)
        }
        lane.backlogChanged()
        turn()
    }
}
