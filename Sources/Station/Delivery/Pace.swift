/// Spreads deliveries so that the tag gateway's limit is kept, with a share kept for live scans.
///
/// At most `perMinute` sends fall into any 60 seconds. The backlog takes part only while its own
/// share is not used up, and never faster than that share spread evenly.
/// Source: the public tag gateway accepts 100 scans a minute from one address.
struct Pace {
    private static let window: UInt64 = 60_000_000_000

    private var perMinute: Int
    private var backlogPerMinute: Int
    private var backlogSpacing: UInt64
    private var sent: [UInt64] = []
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

    /// Takes another speed; what was sent before still counts.
    mutating func change(perMinute: Int, liveShare: Double) {
        let next = Pace(perMinute: perMinute, liveShare: liveShare)
        self.perMinute = next.perMinute
        backlogPerMinute = next.backlogPerMinute
        backlogSpacing = next.backlogSpacing
    }

    /// Counts a send.
    mutating func sent(at now: UInt64, backlog: Bool) {
        forget(before: now)
        sent.append(now)
        if backlog { lastBacklog = now }
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
