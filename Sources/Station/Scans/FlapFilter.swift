/// Tells tags that come and go all the time, at the edge of a reader's field or under a loose
/// contact, from tags that somebody puts down.
///
/// A tag that arrives at one reader more than `limit` times within the window is left out until it
/// has neither come nor gone for as long. All times are CLOCK_BOOTTIME in nanoseconds.
struct FlapFilter {
    /// Within which the arrivals count, and how long it must be quiet.
    static let window: UInt64 = 3_000_000_000
    /// How many tags are followed at once.
    ///
    /// Beyond it those that moved longest ago are forgotten, but for those that are left out; where
    /// there are only such, others are scans.
    static let tagLimit = 256

    /// What makes a tag the same again.
    ///
    /// A UID that is another at each tap is none: where the tag has nothing else, its bytes alone
    /// tell.
    struct Tag: Hashable {
        let device: String
        let uid: String?
        let digest: String
    }

    /// What an arrival is.
    enum Verdict: Equatable {
        case scan
        /// The first one that is left out.
        case suppressedNow
        case suppressed
    }

    /// A tag that was left out and is quiet now.
    struct Ended: Equatable {
        let device: String
        /// How many arrivals were left out.
        let count: Int
    }

    private struct Movements {
        /// Of the last arrivals that were scans, at most `limit`.
        var arrivals: [UInt64] = []
        var last: UInt64
        var suppressed = 0
    }

    /// How many arrivals within the window are scans; 0 for all.
    var limit: Int
    private var tags: [Tag: Movements] = [:]

    /// - Parameter limit: How many arrivals within the window are scans; 0 for all.
    init(limit: Int) {
        self.limit = limit
    }

    /// How many tags are followed now.
    var count: Int { tags.count }

    /// A tag has come.
    mutating func arrived(_ tag: Tag, at time: UInt64) -> Verdict {
        guard limit > 0 else { return .scan }
        if tags[tag] == nil {
            makeRoom()
            guard tags.count < Self.tagLimit else { return .scan }
        }
        var movements = tags[tag] ?? Movements(last: time)
        defer { tags[tag] = movements }
        movements.last = max(movements.last, time)
        if movements.suppressed > 0 {
            movements.suppressed += 1
            return .suppressed
        }
        movements.arrivals.removeAll { Self.isOver($0, at: time) }
        guard movements.arrivals.count < limit else {
            movements.suppressed = 1
            return .suppressedNow
        }
        movements.arrivals.append(time)
        return .scan
    }

    /// A tag has gone.
    mutating func departed(_ tag: Tag, at time: UInt64) {
        guard let last = tags[tag]?.last else { return }
        tags[tag]?.last = max(last, time)
    }

    /// Forgets the tags that are quiet now.
    ///
    /// - Returns: Those that were left out.
    mutating func quiet(at time: UInt64) -> [Ended] {
        let quiet = tags.filter { Self.isOver($0.value.last, at: time) }
        for tag in quiet.keys { tags[tag] = nil }
        return quiet.filter { $0.value.suppressed > 0 }
            .sorted { $0.value.last < $1.value.last }
            .map { Ended(device: $0.key.device, count: $0.value.suppressed) }
    }

    /// When a tag that is left out will be quiet, if it does not move.
    var nextQuiet: UInt64? {
        tags.values.filter { $0.suppressed > 0 }.map { $0.last + Self.window }.min()
    }

    private mutating func makeRoom() {
        guard tags.count >= Self.tagLimit else { return }
        let told = tags.lazy.filter { $0.value.suppressed == 0 }
        if let oldest = told.min(by: { $0.value.last < $1.value.last }) { tags[oldest.key] = nil }
    }

    private static func isOver(_ moment: UInt64, at time: UInt64) -> Bool {
        time >= moment && time - moment >= window
    }
}
