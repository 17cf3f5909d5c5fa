import Scanning
import Testing

@Suite("waiting before the next attempt")
struct BackOffTests {
    @Test("the bound doubles with each failure up to the cap")
    func doubling() {
        var backOff = BackOff(first: .seconds(1), cap: .seconds(15))
        var waits: [Duration] = []
        for _ in 0..<7 { waits.append(backOff.failed(fraction: 1)) }
        #expect(waits == [1, 2, 4, 8, 15, 15, 15].map { .seconds($0) })
        #expect(backOff.failures == 7)
        #expect(backOff.bound == .seconds(15))
    }

    @Test("the wait is the given part of the bound, and never under a tenth or over the whole")
    func jitter() {
        let fractions = [-1, 0, 0.05, 0.1, 0.5, 1, 2]
        let waits = fractions.map { fraction in
            var backOff = BackOff(first: .milliseconds(1000), cap: .seconds(60))
            return backOff.failed(fraction: fraction)
        }
        #expect(waits == [100, 100, 100, 100, 500, 1000, 1000].map { .milliseconds($0) })
    }

    @Test("a success begins anew")
    func success() {
        var backOff = BackOff(first: .seconds(1), cap: .seconds(15))
        for _ in 0..<5 { _ = backOff.failed(fraction: 1) }
        backOff.succeeded()
        #expect(backOff == BackOff(first: .seconds(1), cap: .seconds(15)))
        #expect(backOff.failed(fraction: 1) == .seconds(1))
    }

    @Test("an outage of any length stays at the cap")
    func endless() {
        var backOff = BackOff(first: .milliseconds(1), cap: .seconds(3600))
        for _ in 0..<10_000 { _ = backOff.failed(fraction: 1) }
        #expect(backOff.bound == .seconds(3600))
    }

    @Test("a first wait over the cap is cut to it")
    func firstOverCap() {
        var backOff = BackOff(first: .seconds(20), cap: .seconds(15))
        #expect(backOff.failed(fraction: 1) == .seconds(15))
    }
}
