import LineProtocols
import Scanning
import Storage
import Testing

@testable import Station

@Suite("The first answer to a scan")
struct FirstAnswerTests {
    private typealias Outcome = ResolutionEvent.Outcome

    private static let offlineModes: [FirstAnswer.Mode] = [
        .offline(.network), .offline(.unauthorised), .offline(.notConfigured),
    ]

    private func answer(_ mode: FirstAnswer.Mode) -> FirstAnswer {
        FirstAnswer(
            scan: "s1", reader: Sample.reader, identifier: Sample.identifier(), mode: mode)
    }

    private func known(_ outcome: Outcome, age: Double = 3, stale: Bool = false)
        -> FirstAnswer.Known
    {
        var resolution = Sample.known()
        resolution.outcome = outcome
        return FirstAnswer.Known(resolution: resolution, ageSeconds: age, isStale: stale)
    }

    // MARK: What the cache may say

    @Test("a known object is answered from the cache at once, whatever the API's state")
    func knownObject() {
        for mode in [.online, .offline(.waiting)] + Self.offlineModes {
            let event = answer(mode).resolution(known(.knownObject))
            #expect(event?.outcome == .knownObject)
            #expect(event?.source == .cache)
            #expect(event?.object == Sample.known().object)
            #expect(event?.ageSeconds == 3)
            #expect(event?.reason == nil)
            #expect(event?.scan == "s1")
            #expect(event?.reader == Sample.reader)
            #expect(event?.identifier == Sample.identifier())
        }
    }

    @Test("an old \"unknown\" is told only while the API can't be asked")
    func unknown() {
        for outcome in [Outcome.unknownSpecific, .unknownGeneral] {
            #expect(answer(.online).resolution(known(outcome)) == nil)
            let waiting = answer(.offline(.waiting)).resolution(known(outcome))
            #expect(waiting?.outcome == .offline)
            for mode in Self.offlineModes {
                let event = answer(mode).resolution(known(outcome))
                #expect(event?.outcome == outcome)
                #expect(event?.source == .cache)
            }
        }
    }

    @Test("duplicates and errors are never answered from the cache")
    func neverServed() {
        for outcome in [Outcome.duplicate, .error, .offline] {
            #expect(answer(.online).resolution(known(outcome)) == nil)
            for mode in Self.offlineModes {
                let event = answer(mode).resolution(known(outcome))
                #expect(event?.outcome == .offline)
                #expect(event?.source == .station)
                #expect(event?.object == nil)
                #expect(event?.ageSeconds == nil)
            }
        }
    }

    @Test("without anything in the cache the reason is told")
    func reasons() {
        #expect(answer(.online).resolution(nil) == nil)
        for reason in [
            ResolutionEvent.OfflineReason.network, .unauthorised, .notConfigured, .waiting,
        ] {
            let event = answer(.offline(reason)).resolution(nil)
            #expect(event?.outcome == .offline)
            #expect(event?.source == .station)
            #expect(event?.reason == reason)
        }
    }

    @Test("stale is said only of what is past its time")
    func stale() {
        #expect(answer(.online).resolution(known(.knownObject))?.stale == nil)
        #expect(answer(.online).resolution(known(.knownObject, stale: true))?.stale == true)
    }

    // MARK: What a row of the cache says

    struct Age: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var ttl = 300
        var limit: Int64 = 86_400
        let seconds: Double
        var boot = Sample.boot
        let isStale: Bool
    }

    @Test(
        "an answer is stale from its own time on, or the configured one if that is shorter",
        arguments: [
            Age(testDescription: "fresh", seconds: 299.999, isStale: false),
            Age(testDescription: "past", seconds: 300, isStale: true),
            Age(testDescription: "no time at all", ttl: 0, seconds: 0, isStale: true),
            Age(testDescription: "a shorter limit", limit: 60, seconds: 60, isStale: true),
            Age(testDescription: "before it", limit: 60, seconds: 59, isStale: false),
            Age(testDescription: "a limit of none", limit: 0, seconds: 0, isStale: true),
            Age(
                testDescription: "across boots by the system's clock", seconds: 300,
                boot: Sample.otherBoot, isStale: true),
        ])
    func age(_ age: Age) throws {
        let entry = CacheEntry(
            key: Sample.key, account: nil, resolution: try JSONLine.encode(Sample.known()),
            moment: Sample.moment(1000), ttlSeconds: age.ttl)
        let now = Sample.moment(1000 + age.seconds, boot: age.boot)
        let known = try #require(FirstAnswer.Known(entry, now: now, limit: age.limit))
        #expect(known.resolution == Sample.known())
        #expect(known.isStale == age.isStale)
        #expect(abs(known.ageSeconds - age.seconds) < 0.001)
    }

    @Test("a clock that was put back makes no answer younger than nothing")
    func clockPutBack() throws {
        let entry = CacheEntry(
            key: Sample.key, account: nil, resolution: try JSONLine.encode(Sample.known()),
            moment: Sample.moment(1000), ttlSeconds: 300)
        let now = Sample.moment(10, boot: Sample.otherBoot)
        #expect(FirstAnswer.Known(entry, now: now, limit: 300)?.ageSeconds == 0)
    }

    @Test("a row that can't be read is as if it were not there")
    func unreadable() {
        let entry = CacheEntry(
            key: Sample.key, account: nil, resolution: Array("{}".utf8),
            moment: Sample.moment(0), ttlSeconds: 300)
        #expect(FirstAnswer.Known(entry, now: Sample.moment(1), limit: 300) == nil)
    }
}
