@testable import Station

/// What a simulated station did, and which of its promises that broke.
struct DeliveryLog {
    /// Promises that were broken, in words.
    private(set) var broken: [String] = []
    /// When scans were sent.
    private(set) var sends: [UInt64] = []
    /// Attempts begun while the API was known to be down, less the scans that were made then.
    private(set) var unprovokedAttempts = 0
    /// How long it was known to be down.
    private(set) var downFor: UInt64 = 0
    private(set) var deliveredOrder: [String: [Int]] = [:]
    /// The most wake-ups within one second.
    private(set) var mostWakesPerSecond = 0

    private var underWay: [Int: Bool] = [:]
    private var keysUnderWay: Set<String> = []
    private var outstanding = 0
    private var wakes: [UInt64] = []
    private var lastTurn: UInt64 = 0
    private var wasUp = true
    private var pausedUntil: UInt64 = 0

    /// Whether nothing is under way.
    var isIdle: Bool { outstanding == 0 }

    mutating func broken(_ promise: String) {
        if broken.count < 5 { broken.append(promise) }
    }

    mutating func scanned(whileUp isUp: Bool) {
        if !isUp { unprovokedAttempts -= 1 }
    }

    mutating func turned(at now: UInt64, whileUp isUp: Bool) {
        if !wasUp { downFor += now - lastTurn }
        wasUp = isUp
        lastTurn = now
    }

    mutating func woke(at now: UInt64) {
        wakes.append(now)
        wakes.removeAll { $0 + Sample.second <= now }
        mostWakesPerSecond = max(mostWakesPerSecond, wakes.count)
    }

    mutating func paused(until time: UInt64) {
        pausedUntil = max(pausedUntil, time)
    }

    /// Something was begun: a search in the store or a probe.
    mutating func began(_ action: ScanLane.Action, at now: UInt64, whileUp isUp: Bool) {
        if !isUp {
            unprovokedAttempts += 1
            if outstanding > 0 { broken("two attempts at once while the API is down") }
        }
        if action != .probe && now < pausedUntil { broken("the pause was not kept") }
        outstanding += 1
    }

    /// A probe ended, or a search found nothing.
    mutating func ended() {
        outstanding -= 1
    }

    mutating func sent(_ number: Int, key: String, at now: UInt64, wasBacklog: Bool) {
        sends.append(now)
        if underWay[number] != nil { broken("scan \(number) was sent twice at once") }
        if !keysUnderWay.insert(key).inserted { broken("two scans of \(key) were sent at once") }
        underWay[number] = wasBacklog
        let backlog = underWay.values.count { $0 }
        if backlog > 1 { broken("\(backlog) scans of the backlog at once") }
        if underWay.count - backlog > ScanLane.liveLimit { broken("too many live scans at once") }
    }

    mutating func answered(_ number: Int, key: String) {
        outstanding -= 1
        underWay[number] = nil
        keysUnderWay.remove(key)
    }

    mutating func delivered(_ number: Int, key: String) {
        deliveredOrder[key, default: []].append(number)
    }

    /// The most scans that were sent within any minute.
    var mostPerMinute: Int {
        var most = 0
        var first = 0
        for (index, time) in sends.enumerated() {
            // Finding a scan in the store takes up to 5 ms after its turn was taken.
            while sends[first] + 60 * Sample.second - 5_000_000 <= time { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }
}
