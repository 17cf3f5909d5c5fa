import Testing

@testable import Station

@Suite("How many lines of a reader program reach the log")
struct ComplaintLimitTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("a hundred within ten seconds, then none; what was left out is told with the next")
    func flood() {
        var limit = ComplaintLimit()
        let first = (0..<100).map { _ in limit.take(now: 5 * Self.second) }
        #expect(first == Array(repeating: .log(leftOut: 0), count: 100))
        #expect(limit.take(now: 6 * Self.second) == .leaveOutFromNow)
        #expect(limit.take(now: 14 * Self.second) == .leaveOut)
        #expect(limit.take(now: 15 * Self.second) == .log(leftOut: 2))
        #expect(limit.take(now: 15 * Self.second) == .log(leftOut: 0))
    }

    @Test("a line now and then is always logged")
    func calm() {
        var limit = ComplaintLimit()
        for number in 0..<1000 {
            #expect(limit.take(now: UInt64(number) * Self.second) == .log(leftOut: 0))
        }
    }
}
