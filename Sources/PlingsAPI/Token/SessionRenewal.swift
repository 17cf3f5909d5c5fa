internal import Scanning

/// Decides when a session is renewed and whether its access token may be sent.
///
/// A value without clock, network or disk. Times are nanoseconds of CLOCK_BOOTTIME, which counts a
/// suspended machine too and which no correction of the wall clock moves.
package struct SessionRenewal: Sendable, Equatable {
    // All times and shares stand here.

    /// The part of an access token's life after which it is renewed: a quarter of it is left for an
    /// auth server that is down.
    static let renewalShare = 0.75
    /// The part of its life by which the renewal may come earlier, so that the stations of one site
    /// do not all come at once.
    static let spread = 0.1
    /// How long before its end a token is sent no more: at most this, and a twentieth of its life.
    static let margin = Duration.seconds(10)
    /// How soon after one renewal that a refused token caused another such may follow; half of the
    /// token's life where that is less.
    static let quietTime = Duration.seconds(300)
    /// The back-off while the token is still good.
    private static let calmBackOff = BackOff(first: .seconds(1), cap: .seconds(60))
    /// The longest wait while scans wait for the renewal.
    static let urgentCap = Duration.seconds(15)
    /// How soon after an attempt a new scan may cause the next.
    static let provocationGap = Duration.seconds(1)

    /// What may be done with the access token now.
    package enum Standing: Sendable, Equatable {
        case loggedOut
        /// It may be sent.
        case good
        /// There is none that may be sent; a renewal is on its way.
        case renewing
        /// The renewal fails for a reason that time may mend.
        case unreachable(String)
        /// The renewal fails for a reason that a person must mend.
        case blocked(String)
        /// The session has ended: only a login helps.
        case ended(String)
    }

    private enum Phase: Sendable, Equatable {
        case loggedOut
        case active
        case ended(String)
    }

    private struct Trouble: Sendable, Equatable {
        let reason: String
        let needsPerson: Bool
    }

    private var phase = Phase.loggedOut
    private var lifetime: UInt64 = 0
    private var goodUntil: UInt64 = 0
    private var renewAt: UInt64 = 0
    private var isUnderWay = false
    private var nextAttempt: UInt64 = 0
    private var lastAttempt: UInt64?
    private var refusedAt: UInt64?
    private var hasRetriedAtOnce = false
    private var trouble: Trouble?
    private var backOff = SessionRenewal.calmBackOff

    package init() {}

    // MARK: What happens

    /// A session was issued and is stored.
    ///
    /// - Parameters:
    ///   - lifetime: How long the access token is good.
    ///   - asked: When it was asked for.
    ///   - jitter: 0 to 1.
    package mutating func issued(lifetime: Duration, asked: UInt64, jitter: Double) {
        let refusedAt = phase == .active ? refusedAt : nil
        self = SessionRenewal()
        phase = .active
        self.refusedAt = refusedAt
        self.lifetime = Self.nanoseconds(lifetime)
        let margin = min(Self.nanoseconds(Self.margin), self.lifetime / 20)
        goodUntil = asked + self.lifetime - margin
        let share = Self.renewalShare - Self.spread * min(1, max(0, jitter))
        renewAt = asked + UInt64(Double(self.lifetime) * share)
    }

    /// A session of an earlier boot was found: how old it is only the wall clock could say.
    ///
    /// It is renewed at once. Until then its token is sent for as long as that clock gives it, and
    /// for its whole life where that clock must be wrong.
    ///
    /// - Parameters:
    ///   - lifetime: How long the access token was good.
    ///   - left: How much of it is left by the wall clock; negative where nothing is.
    ///   - now: Now.
    package mutating func found(lifetime: Duration, left: Duration, now: UInt64) {
        issued(lifetime: lifetime, asked: now, jitter: 0)
        renewAt = now
        goodUntil = min(goodUntil, now + Self.nanoseconds(left))
    }

    /// There is no session any more.
    package mutating func loggedOut() {
        self = SessionRenewal()
    }

    /// A scan was made: where it waits for the renewal, that is tried soon.
    package mutating func scanned(now: UInt64) {
        guard phase == .active, !isUnderWay, trouble?.needsPerson == false, now >= goodUntil
        else { return }
        let earliest = (lastAttempt ?? 0) + Self.nanoseconds(Self.provocationGap)
        nextAttempt = min(nextAttempt, max(now, earliest))
    }

    /// The API refused the access token.
    ///
    /// - Returns: Whether a renewal is under way or begins now; false where that has just not
    ///   helped, or can't.
    package mutating func refused(now: UInt64) -> Bool {
        guard phase == .active else {
            goodUntil = 0
            return false
        }
        if isUnderWay || goodUntil == 0 {
            goodUntil = 0
            return true
        }
        let quiet = min(Self.nanoseconds(Self.quietTime), lifetime / 2)
        if let refusedAt, now < refusedAt + quiet { return false }
        refusedAt = now
        goodUntil = 0
        renewAt = min(renewAt, now)
        return true
    }

    /// A renewal failed.
    ///
    /// - Parameters:
    ///   - failure: How.
    ///   - now: Now.
    ///   - jitter: 0 to 1 of the wait.
    package mutating func failed(_ failure: AuthFailure, now: UInt64, jitter: Double) {
        isUnderWay = false
        switch failure {
        case .refused(let code): phase = .ended(code)
        case .aborted: nextAttempt = now + Self.nanoseconds(backOff.failed(fraction: 1))
        case .unanswered where !hasRetriedAtOnce:
            // The server may have renewed it and its answer been lost: for some seconds it gives
            // the same answer again.
            hasRetriedAtOnce = true
            nextAttempt = now
        case .unanswered(let reason): wait(reason, now, jitter)
        case .unclear(let reason, let after), .limited(let reason, let after):
            wait(reason, now, jitter, atLeast: after)
        case .key(let reason): wait(reason, now, jitter, needsPerson: true)
        }
    }

    /// The renewed session can't be stored, and so is not used yet.
    package mutating func notStored(reason: String, now: UInt64, jitter: Double) {
        isUnderWay = false
        wait("the session can't be stored: \(reason)", now, jitter)
    }

    private mutating func wait(
        _ reason: String, _ now: UInt64, _ jitter: Double, atLeast: Duration? = nil,
        needsPerson: Bool = false
    ) {
        trouble = Trouble(reason: reason, needsPerson: needsPerson)
        var wait = Self.nanoseconds(backOff.failed(fraction: jitter))
        if now >= goodUntil, !needsPerson { wait = min(wait, Self.nanoseconds(Self.urgentCap)) }
        nextAttempt = now + max(wait, atLeast.map(Self.nanoseconds) ?? 0)
        // A server that named a time is not provoked before it.
        lastAttempt = atLeast == nil ? now : nextAttempt
    }

    // MARK: What to do

    /// Whether to begin a renewal now; it then counts as begun.
    package mutating func begins(now: UInt64) -> Bool {
        guard phase == .active, !isUnderWay, max(renewAt, nextAttempt) <= now else { return false }
        isUnderWay = true
        lastAttempt = now
        return true
    }

    /// When to ask again although nothing happened; nil where nothing will change by itself.
    package func wakeTime(now: UInt64) -> UInt64? {
        guard phase != .loggedOut else { return nil }
        var times: [UInt64] = []
        if phase == .active, !isUnderWay { times.append(max(renewAt, nextAttempt)) }
        if now < goodUntil { times.append(goodUntil) }
        return times.min()
    }

    /// What may be done with the access token.
    package func standing(now: UInt64) -> Standing {
        switch phase {
        case .loggedOut: return .loggedOut
        case .active where now < goodUntil, .ended where now < goodUntil: return .good
        case .ended(let reason): return .ended(reason)
        case .active: break
        }
        guard let trouble else { return .renewing }
        return trouble.needsPerson ? .blocked(trouble.reason) : .unreachable(trouble.reason)
    }

    /// Why the latest renewal failed, while that is so.
    package var complaint: String? {
        if case .ended(let reason) = phase { return reason }
        return trouble?.reason
    }

    private static func nanoseconds(_ duration: Duration) -> UInt64 {
        UInt64(max(0, duration / .nanoseconds(1)))
    }
}
