/// Spreads deliveries so that the tag gateway's limit is kept, with a share kept for live scans.
///
/// At most `perMinute` sends fall into any 60 seconds. The backlog takes part only while its own
/// share is not used up, spread evenly: one that is late by a moment does not put off all later
/// ones, so that a busy machine keeps the pace.
/// Where the API asks for fewer all the same, others at this address may share the limit: the pace
/// is halved, at most to a quarter, and comes back by a tenth of the whole each minute.
/// Source: the public tag gateway accepts 100 scans a minute from one address.
struct Pace {
    private static let window: UInt64 = 60_000_000_000
    private static let slowest = 0.25
    private static let recovery = 0.1
    /// How late a send may be whose successor keeps its time; later ones begin a new row.
    private static let lateness: UInt64 = 1_000_000_000

    private var perMinute: Int
    private var liveShare: Double
    /// The part of the whole pace that was left at `limitedAt`.
    private var share = 1.0
    private var limitedAt: UInt64 = 0
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
        self.liveShare = liveShare
    }

    /// The API asked for fewer requests.
    mutating func limited(at now: UInt64) {
        share = max(Self.slowest, share(at: now) / 2)
        limitedAt = now
    }

    private func share(at now: UInt64) -> Double {
        let minutes = (now - min(now, limitedAt)) / Self.window
        return min(1, share + Self.recovery * Double(minutes))
    }

    private func limit(at now: UInt64, backlog: Bool) -> Int {
        let whole = Double(perMinute) * share(at: now)
        return max(1, Int(backlog ? whole * (1 - liveShare) : whole))
    }

    /// Between two sends of the backlog.
    private func spacing(at now: UInt64) -> UInt64 {
        Self.window / UInt64(limit(at: now, backlog: true))
    }

    /// Takes another speed; what was sent before still counts.
    mutating func change(perMinute: Int, liveShare: Double) {
        self.perMinute = max(1, perMinute)
        self.liveShare = liveShare
    }

    /// Counts a send.
    mutating func sent(at now: UInt64, backlog: Bool) {
        forget(before: now)
        sent.append(now)
        if backlog { lastBacklog = due(at: now) }
    }

    /// When a send of the backlog was due that goes now.
    private func due(at now: UInt64) -> UInt64 {
        guard let lastBacklog, case let due = lastBacklog + spacing(at: now), due <= now,
            now - due <= Self.lateness
        else { return now }
        return due
    }

    /// When the next send is allowed, in nanoseconds of the caller's clock; `now` where it is.
    mutating func nextSend(at now: UInt64, backlog: Bool) -> UInt64 {
        forget(before: now)
        let limit = limit(at: now, backlog: backlog)
        var next = now
        if sent.count >= limit { next = sent[sent.count - limit] + Self.window }
        if backlog, let lastBacklog { next = max(next, lastBacklog + spacing(at: now)) }
        return next
    }

    private mutating func forget(before now: UInt64) {
        let gone = sent.prefix { $0 + Self.window <= now }.count
        if gone > 0 { sent.removeFirst(gone) }
    }
}
