/// Spreads deliveries so that the tag gateway's limit is kept, with a share kept for live scans.
///
/// At most `perMinute` sends fall into any 60 seconds. The backlog takes part only while its own
/// share is not used up, spread evenly: one that is late by a moment does not put off all later ones,
/// so that a busy machine keeps the pace.
/// Source: the public tag gateway accepts 100 scans a minute from one address.
struct Pace {
    private static let window: UInt64 = 60_000_000_000
    /// How late a send may be whose successor keeps its time; later ones begin a new row.
    private static let lateness: UInt64 = 1_000_000_000

    private let perMinute: Int
    private let backlogPerMinute: Int
    private let backlogSpacing: UInt64
    private var sent: [UInt64] = []
    /// When the last of the backlog was due, which is when it was sent or a moment before.
    private var lastBacklog: UInt64?

    /// Makes a pace.
    ///
    /// - Parameters:
    ///   - perMinute: The most scans in any 60 seconds.
    ///   - liveShare: The part of them that the backlog may not take, 0 to 1.
    init(perMinute: Int, liveShare: Double) {
        self.perMinute = max(1, perMinute)
        backlogPerMinute = max(1, Int(Double(perMinute) * (1 - liveShare)))
        backlogSpacing = Self.window / UInt64(backlogPerMinute)
    }

    /// Counts a send.
    mutating func sent(at now: UInt64, backlog: Bool) {
        forget(before: now)
        sent.append(now)
        if backlog { lastBacklog = due(at: now) }
    }

    /// When a send of the backlog was due that goes now.
    private func due(at now: UInt64) -> UInt64 {
        guard let lastBacklog, case let due = lastBacklog + backlogSpacing, due <= now,
            now - due <= Self.lateness
        else { return now }
        return due
    }

    /// When the next send is allowed, in nanoseconds of the caller's clock; `now` where it is.
    mutating func nextSend(at now: UInt64, backlog: Bool) -> UInt64 {
        forget(before: now)
        let limit = backlog ? backlogPerMinute : perMinute
        var next = now
        if sent.count >= limit { next = sent[sent.count - limit] + Self.window }
        if backlog, let lastBacklog { next = max(next, lastBacklog + backlogSpacing) }
        return next
    }

    private mutating func forget(before now: UInt64) {
        let gone = sent.prefix { $0 + Self.window <= now }.count
        if gone > 0 { sent.removeFirst(gone) }
    }
}
