import Testing

@testable import PlingsAPI

/// Three weeks of a station and an auth server, in virtual time.
struct SessionSimulation {
    static let second: UInt64 = 1_000_000_000
    static let minute = 60 * second

    struct Weather: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var days: UInt64 = 21
        /// How long an access token is good, in seconds.
        var lifetime: UInt64 = 3600
        /// The share of answers that get lost after the server has done its part.
        var lost = 0.0
        /// The server is away for so many minutes out of every so many.
        var awayMinutes: UInt64 = 0
        var everyMinutes: UInt64 = 1440
        /// The machine sleeps for so many minutes out of the same.
        var asleepMinutes: UInt64 = 0
        /// The process is killed once in so many minutes.
        var killMinutes: UInt64 = 0
    }

    let weather: Weather
    var random: SplitMix
    var renewal = SessionRenewal()
    private(set) var now: UInt64 = 0
    private(set) var attempts = 0
    private(set) var renewals = 0
    /// For how long the token could be sent, and for how long not although the server was there.
    private(set) var good: UInt64 = 0
    private(set) var reachableWithoutToken: UInt64 = 0
    private(set) var mostAttemptsInAMinute = 0
    private var minuteAttempts: [UInt64: Int] = [:]
    /// What the server holds good, and what the station has on disk.
    private var serverToken = 0
    private var parentToken = -1
    private var stationToken = 0
    private var issuedAt: UInt64 = 0

    init(_ weather: Weather, seed: UInt64) {
        self.weather = weather
        random = SplitMix(seed: seed)
        renewal.issued(lifetime: .seconds(Int64(weather.lifetime)), asked: 0, jitter: 0.5)
    }

    private var place: UInt64 { now / Self.minute % weather.everyMinutes }
    private var away: Range<UInt64> {
        weather.everyMinutes / 3..<weather.everyMinutes / 3 + weather.awayMinutes
    }
    private var asleep: Range<UInt64> {
        weather.everyMinutes * 2 / 3..<weather.everyMinutes * 2 / 3 + weather.asleepMinutes
    }

    /// When the weather changes next.
    private var nextChange: UInt64 {
        let edges = [
            away.lowerBound, away.upperBound, asleep.lowerBound, asleep.upperBound,
            weather.everyMinutes,
        ]
        let minute = now / Self.minute
        var ahead = edges.filter { $0 > place }.map { $0 - place }
        if weather.killMinutes > 0 {
            ahead.append(weather.killMinutes - minute % weather.killMinutes)
        }
        return (minute + (ahead.min() ?? 1)) * Self.minute
    }

    /// Runs to the end; false where the session was lost.
    mutating func run() -> Bool {
        let end = weather.days * 1440 * Self.minute
        while now < end {
            guard !asleep.contains(place) else {
                now = nextChange
                continue
            }
            if weather.killMinutes > 0, now % (weather.killMinutes * Self.minute) == 0 {
                restart()
            }
            if renewal.begins(now: now), !renew() { return false }
            let wake = max(renewal.wakeTime(now: now) ?? .max, now + Self.second / 100)
            let next = min(wake, nextChange, end)
            measure(next - now)
            now = next
        }
        return true
    }

    private mutating func measure(_ span: UInt64) {
        let standing = renewal.standing(now: now)
        if standing == .good { good += span }
        if !away.contains(place), case .unreachable = standing { reachableWithoutToken += span }
    }

    private mutating func restart() {
        renewal = SessionRenewal()
        renewal.issued(
            lifetime: .seconds(Int64(weather.lifetime)), asked: issuedAt, jitter: 0.5)
    }

    private mutating func renew() -> Bool {
        attempts += 1
        minuteAttempts[now / Self.minute, default: 0] += 1
        mostAttemptsInAMinute = max(mostAttemptsInAMinute, minuteAttempts[now / Self.minute] ?? 0)
        let jitter = Double.random(in: 0...1, using: &random)
        guard !away.contains(place) else {
            renewal.failed(.unanswered(reason: "away"), now: now, jitter: jitter)
            return true
        }
        // The server takes its newest token and, until that is used, the one before.
        if stationToken == serverToken {
            parentToken = serverToken
            serverToken += 1
        } else if stationToken != parentToken {
            return false
        }
        guard Double.random(in: 0...1, using: &random) >= weather.lost else {
            renewal.failed(.unanswered(reason: "lost"), now: now, jitter: jitter)
            return true
        }
        stationToken = serverToken
        issuedAt = now
        renewals += 1
        renewal.issued(
            lifetime: .seconds(Int64(weather.lifetime)), asked: now, jitter: jitter)
        return true
    }
}

/// A generator whose seed gives the same numbers everywhere.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("A session over weeks")
struct SessionSimulationTests {
    private static let weathers: [SessionSimulation.Weather] = [
        .init(testDescription: "calm"),
        .init(testDescription: "answers that get lost", lost: 0.2),
        .init(testDescription: "a server that is away for ten minutes a day", awayMinutes: 10),
        .init(testDescription: "a server that is away for hours", awayMinutes: 300),
        .init(testDescription: "a machine that sleeps at night", asleepMinutes: 480),
        .init(testDescription: "a process that is killed again and again", killMinutes: 7),
        .init(
            testDescription: "everything at once", lost: 0.1, awayMinutes: 100, everyMinutes: 720,
            asleepMinutes: 120, killMinutes: 11),
        .init(testDescription: "tokens of a minute", days: 2, lifetime: 60, lost: 0.05),
    ]

    @Test("it lives, without a storm of requests", arguments: weathers, 0..<3)
    func lives(_ weather: SessionSimulation.Weather, seed: Int) {
        var simulation = SessionSimulation(weather, seed: UInt64(seed))
        let lives = simulation.run()
        #expect(lives)
        let seconds = weather.days * 86_400
        // A token lives for an hour and is renewed after 39 to 45 minutes of it.
        let most = Double(seconds) / (Double(weather.lifetime) * 0.65) + 1
        #expect(Double(simulation.renewals) <= most)
        // Away and urgent: one at most every 15 s, of which the jitter leaves a tenth.
        let away = Double(weather.days * 1440 / weather.everyMinutes * weather.awayMinutes) * 60
        let retries = Double(simulation.renewals) * weather.lost * 3 + 20
        #expect(Double(simulation.attempts) <= most + away / 1.5 + retries)
        #expect(simulation.mostAttemptsInAMinute <= 30)
    }

    @Test("while the server is away for less than a quarter of a token's life, nobody notices")
    func unnoticed() {
        let weather = SessionSimulation.Weather(
            testDescription: "short outages", awayMinutes: 10, everyMinutes: 60)
        var simulation = SessionSimulation(weather, seed: 1)
        let lives = simulation.run()
        #expect(lives)
        #expect(simulation.good == weather.days * 86_400 * SessionSimulation.second)
    }

    @Test("it recovers within 15 seconds of a long outage")
    func recovers() {
        let weather = SessionSimulation.Weather(
            testDescription: "long outages", awayMinutes: 200, everyMinutes: 1440)
        var simulation = SessionSimulation(weather, seed: 2)
        let lives = simulation.run()
        #expect(lives)
        #expect(simulation.reachableWithoutToken <= weather.days * 15 * SessionSimulation.second)
    }
}
