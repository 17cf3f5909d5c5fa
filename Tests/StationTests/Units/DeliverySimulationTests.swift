import Testing

@testable import Station

@Suite("The scan lane in all weathers")
struct DeliverySimulationTests {
    struct Season: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var weather = DeliverySimulation.Weather()
        /// Until when everything must be done, in seconds.
        var limit: UInt64 = 3600
    }

    private static let seasons = [
        Season(testDescription: "calm"),
        Season(
            testDescription: "a rush of scans",
            weather: .init(scans: 300, keys: 40, seconds: 60, perMinute: 200)),
        Season(
            testDescription: "few tags, scanned again and again",
            weather: .init(scans: 300, keys: 3, seconds: 120, perMinute: 600, backlog: 100)),
        Season(
            testDescription: "a backlog and live scans of the same tags",
            weather: .init(scans: 200, keys: 6, seconds: 200, perMinute: 300, backlog: 200)),
        Season(
            testDescription: "a slow disk",
            weather: .init(
                scans: 300, keys: 3, seconds: 100, perMinute: 600, backlog: 100, accident: 0.1,
                storeTakes: 60)),
        Season(
            testDescription: "accidents", weather: .init(seconds: 1200, accident: 0.1)),
        Season(testDescription: "pauses", weather: .init(seconds: 1200, pause: 0.05)),
        Season(
            testDescription: "pauses of an unknown length",
            weather: .init(seconds: 1200, pause: 0.05, namesPause: false), limit: 20_000),
        Season(
            testDescription: "many pauses on a slow disk",
            weather: .init(scans: 200, keys: 3, seconds: 2000, pause: 0.4, storeTakes: 200)),
        Season(testDescription: "outages", weather: .init(seconds: 1200, outages: 5)),
        Season(
            testDescription: "an outage in a rush",
            weather: .init(scans: 300, keys: 300, seconds: 100, perMinute: 80, outages: 1)),
        Season(testDescription: "bad tokens", weather: .init(seconds: 1200, badTokens: 4)),
        Season(testDescription: "full disks", weather: .init(seconds: 1200, fullDisks: 4)),
        Season(
            testDescription: "poison", weather: .init(scans: 200, seconds: 1200, poison: 0.03),
            limit: 40_000),
        Season(
            testDescription: "everything at once",
            weather: .init(
                scans: 250, keys: 10, seconds: 2400, perMinute: 80, backlog: 50, accident: 0.05,
                poison: 0.01, pause: 0.02, outages: 3, badTokens: 2, fullDisks: 2),
            limit: 40_000),
    ]

    @Test("keeps its promises", arguments: seasons, 0..<4)
    func promises(_ season: Season, seed: Int) throws {
        let weather = season.weather
        var simulation = try DeliverySimulation(seed: UInt64(seed), weather)
        simulation.run(for: season.limit)
        let log = simulation.log
        #expect(log.broken == [])
        #expect(simulation.isDone, "every scan is delivered or given up visibly")
        for scan in simulation.scans where !scan.isPoison {
            #expect(scan.state == .delivered)
        }
        for (key, order) in log.deliveredOrder {
            #expect(order == order.sorted(), "the order of \(key)")
        }
        #expect(log.mostPerMinute <= weather.perMinute)
        if weather.accident == 0 && weather.poison == 0 {
            // The longest wait is 15 s, of which the jitter leaves at least a tenth.
            let waits =
                Double(log.downFor) / 1.5e9 + 8 * Double(weather.outages + weather.badTokens)
            #expect(Double(log.unprovokedAttempts) <= waits)
        }
        #expect(log.mostWakesPerSecond <= 12 + weather.perMinute / 60)
    }
}
