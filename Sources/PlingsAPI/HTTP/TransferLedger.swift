/// Names one request for as long as it runs.
struct TransferID: Hashable, Sendable {
    let value: UInt64
}

/// Who waits for what: the part of the transport that its callers and its thread share.
///
/// A caller is answered exactly once, by the thread: with an answer where it is still in `callers`
/// then, or else as one who was given up.
struct TransferLedger<Caller: Sendable> {
    /// A request that the thread has not yet begun.
    struct Submission: Sendable {
        let id: TransferID
        let request: HTTPRequest
    }

    /// What the thread has to do next.
    struct Work: Sendable {
        var begin: [Submission] = []
        var drop: [TransferID] = []
        /// Callers who are to hear that they were given up.
        var release: [Caller] = []
        var stop = false
    }

    private var lastID: UInt64 = 0
    private var callers: [TransferID: Caller] = [:]
    private var work = Work()

    /// A name for the next request.
    mutating func newID() -> TransferID {
        lastID += 1
        return TransferID(value: lastID)
    }

    /// Takes in a request.
    ///
    /// - Returns: False after `stop`; the caller is then not kept.
    mutating func submit(_ request: HTTPRequest, _ id: TransferID, _ caller: Caller) -> Bool {
        guard !work.stop else { return false }
        callers[id] = caller
        work.begin.append(Submission(id: id, request: request))
        return true
    }

    /// Gives up a request that is not yet answered.
    mutating func abandon(_ id: TransferID) {
        guard let caller = callers.removeValue(forKey: id) else { return }
        work.release.append(caller)
        if let index = work.begin.firstIndex(where: { $0.id == id }) {
            work.begin.remove(at: index)
        } else {
            work.drop.append(id)
        }
    }

    /// Gives up every request.
    mutating func abandonAll() {
        for id in callers.keys.sorted(by: { $0.value < $1.value }) { abandon(id) }
    }

    /// Gives up every request and takes no more.
    mutating func stop() {
        abandonAll()
        work.stop = true
    }

    /// Hands over what has come up since the last time.
    mutating func takeWork() -> Work {
        defer { work = Work(stop: work.stop) }
        return work
    }

    /// Whoever waits for a request that has ended; nil where it was given up.
    mutating func finish(_ id: TransferID) -> Caller? {
        callers.removeValue(forKey: id)
    }
}
