/// Names one request for as long as it runs.
struct TransferID: Hashable, Sendable {
    let value: UInt64
}

/// Who waits for what: the part of the transport that its callers and its thread share.
///
/// A caller is answered exactly once, by whoever takes it out of `callers`: the thread with an
/// answer, or a cancellation. So no caller waits for libcurl, nor for a name server, to let go.
struct TransferLedger<Caller> {
    /// A request that the thread has not yet begun.
    struct Submission {
        let id: TransferID
        let request: HTTPRequest
    }

    /// What the thread has to do next.
    struct Work {
        var begin: [Submission] = []
        var drop: [TransferID] = []
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

    /// Gives up a request.
    ///
    /// - Returns: Whoever waited for it, nil where it was answered before.
    mutating func abandon(_ id: TransferID) -> Caller? {
        guard let caller = callers.removeValue(forKey: id) else { return nil }
        if let index = work.begin.firstIndex(where: { $0.id == id }) {
            work.begin.remove(at: index)
        } else {
            work.drop.append(id)
        }
        return caller
    }

    /// Gives up every request.
    mutating func abandonAll() -> [Caller] {
        callers.keys.sorted { $0.value < $1.value }.compactMap { abandon($0) }
    }

    /// Gives up every request and takes no more.
    mutating func stop() -> [Caller] {
        let waiting = abandonAll()
        work.stop = true
        return waiting
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
