import Scanning
import Testing

@testable import Station
@testable import Storage

@Suite("Failures that count and failures that do not")
struct FailureLedgerTests {
    private static let second = Sample.second

    private func failure(_ id: String, of key: String = Sample.key) throws -> FailureLedger.Failure
    {
        FailureLedger.Failure(
            row: try Sample.row(id, of: key), error: "HTTP 500", moment: Sample.moment(0))
    }

    private func ids(_ failures: [FailureLedger.Failure]) -> [String] {
        failures.map(\.row.delivery.id)
    }

    // MARK: Which count

    @Test("a failure counts once the API has answered something else after it")
    func provenByOthers() throws {
        var ledger = FailureLedger()
        #expect(ledger.failed(try failure("s1")) == [])
        #expect(ids(ledger.proven(by: "s2")) == ["s1"])
        #expect(ledger.proven(by: "s3") == [], "it counts once")
    }

    @Test("a probe proves the API up as well")
    func provenByProbe() throws {
        var ledger = FailureLedger()
        _ = ledger.failed(try failure("s1"))
        _ = ledger.failed(try failure("s2"))
        #expect(ids(ledger.proven(by: nil)) == ["s1", "s2"])
    }

    @Test("a scan that gets through at last is no proof against itself")
    func notByItself() throws {
        var ledger = FailureLedger()
        _ = ledger.failed(try failure("s1"))
        #expect(ledger.proven(by: "s1") == [])
        #expect(ledger.proven(by: nil) == [])
    }

    @Test("what was answered before a failure proves nothing")
    func proofBefore() throws {
        var ledger = FailureLedger()
        #expect(ledger.proven(by: "s2") == [])
        #expect(ledger.failed(try failure("s1")) == [])
    }

    @Test("failing again before anything was answered leaves the earlier failure uncounted")
    func failedAgain() throws {
        var ledger = FailureLedger()
        _ = ledger.failed(try failure("s1"))
        #expect(ids(ledger.failed(try failure("s1"))) == ["s1"])
        #expect(ids(ledger.proven(by: nil)) == ["s1"])
    }

    @Test("beyond its capacity the oldest failure passes as uncounted, and none is forgotten")
    func capacity() throws {
        var ledger = FailureLedger()
        for number in 0..<FailureLedger.capacity {
            #expect(ledger.failed(try failure("s\(number)")) == [])
        }
        #expect(ids(ledger.failed(try failure("new"))) == ["s0"])
        let counted = ids(ledger.proven(by: nil))
        #expect(counted.count == FailureLedger.capacity)
        #expect(counted.first == "s1")
        #expect(counted.last == "new")
    }

    // MARK: What they lead to

    /// The failures of a scan that has failed at these seconds.
    private func failures(at seconds: [Double], boot: String = Sample.boot) -> Failures {
        seconds.reduce(Failures.none) { failures, second in
            failures.adding(counted: true, at: Sample.moment(second, boot: boot))
        }
    }

    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// When the counted failures before this one were.
        let before: [Double]
        let now: Double
        var boot = Sample.boot
        let isLast: Bool
    }

    @Test(
        "ten counted failures over at least fifteen minutes end a delivery",
        arguments: [
            Example(
                testDescription: "the tenth, after fifteen minutes",
                before: Array(repeating: 0, count: 9), now: 900, isLast: true),
            Example(
                testDescription: "the tenth, a moment before",
                before: Array(repeating: 0, count: 9), now: 899.999, isLast: false),
            Example(
                testDescription: "the ninth, after a day",
                before: Array(repeating: 0, count: 8), now: 86_400, isLast: false),
            Example(
                testDescription: "the twentieth within fifteen minutes",
                before: Array(repeating: 0, count: 19), now: 899, isLast: false),
            Example(
                testDescription: "time between boots does not count",
                before: Array(repeating: 1, count: 9), now: 86_400, boot: Sample.otherBoot,
                isLast: false),
        ])
    func end(_ example: Example) {
        let verdict = FailureLedger.verdict(
            on: failures(at: example.before), at: Sample.moment(example.now, boot: example.boot))
        #expect((verdict == .repeatedlyFailing) == example.isLast)
    }

    @Test("uncounted failures never end a delivery, however many and for however long")
    func outage() {
        var failures = Failures.none
        for hour in 0..<1000 {
            failures = failures.adding(counted: false, at: Sample.moment(Double(hour) * 3600))
        }
        #expect(
            FailureLedger.verdict(on: failures, at: Sample.moment(3_600_000))
                == .counted(holdNanoseconds: 2 * Self.second))
    }

    @Test("a scan that fails by itself is left alone for twice as long each time, to two minutes")
    func holds() {
        let holds = (0..<12).map { count in
            FailureLedger.verdict(
                on: failures(at: Array(repeating: 0, count: count)), at: Sample.moment(1))
        }
        let seconds: [UInt64] = [2, 4, 8, 16, 32, 64, 120, 120, 120, 120, 120, 120]
        #expect(holds == seconds.map { .counted(holdNanoseconds: $0 * Self.second) })
    }
}
