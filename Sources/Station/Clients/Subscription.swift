internal import LineProtocols

/// Where one subscriber stands: which events it wants and which it has been handed.
///
/// It is live, or it reads on from the log because it lags or asked for older events. Events that
/// come meanwhile are left to the log, so memory holds at most `queueLimit` bytes for it.
struct Subscription {
    /// The most bytes that wait in memory for one client.
    static let queueLimit = 1 << 20

    let filter: EventFilter
    /// The last seq that is accounted for.
    private(set) var cursor: Int64
    private(set) var isLive = false
    /// An event that could not be stored yet passed by: once it is stored the log will have it.
    private var missedUnstored = false

    /// Begins after a seq; the log is asked first, also where it has nothing more.
    init(filter: EventFilter, from cursor: Int64) {
        self.filter = filter
        self.cursor = cursor
    }

    /// Whether a live event is to be queued for the client.
    ///
    /// - Parameters:
    ///   - line: The event.
    ///   - queued: The bytes that wait for the client.
    /// - Returns: Whether it passes and there is room; without room the log keeps it.
    mutating func takes(_ line: Hub.Line, queued: Int) -> Bool {
        let isWanted = passes(line)
        let hasRoom = queued + line.bytes.count <= Self.queueLimit
        guard let seq = line.seq else {
            let isTaken = isLive && isWanted && hasRoom
            if isWanted && !isTaken { missedUnstored = true }
            return isTaken
        }
        // What could not be stored before is in the log by now, in front of this event.
        defer { missedUnstored = false }
        guard isLive, seq > cursor else { return false }
        let hasHole = missedUnstored && seq > cursor + 1
        guard !hasHole, hasRoom || !isWanted else {
            isLive = false
            return false
        }
        cursor = seq
        return isWanted
    }

    /// Takes an event that was read from the log.
    mutating func replays(_ line: Hub.Line) -> Bool {
        guard let seq = line.seq, seq > cursor else { return false }
        cursor = seq
        return passes(line)
    }

    /// Goes live if the log has nothing more for it.
    mutating func caughtUp(with last: Int64) -> Bool {
        isLive = cursor >= last
        return isLive
    }

    private func passes(_ line: Hub.Line) -> Bool {
        filter.passes(type: line.type, readerID: line.readerID, readerName: line.readerName)
    }
}
