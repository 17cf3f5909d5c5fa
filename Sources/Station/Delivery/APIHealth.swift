internal import Scanning

/// Whether the API can be used, and when to find out: one state for the whole station.
///
/// While it is down one attempt at a time is made, with back-off; the first success ends that.
/// A failure that may be one request's own makes the API suspect: a probe decides.
struct APIHealth {
    enum State: Equatable {
        case notConfigured
        /// Nothing was asked yet.
        case unknown
        case online
        /// One request failed; whether all would, the probe under way will show.
        case suspect
        case offline(String)
        case unauthorised(String)
    }

    /// How long to wait between attempts while the API is down and something waits.
    private static let busyBackOff = BackOff(first: .seconds(1), cap: .seconds(15))
    /// How long to wait while nothing waits to be delivered.
    private static let idleWait: UInt64 = 300_000_000_000
    /// How long to wait where the API asks for fewer requests and does not say for how long.
    private static let limitBackOff = BackOff(first: .seconds(5), cap: .seconds(60))
    /// How long after a pause the next one begins a row of its own.
    private static let limitRow: UInt64 = 60_000_000_000
    /// How often a refused token is tried again unless it changes.
    private static let unauthorisedWait: UInt64 = 30_000_000_000

    private(set) var state: State {
        didSet { if isUp { attemptBegan = nil } }
    }
    /// When the next attempt may be made while the API is down; clock of the caller.
    private(set) var nextAttempt: UInt64 = 0
    /// Until when the API asked to be left alone.
    private(set) var pausedUntil: UInt64 = 0
    private var backOff = APIHealth.busyBackOff
    private var limitBackOff = APIHealth.limitBackOff
    /// Nothing had been answered when it became suspect.
    private var isUnproven = false
    /// There is no token, since the auth server can't be asked.
    private var lacksToken = false
    /// When the attempt under way to find out began.
    private var attemptBegan: UInt64?

    init(configured: Bool) {
        state = configured ? .unknown : .notConfigured
    }

    /// Whether requests go out as they come; otherwise one attempt at a time finds out.
    var isUp: Bool { state == .online || state == .unknown }

    /// Whether there is something to tell: nothing is while the first request has not shown yet
    /// whether the API answers.
    var isKnown: Bool { state != .unknown && !(state == .suspect && isUnproven) }

    /// The state as it is published.
    var published: APIEvent {
        switch state {
        case .notConfigured: APIEvent(state: .notConfigured, reason: nil)
        case .suspect where isUnproven, .unknown: APIEvent(state: .offline, reason: "not asked yet")
        case .online, .suspect: APIEvent(state: .online, reason: nil)
        case .offline(let reason): APIEvent(state: .offline, reason: reason)
        case .unauthorised(let reason): APIEvent(state: .unauthorised, reason: reason)
        }
    }

    /// The API answered a request, whatever the answer was.
    ///
    /// A pause that it asked for stands: the request may have been sent before.
    mutating func answered() {
        state = .online
        backOff.succeeded()
    }

    /// A request failed in a way that says nothing about the others yet.
    mutating func doubted(now: UInt64) {
        guard isUp else { return }
        isUnproven = state == .unknown
        state = .suspect
        nextAttempt = now
    }

    /// An attempt to find out whether the API is back begins.
    mutating func attempting(now: UInt64) {
        attemptBegan = now
    }

    /// The API could not be reached or did not answer as one.
    ///
    /// The wait counts from the beginning of the attempt: one that hung has waited already, and an
    /// API that is back is found within the longest wait, however long attempts took to fail.
    ///
    /// - Parameters:
    ///   - reason: What the operator is told.
    ///   - now: Nanoseconds of the monotonic clock.
    ///   - jitter: 0 to 1 of the wait.
    ///   - waiting: Whether anything waits to be delivered.
    ///   - retryAfter: For how long it asks to be left alone, by new scans too.
    mutating func failed(
        reason: String, now: UInt64, jitter: Double, waiting: Bool, retryAfter: Duration? = nil
    ) {
        state = .offline(reason)
        let began = attemptBegan ?? now
        attemptBegan = nil
        let pause = backOff.bound.nanoseconds / 10
        let wait = backOff.failed(fraction: jitter).nanoseconds
        let longest = waiting ? wait : max(wait, UInt64(jitter * Double(Self.idleWait)))
        nextAttempt = max(began + longest, now + pause)
        if let retryAfter { pausedUntil = max(pausedUntil, now + retryAfter.nanoseconds) }
    }

    /// There is no token to ask the API with, through no fault of the API's or the operator's.
    mutating func lacksToken(reason: String) {
        state = .offline(reason)
        lacksToken = true
    }

    /// Something came to be delivered, so that the wait for an idle station is too long.
    mutating func workArrived(now: UInt64) {
        guard case .offline = state else { return }
        nextAttempt = min(nextAttempt, now + backOff.bound.nanoseconds)
    }

    /// The API asked for a pause.
    ///
    /// - Parameters:
    ///   - now: Nanoseconds of the monotonic clock.
    ///   - retryAfter: For how long; without it pauses that follow one another grow.
    ///   - jitter: 0 to 1 of a pause of our own choice.
    mutating func limited(now: UInt64, retryAfter: Duration?, jitter: Double = 1) {
        state = .online
        if now > pausedUntil + Self.limitRow { limitBackOff.succeeded() }
        if let retryAfter {
            pausedUntil = max(pausedUntil, now + retryAfter.nanoseconds)
        } else if now >= pausedUntil {
            // Several that were under way together are one refusal.
            pausedUntil = now + limitBackOff.failed(fraction: jitter).nanoseconds
        }
    }

    /// The API refused the token, or there is none.
    mutating func unauthorised(reason: String, now: UInt64) {
        state = .unauthorised(reason)
        nextAttempt = now + Self.unauthorisedWait
    }

    /// Another token is there: it is tried at once.
    mutating func tokenChanged(now: UInt64) {
        guard state != .notConfigured else { return }
        if case .unauthorised = state { state = .unknown }
        if lacksToken { state = .unknown }
        lacksToken = false
        nextAttempt = now
    }
}

extension Duration {
    /// Whole nanoseconds, never negative.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
