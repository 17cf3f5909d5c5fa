import Scanning
import Testing

@testable import Storage

@Suite("jobs that people look at and decide of")
struct JobTests {
    private let directory: StoreDirectory
    private let store: Store

    init() throws {
        directory = StoreDirectory()
        store = try directory.open()
    }

    private static let origin = Array(#"{"uid":1000}"#.utf8)

    private func refuse(_ id: String, at seconds: Int64 = 50) async throws {
        let outcome = DeliveryOutcome.attention(
            id: id, error: "no", code: "BAD_INPUT", moment: Samples.moment(seconds))
        _ = try await store.commit([Change(outcome: outcome)])
    }

    private func deliver(_ id: String, at seconds: Int64 = 60) async throws {
        let moment = Samples.moment(seconds)
        _ = try await store.commit([Change(outcome: .delivered(id: id, moment: moment))])
    }

    private func retry(_ id: String, at seconds: Int64 = 70) async throws {
        let outcome = DeliveryOutcome.retried(
            id: id, moment: Samples.moment(seconds), origin: Self.origin)
        _ = try await store.commit([Change(outcome: outcome)])
    }

    private func discard(_ id: String, at seconds: Int64 = 70) async throws {
        let outcome = DeliveryOutcome.discarded(
            id: id, moment: Samples.moment(seconds), origin: Self.origin)
        _ = try await store.commit([Change(outcome: outcome)])
    }

    private func fail(_ id: String, at seconds: Int64, hold: UInt64? = nil) async throws {
        let outcome = DeliveryOutcome.failed(
            id: id, error: "HTTP 500 no. \(seconds)", counted: hold != nil,
            moment: Samples.moment(seconds), holdUntilBootNanoseconds: hold)
        _ = try await store.commit([Change(outcome: outcome)])
    }

    private func ids(
        _ state: String? = nil, kind: String? = nil, after: Int64 = 0, limit: Int = 100,
        now: UInt64 = 0
    ) async throws -> [String] {
        let filter = JobFilter(state: state, kind: kind, bootNanoseconds: now)
        return try await store.jobs(filter, after: after, limit: limit).jobs.map(\.id)
    }

    // MARK: Looking

    @Test("jobs are listed by state and kind, in the order of the outbox")
    func list() async throws {
        _ = try await store.commit((1...5).map { Samples.scan("s\($0)", of: "K\($0)") })
        try await deliver("s1")
        try await refuse("s2")
        try await fail("s4", at: 9, hold: 99)
        #expect(try await ids() == ["s1", "s2", "s3", "s4", "s5"])
        #expect(try await ids("done") == ["s1"])
        #expect(try await ids("attention") == ["s2"])
        #expect(try await ids("queued", now: 98) == ["s3", "s5"])
        #expect(try await ids("waiting", now: 98) == ["s4"])
        #expect(try await ids("queued", now: 99) == ["s3", "s4", "s5"], "its time has come")
        #expect(try await ids("discarded") == [])
        #expect(try await ids(kind: "scan").count == 5)
        #expect(try await ids(kind: "uploadImages") == [])
    }

    @Test("pages follow each other without hole or repeat while jobs come and go")
    func pages() async throws {
        _ = try await store.commit((1...30).map { Samples.scan("s\($0)", of: "K\($0)") })
        var seen: [String] = []
        var place: Int64 = 0
        let filter = JobFilter(state: "queued", bootNanoseconds: 0)
        for round in 0..<20 {
            let page = try await store.jobs(filter, after: place, limit: 4)
            seen += page.jobs.map(\.id)
            _ = try await store.commit([Samples.scan("later\(round)", of: "L\(round)")])
            try await deliver("s\(round + 1)")
            guard let next = page.next, seen.count < 30 else { break }
            place = next
        }
        #expect(Set(seen).count == seen.count)
        #expect(seen.filter { $0.hasPrefix("s") } == (1...30).map { "s\($0)" })
    }

    @Test("a page looks at a bounded number of rows and says where to go on")
    func boundedPage() async throws {
        let count = JobReader.rowLimit + 10
        for start in stride(from: 0, to: count, by: 1000) {
            let group = (start..<min(start + 1000, count)).map {
                Samples.scan("s\($0)", of: "K\($0)")
            }
            _ = try await store.commit(group)
        }
        try await discard("s\(count - 1)")
        let filter = JobFilter(state: "discarded", bootNanoseconds: 0)
        let first = try await store.jobs(filter, after: 0, limit: 5)
        #expect(first.jobs.isEmpty)
        let place = try #require(first.next)
        let second = try await store.jobs(filter, after: place, limit: 5)
        #expect(second.jobs.map(\.id) == ["s\(count - 1)"] && second.next == nil)
    }

    @Test("listing what needs attention walks past nothing else")
    func attentionPlan() async throws {
        let plan = try await store.plan(of: JobReader.attentionPage)
        #expect(plan.allSatisfy { $0.contains("outbox_attention") }, "\(plan)")
        let superseding = try await store.plan(of: Outbox.markSuperseded)
        #expect(superseding.allSatisfy { $0.contains("outbox_refused") }, "\(superseding)")
        let demoting = try await store.plan(of: Decisions.demoteHead)
        #expect(demoting.allSatisfy { $0.contains("outbox_") }, "\(demoting)")
    }

    // MARK: Histories

    @Test("each attempt is kept with its time and its cause, and who decided")
    func history() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        try await fail("s1", at: 10)
        try await refuse("s1", at: 20)
        try await retry("s1", at: 30)
        try await deliver("s1", at: 40)
        let found = try #require(try await store.job("s1"))
        #expect(
            found.history == [
                JobAttempt(at: Samples.time(10), result: .failed, cause: "HTTP 500 no. 10"),
                JobAttempt(at: Samples.time(20), result: .attention, cause: "BAD_INPUT: no"),
                JobAttempt(at: Samples.time(30), result: .retried, origin: Self.origin),
                JobAttempt(at: Samples.time(40), result: .delivered),
            ])
        #expect(found.job.attempts == 3 && found.job.state == "done")
        #expect(try await store.job("s2") == nil)
    }

    @Test("of a job that fails for ever the latest attempts are kept, and the count is right")
    func boundedHistory() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        for number in 1...120 { try await fail("s1", at: Int64(number)) }
        let found = try #require(try await store.job("s1"))
        #expect(found.history.count == Int(AttemptTable.kept))
        #expect(found.history.last?.at == Samples.time(120))
        #expect(found.job.attempts == 120)
    }

    @Test("a history goes with its job")
    func prunedHistory() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        try await fail("s1", at: 1)
        try await discard("s1", at: 2)
        _ = try await store.prune(olderThan: Samples.time(99), keep: 0, chunk: 10)
        #expect(try await store.ids(in: SQL("test", "SELECT job FROM attempt")) == [])
        #expect(try await store.outboxCounts().scans == 0)
    }

    // MARK: Decisions

    @Test("what is tried again goes to the tail, and fails as often as any other before it ends")
    func retryToTail() async throws {
        _ = try await store.commit((1...3).map { Samples.scan("s\($0)", of: "K\($0)") })
        try await fail("s1", at: 5, hold: 6)
        try await refuse("s1")
        try await retry("s1")
        let counts = try await store.outboxCounts()
        #expect(counts.scans == 3 && counts.attention == 0)
        let row = try await store.oldestQueued(identifier: "K1", account: nil)
        #expect(row?.failures.counted == 0 && row?.failures.attempts == 2)
        #expect(try await store.drain(at: 99) == ["s2", "s3", "s1"])
    }

    @Test("before later scans of its own tag that wait it keeps its place")
    func retryBeforeLater() async throws {
        _ = try await store.commit([
            Samples.scan("s1", of: "K1"), Samples.scan("x", of: "K2"), Samples.scan("s2", of: "K1"),
        ])
        try await refuse("s1")
        try await fail("s2", at: 5, hold: 90_000_000_000)
        try await retry("s1")
        #expect(try await store.drain(at: 99) == ["s1", "x", "s2"])
    }

    @Test("what a later delivery of its tag overtook is marked, whatever happens to it after")
    func superseded() async throws {
        _ = try await store.commit((1...3).map { Samples.scan("s\($0)", of: "K") })
        try await refuse("s1")
        func isSuperseded() async throws -> Bool? { try await store.job("s1")?.job.isSuperseded }
        #expect(try await isSuperseded() == false)
        try await refuse("s3")
        try await deliver("s2")
        #expect(try await isSuperseded() == true)
        #expect(try await store.job("s3")?.job.isSuperseded == false, "it was made later")
        try await retry("s1")
        try await refuse("s1")
        #expect(try await isSuperseded() == true)
    }

    @Test("what is discarded is over: its followers move up, and it can be pruned")
    func discarded() async throws {
        _ = try await store.commit((1...2).map { Samples.scan("s\($0)", of: "K") })
        try await discard("s1")
        try await discard("s1")
        #expect(try await ids("discarded") == ["s1"])
        #expect(try await store.drain() == ["s2"])
        let counts = try await store.outboxCounts()
        #expect(counts.scans == 0 && counts.attention == 0)
        _ = try await store.prune(olderThan: Samples.time(9999), keep: 0, chunk: 10)
        #expect(try await ids() == [])
    }

    @Test("nothing is decided of what is done")
    func decidedOfDone() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        try await deliver("s1")
        try await retry("s1")
        try await discard("s1")
        #expect(try await ids("done") == ["s1"])
        #expect(try await store.outboxCounts().scans == 0)
    }

    // MARK: The file

    @Test("a file of the version before gets the histories, and keeps what it has")
    func migration() async throws {
        _ = try await store.commit([Samples.scan("s1"), Samples.scan("s2", of: "other")])
        try await refuse("s2")
        try await store.execute(
            SQL(
                "test",
                """
                DROP TABLE attempt; DROP INDEX outbox_attention; DROP INDEX outbox_refused;
                ALTER TABLE outbox DROP COLUMN accepted;
                ALTER TABLE outbox DROP COLUMN superseded; PRAGMA user_version = 1;
                """))
        await store.close()
        let again = try directory.open()
        #expect(again.opened == .existing)
        #expect(try await again.ids(in: SQL("test", "PRAGMA user_version")) == ["2"])
        #expect(try await again.drain() == ["s1"])
        let outcome = DeliveryOutcome.retried(
            id: "s2", moment: Samples.moment(9), origin: Self.origin)
        _ = try await again.commit([Change(outcome: outcome)])
        #expect(try await again.job("s2")?.history.map(\.result) == [.retried])
        #expect(try await again.drain() == ["s2"])
    }
}
