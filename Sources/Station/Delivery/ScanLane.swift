internal import Scanning

/// Decides which scan is delivered next: a value without clock, store or network.
///
/// Live scans go first, up to four of different identifiers at once; older scans of the same
/// identifier go before a live one. The backlog drains behind, one at a time, oldest first. While
/// the API is down one attempt at a time finds out when it is back.
struct ScanLane {
    /// The most live scans under way at once.
    static let liveLimit = 4
    /// The most live scans that are remembered; later ones wait in the store like the rest.
    static let liveQueueLimit = 256

    /// What the edge is to do.
    enum Action: Equatable {
        /// Deliver the oldest queued scan of an identifier.
        case deliver(identifier: String)
        /// Deliver the oldest eligible scan of the backlog, but of none of these identifiers.
        case deliverBacklog(excluding: Set<String>)
        /// Ask the API whether it is there, without any scan.
        case probe
    }

    /// How a delivery ended.
    enum Ending: Equatable {
        /// The API answered it, or refused it for good: it is out of the queue.
        case done
        /// It stays queued.
        case failed
        /// There was nothing to deliver; `due` is when something held falls due.
        case nothing(due: UInt64?)
    }

    private struct Live: Equatable {
        let scan: String
        let identifier: String
    }

    private(set) var health: APIHealth
    private var pace: Pace
    private var live: [Live] = []
    /// Identifiers under way, each with whether it counts as live.
    private var underWay: [String: Bool] = [:]
    private var backlogBusy = false
    private var probing = false
    /// False from the begin of a search on, until something may have come that it did not see.
    private var backlogMayWait = true
    /// The identifiers that the last search left out.
    private var leftOut: Set<String> = []
    private var backlogDue: UInt64?
    /// After a scan failed as the probe, the next probe carries none: the scan may be the cause.
    private var scanProbeFailed = false
    /// A scan was made while the API is down, and has not been tried at once yet.
    private var isProvoked = false
    /// True while outcomes can't be stored: what is sent now would be sent again.
    var isHeld = false

    init(configured: Bool, perMinute: Int, liveShare: Double) {
        health = APIHealth(configured: configured)
        pace = Pace(perMinute: perMinute, liveShare: liveShare)
    }

    /// Changes how fast scans are sent; what was sent in the last minute counts on.
    mutating func changePace(perMinute: Int, liveShare: Double) {
        pace.change(perMinute: perMinute, liveShare: liveShare)
    }

    /// Whether anything is known to wait for delivery.
    var isWaiting: Bool { !live.isEmpty || backlogMayWait || backlogBusy || !underWay.isEmpty }

    /// Changes the health, by one of its own functions.
    mutating func withHealth(_ change: (inout APIHealth) -> Void) { change(&health) }

    /// The API asked for fewer requests: a pause, and a slower pace after it.
    mutating func limited(now: UInt64, retryAfter: Duration?, jitter: Double) {
        if health.pausedUntil <= now { pace.limited(at: now) }
        health.limited(now: now, retryAfter: retryAfter, jitter: jitter)
    }

    // MARK: What happens

    /// A recognised scan was stored just now.
    mutating func scanned(_ scan: String, identifier: String, now: UInt64) {
        health.workArrived(now: now)
        if !health.isUp || live.count >= Self.liveQueueLimit { backlogMayWait = true }
        // While the API is down a live scan is the attempt that finds out whether it still is.
        let mayGoSoon = health.isUp || health.state == .suspect || !isAttempting
        guard mayGoSoon, live.count < Self.liveQueueLimit else { return }
        live.append(Live(scan: scan, identifier: identifier))
        isProvoked = !health.isUp
    }

    /// The delivery of an identifier's scan, or the search for one, ended.
    mutating func ended(_ ending: Ending, scan: String?, identifier: String?, wasBacklog: Bool) {
        if wasBacklog { backlogBusy = false }
        if let identifier {
            underWay[identifier] = nil
            if leftOut.remove(identifier) != nil { backlogMayWait = true }
        }
        switch ending {
        case .done:
            live.removeAll { $0.scan == scan }
            scanProbeFailed = false
            if wasBacklog { backlogMayWait = true }
        case .failed:
            // Its later scans wait behind it, so none of them is live any more.
            live.removeAll { $0.identifier == identifier }
            scanProbeFailed = true
            backlogMayWait = true
        case .nothing(let due):
            live.removeAll { $0.identifier == identifier }
            if wasBacklog { backlogDue = due }
        }
    }

    /// The backlog's next scan was found in the store.
    ///
    /// - Returns: Whether it may be sent. Not so where a scan of its identifier went under way
    ///   while the store was asked: then the search is over, and nothing ended.
    mutating func foundBacklog(identifier: String, now: UInt64) -> Bool {
        guard underWay[identifier] == nil else {
            backlogBusy = false
            backlogMayWait = true
            return false
        }
        underWay[identifier] = false
        pace.sent(at: now, backlog: true)
        return true
    }

    /// A probe ended.
    mutating func probeEnded() {
        probing = false
        scanProbeFailed = false
    }

    /// Keeps an identifier's scans where they are; `ended` ends it.
    ///
    /// - Returns: False where one of them is under way.
    mutating func reserve(_ identifier: String) -> Bool {
        guard underWay[identifier] == nil else { return false }
        underWay[identifier] = false
        return true
    }

    /// Whatever was said before, the store may hold something to drain.
    mutating func backlogChanged() {
        backlogMayWait = true
    }

    // MARK: What to do

    /// What can be begun now; each action counts as begun.
    mutating func next(now: UInt64) -> [Action] {
        if let backlogDue, backlogDue <= now {
            backlogMayWait = true
            self.backlogDue = nil
        }
        guard !isHeld, health.state != .notConfigured else { return [] }
        if health.isUp { return traffic(now: now) }
        let attempt = attempt(now: now)
        if !attempt.isEmpty { health.attempting(now: now) }
        return attempt
    }

    /// When `next` should be asked again although nothing happened.
    mutating func wakeTime(now: UInt64) -> UInt64? {
        guard !isHeld, health.state != .notConfigured else { return nil }
        if !health.isUp {
            return isAttempting ? nil : max(health.nextAttempt, health.pausedUntil, now)
        }
        var times: [UInt64] = []
        if hasLiveToSend { times.append(pace.nextSend(at: now, backlog: false)) }
        if backlogMayWait && !backlogBusy { times.append(pace.nextSend(at: now, backlog: true)) }
        if let backlogDue { times.append(backlogDue) }
        return times.min().map { max($0, health.pausedUntil) }
    }

    private var isAttempting: Bool { probing || backlogBusy || !underWay.isEmpty }

    private var liveUnderWay: Int { underWay.values.count { $0 } }

    private var hasLiveToSend: Bool {
        liveUnderWay < Self.liveLimit && live.contains { underWay[$0.identifier] == nil }
    }

    private mutating func traffic(now: UInt64) -> [Action] {
        guard health.pausedUntil <= now else { return [] }
        var actions: [Action] = []
        if health.state == .unknown && !isAttempting && live.isEmpty && !backlogMayWait {
            actions.append(beginProbe())
        }
        while hasLiveToSend, pace.nextSend(at: now, backlog: false) <= now {
            guard let next = live.first(where: { underWay[$0.identifier] == nil }) else { break }
            actions.append(begin(next.identifier, now: now))
        }
        if backlogMayWait, !backlogBusy, !probing, pace.nextSend(at: now, backlog: true) <= now {
            actions.append(beginBacklog())
        }
        return actions
    }

    /// One attempt at a time: a new scan at once, else the probe when it is due.
    ///
    /// A scan serves as the probe only where the pace allows it.
    private mutating func attempt(now: UInt64) -> [Action] {
        guard !isAttempting, health.pausedUntil <= now else { return [] }
        if health.state == .suspect { return [beginProbe()] }
        if case .offline = health.state, isProvoked, let first = live.first,
            pace.nextSend(at: now, backlog: false) <= now
        {
            return [begin(first.identifier, now: now)]
        }
        guard health.nextAttempt <= now else { return [] }
        if case .unauthorised = health.state, let first = live.first,
            pace.nextSend(at: now, backlog: false) <= now
        {
            return [begin(first.identifier, now: now)]
        }
        guard mayProbeWithScan, backlogMayWait, pace.nextSend(at: now, backlog: true) <= now
        else { return [beginProbe()] }
        return [beginBacklog()]
    }

    /// Whether a scan may find out if the API is back.
    ///
    /// A refused token is no scan's fault, and an API may answer a bare probe whatever the token.
    private var mayProbeWithScan: Bool {
        switch health.state {
        case .offline: !scanProbeFailed
        case .unauthorised: true
        case .notConfigured, .unknown, .online, .suspect: false
        }
    }

    private mutating func begin(_ identifier: String, now: UInt64) -> Action {
        underWay[identifier] = true
        isProvoked = false
        pace.sent(at: now, backlog: false)
        return .deliver(identifier: identifier)
    }

    private mutating func beginBacklog() -> Action {
        backlogBusy = true
        backlogMayWait = false
        leftOut = Set(underWay.keys).union(live.map(\.identifier))
        return .deliverBacklog(excluding: leftOut)
    }

    private mutating func beginProbe() -> Action {
        probing = true
        return .probe
    }
}
