import Scanning

@testable import Station
@testable import Storage

/// A scan lane with a store and an API played by values, in virtual time.
///
/// It does what the forwarder does. Looking into the store takes time, and so do requests and
/// commits, so that everything may fall between any two steps.
struct DeliverySimulation {
    /// What goes wrong, and how often.
    struct Weather {
        var scans = 250
        var keys = 12
        /// Over how many seconds the scans are made.
        var seconds: UInt64 = 600
        var perMinute = 80
        /// Scans that were queued before the station started.
        var backlog = 0
        /// A request fails though the API is there.
        var accident = 0.0
        /// A scan fails whenever it is sent.
        var poison = 0.0
        /// The API asks for a pause.
        var pause = 0.0
        /// Whether it says how long.
        var namesPause = true
        var outages = 0
        var badTokens = 0
        var fullDisks = 0
        /// How long the store takes to find a scan, at most, in milliseconds.
        var storeTakes: UInt64 = 4
    }

    enum Happening {
        case stored(Int)
        case scanned(Int)
        case wake(Int)
        case lookedUp(String)
        case lookedUpBacklog(Set<String>)
        case answered(Int, wasBacklog: Bool)
        case probed
        case settled(FailureLedger.Failure, counted: Bool)
        case network(up: Bool)
        case token(good: Bool)
        case disk(full: Bool)
    }

    struct Scan {
        let key: String
        let isPoison: Bool
        var row: DeliveryRow
        var state = State.coming
        /// Whether the lane was told of it.
        var isKnown = false
        var heldUntil: UInt64?
    }

    enum State {
        case coming, queued, delivered, attention
    }

    let weather: Weather
    var random: SeededRandom
    var time = VirtualTime<Happening>()
    var lane: ScanLane
    var ledger = FailureLedger()
    var scans: [Scan] = []
    var log = DeliveryLog()
    private var wakeNumber = 0
    var isNetworkUp = true
    var isTokenGood = true
    /// Failures that are being stored.
    var unsettled = 0

    init(seed: UInt64, _ weather: Weather) throws {
        self.weather = weather
        random = SeededRandom(seed: seed)
        lane = ScanLane(configured: true, perMinute: weather.perMinute, liveShare: 0.25)
        try makeScans()
        makeTrouble(weather.outages, longest: 200) { .network(up: !$0) }
        makeTrouble(weather.badTokens, longest: 100) { .token(good: !$0) }
        makeTrouble(weather.fullDisks, longest: 60) { .disk(full: $0) }
    }

    private mutating func makeScans() throws {
        for number in 0..<(weather.backlog + weather.scans) {
            let key = "K\(Int.random(in: 0..<weather.keys, using: &random))"
            let row = try Sample.row("\(number)", of: key, at: moment(0))
            let isPoison = random.happens(weather.poison)
            scans.append(Scan(key: key, isPoison: isPoison, row: row))
        }
        let span = weather.seconds * Sample.second
        let times = (0..<weather.scans).map { _ in UInt64.random(in: 1...span, using: &random) }
        for number in 0..<weather.backlog {
            scans[number].state = .queued
            scans[number].isKnown = true
        }
        for (index, at) in times.sorted().enumerated() {
            time.at(at, .stored(weather.backlog + index))
        }
    }

    /// Lets something break for a while, so many times, all of it over before the last quarter.
    private mutating func makeTrouble(
        _ count: Int, longest: UInt64, _ happening: (Bool) -> Happening
    ) {
        let part = weather.seconds * Sample.second * 3 / 4 / UInt64(max(1, count))
        for number in 0..<UInt64(count) {
            let begin = number * part + UInt64.random(in: 1...(part / 2), using: &random)
            let length = min(longest * Sample.second, part / 2 - 1)
            time.at(begin, happening(true))
            time.at(begin + UInt64.random(in: 1...length, using: &random), happening(false))
        }
    }

    func moment(_ now: UInt64) -> Moment { Sample.moment(Double(now) / 1e9) }

    /// Whether everything has been delivered or given up.
    var isDone: Bool { scans.allSatisfy { $0.state == .delivered || $0.state == .attention } }

    /// Runs until everything is done, for at most so many seconds of virtual time.
    mutating func run(for limit: UInt64) {
        turn()
        while time.now < limit * Sample.second, !isDone, let happening = time.next() {
            take(happening)
        }
    }

    private mutating func take(_ happening: Happening) {
        switch happening {
        case .stored(let number):
            scans[number].state = .queued
            time.after(milliseconds(3), .scanned(number))
        case .scanned(let number):
            log.scanned(whileUp: lane.health.isUp)
            scans[number].isKnown = true
            lane.scanned("\(number)", identifier: scans[number].key, now: time.now)
            turn()
        case .wake(let number):
            guard number == wakeNumber else { return }
            log.woke(at: time.now)
            turn()
        case .lookedUp(let key): lookedUp(key)
        case .lookedUpBacklog(let excluded): lookedUpBacklog(excluded)
        case .answered(let number, let wasBacklog): answered(number, wasBacklog)
        case .probed: probed()
        case .settled(let failure, let counted): settle(failure, counted)
        case .network(let up): isNetworkUp = up
        case .token(let good):
            isTokenGood = good
            if good { lane.withHealth { [now = time.now] in $0.tokenChanged(now: now) } }
            turn()
        case .disk(let full):
            lane.isHeld = full
            lane.backlogChanged()
            turn()
        }
    }

    /// Up to so many milliseconds.
    mutating func milliseconds(_ most: UInt64) -> UInt64 {
        UInt64.random(in: 1...(most * 1_000_000), using: &random)
    }

    mutating func turn() {
        let wasUp = lane.health.isUp
        log.turned(at: time.now, whileUp: wasUp)
        let actions = lane.next(now: time.now)
        for action in actions { log.began(action, at: time.now, whileUp: wasUp) }
        if lane.isHeld && !actions.isEmpty { log.broken("something was sent on a full disk") }
        for action in actions {
            switch action {
            case .probe: time.after(milliseconds(300), .probed)
            case .deliver(let key): time.after(milliseconds(weather.storeTakes), .lookedUp(key))
            case .deliverBacklog(let excluded):
                time.after(milliseconds(weather.storeTakes), .lookedUpBacklog(excluded))
            }
        }
        wakeNumber += 1
        guard let wake = lane.wakeTime(now: time.now) else { return checkForStall() }
        time.at(wake, .wake(wakeNumber))
    }

    /// With nothing under way and no time to wake at, no scan may be left.
    private mutating func checkForStall() {
        guard log.isIdle, unsettled == 0, !lane.isHeld else { return }
        guard let scan = scans.first(where: { $0.state == .queued && $0.isKnown }) else { return }
        log.broken("a scan of \(scan.key) waits for nothing at \(time.now)")
    }
}
