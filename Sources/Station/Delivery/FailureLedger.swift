internal import Scanning
internal import Storage

/// Failed deliveries of which is not yet known whether they failed alone.
///
/// A failure counts against a scan only once the API is proven up after it, by an answer to
/// anything else. Ten counted ones over at least fifteen minutes end it.
struct FailureLedger {
    /// How many counted failures end a delivery, and over what span at least.
    static let limit = 10
    static let span: UInt64 = 900_000_000_000
    /// The most failures that are remembered; beyond it the oldest pass as uncounted.
    static let capacity = 64
    /// How long a scan that fails by itself is left alone; its identifier waits with it.
    private static let hold = BackOff(first: .seconds(2), cap: .seconds(120))

    /// A failure whose nature is to be decided.
    struct Failure: Equatable {
        let row: DeliveryRow
        let error: String
        /// When it failed.
        let moment: Moment
    }

    /// What the station is to do about a failure that counts.
    enum Verdict: Equatable {
        /// Held so long in nanoseconds.
        case counted(holdNanoseconds: UInt64)
        /// Counted for the last time.
        case repeatedlyFailing
    }

    private var pending: [Failure] = []

    /// Notes a failure.
    ///
    /// - Returns: Failures that are now known not to count.
    mutating func failed(_ failure: Failure) -> [Failure] {
        var settled = pending.filter { $0.row.delivery.id == failure.row.delivery.id }
        pending.removeAll { $0.row.delivery.id == failure.row.delivery.id }
        pending.append(failure)
        if pending.count > Self.capacity { settled.append(pending.removeFirst()) }
        return settled
    }

    /// The failure of a delivery that is not settled yet.
    func failure(of id: String) -> Failure? { pending.last { $0.row.delivery.id == id } }

    /// The API answered something: all failures but that delivery's own count.
    mutating func proven(by id: String?) -> [Failure] {
        let counted = pending.filter { $0.row.delivery.id != id }
        pending = []
        return counted
    }

    /// Judges a failure that counts.
    static func verdict(on failures: Failures, at moment: Moment) -> Verdict {
        let after = failures.adding(counted: true, at: moment)
        if after.counted >= limit, after.spanNanoseconds >= span { return .repeatedlyFailing }
        var hold = hold
        for _ in 1..<max(1, min(after.counted, 16)) { _ = hold.failed(fraction: 1) }
        return .counted(holdNanoseconds: hold.bound.nanoseconds)
    }
}
