/// A scan to be delivered to the API.
package struct Delivery: Sendable, Hashable {
    /// The scan's id.
    package let id: String
    /// The instance key, by which scans are kept in order.
    package let identifier: String
    /// JSON: what to send.
    package let payload: [UInt8]
    /// When the scan was made.
    package let moment: Moment
    /// Whether the clock could be believed then.
    package let clockTrusted: Bool
    /// JSON: who ordered it.
    package let origin: [UInt8]
    /// The `sub` of the token at the time; nil where there was none, which matches every token.
    package let account: String?

    package init(
        id: String, identifier: String, payload: [UInt8], moment: Moment, clockTrusted: Bool,
        origin: [UInt8], account: String?
    ) {
        self.id = id
        self.identifier = identifier
        self.payload = payload
        self.moment = moment
        self.clockTrusted = clockTrusted
        self.origin = origin
        self.account = account
    }
}

/// A delivery that waits in the outbox.
package struct DeliveryRow: Sendable, Hashable {
    package let delivery: Delivery
    /// Its place in the order of acceptance.
    package let ordinal: Int64
    package let failures: Failures
    /// Until when it is held, CLOCK_BOOTTIME of this boot in nanoseconds.
    package let heldUntilBootNanoseconds: UInt64?
    /// What the last attempt failed with.
    package let error: String?
    /// The first resolution published for the scan, whichever process published it.
    package let firstAnswer: FirstAnswer?

    /// A scan's first resolution.
    package struct FirstAnswer: Sendable, Hashable {
        package let seq: Int64
        /// The event itself, unless it has been pruned.
        package let event: StoredEvent?
    }
}

/// What came of an attempt to deliver, or what a person decided of a delivery.
package enum DeliveryOutcome: Sendable, Hashable {
    /// The API has it.
    case delivered(id: String, moment: Moment)
    /// To be tried again.
    ///
    /// A failure is `counted` where the API was proven up. Until `holdUntilBootNanoseconds`, in
    /// this boot, the delivery and whatever waits behind it for the same identifier are held.
    case failed(
        id: String, error: String, counted: Bool, moment: Moment,
        holdUntilBootNanoseconds: UInt64?)
    /// Refused for good, or failing again and again: a person must look at it.
    ///
    /// The history of the job has it where the `moment` is given.
    case attention(id: String, error: String, code: String, moment: Moment? = nil)
    /// What needed attention is tried again, on its origin's word, which is JSON.
    ///
    /// It goes to the tail of the outbox, or before the scans of its identifier that wait: those
    /// were made later.
    case retried(id: String, moment: Moment, origin: [UInt8])
    /// Given up, on its origin's word, which is JSON.
    case discarded(id: String, moment: Moment, origin: [UInt8])
}

/// How often and for how long a delivery has failed.
package struct Failures: Sendable, Hashable {
    /// Attempts that are over, whatever came of them.
    package private(set) var attempts: Int
    /// The failures while the API was proven up.
    package private(set) var counted: Int
    /// From the first counted failure to the last, in nanoseconds.
    ///
    /// Time between two boots is left out, since no clock is known to have measured it.
    package private(set) var spanNanoseconds: UInt64
    private(set) var lastBootID: String?
    private(set) var lastBootNanoseconds: UInt64

    init(
        attempts: Int, counted: Int, spanNanoseconds: UInt64, lastBootID: String?,
        lastBootNanoseconds: UInt64
    ) {
        self.attempts = attempts
        self.counted = counted
        self.spanNanoseconds = spanNanoseconds
        self.lastBootID = lastBootID
        self.lastBootNanoseconds = lastBootNanoseconds
    }

    /// No attempt yet.
    package static let none = Failures(
        attempts: 0, counted: 0, spanNanoseconds: 0, lastBootID: nil, lastBootNanoseconds: 0)

    /// What holds after one more failure.
    package func adding(counted isCounted: Bool, at moment: Moment) -> Failures {
        var next = self
        next.attempts += 1
        guard isCounted else { return next }
        next.counted += 1
        if lastBootID == moment.bootID, moment.bootNanoseconds > lastBootNanoseconds {
            next.spanNanoseconds += moment.bootNanoseconds - lastBootNanoseconds
        }
        next.lastBootID = moment.bootID
        next.lastBootNanoseconds = moment.bootNanoseconds
        return next
    }
}

/// The outbox as `status` shows it.
package struct OutboxCounts: Sendable, Hashable {
    /// Deliveries of scans that are still open.
    package let scans: Int
    /// Jobs of every kind that need a person.
    package let attention: Int
    /// When the oldest open delivery was made.
    package let oldest: Moment?
    /// The database and its write-ahead log, in bytes.
    package let bytes: Int64
}
