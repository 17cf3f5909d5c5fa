import Scanning
import Testing

@testable import Storage

@Suite("pruning")
struct PruningTests {
    private let directory: StoreDirectory
    private let store: Store

    init() throws {
        directory = StoreDirectory()
        store = try directory.open()
    }

    private func logged() async throws -> [Int64] {
        try await store.wholeLog().map(\.seq)
    }

    @Test("events go by age, a chunk at a time")
    func byAge() async throws {
        _ = try await store.commit([
            Change(events: (1...10).map { Samples.event("\($0)", at: $0) })
        ])
        func prune() async throws -> Bool {
            try await store.prune(olderThan: Samples.time(8), keep: 100, chunk: 3)
        }
        #expect(try await prune() == true)
        #expect(try await logged() == Array(4...10))
        #expect(try await prune() == true)
        #expect(try await prune() == false)
        #expect(try await logged() == [8, 9, 10])
        #expect(try await store.range() == LogRange(first: 8, last: 10))
        #expect(try await prune() == false)
    }

    @Test("events go by count")
    func byCount() async throws {
        _ = try await store.commit([Change(events: (1...10).map { Samples.event("\($0)") })])
        #expect(try await store.prune(olderThan: Samples.time(-9), keep: 4, chunk: 100) == false)
        #expect(try await logged() == [7, 8, 9, 10])
    }

    @Test("the log stays consecutive where the clock went back")
    func clockWentBack() async throws {
        let times: [Int64] = [100, 101, -5_000, -4_999, 102]
        _ = try await store.commit([
            Change(events: times.map { Samples.event("\($0)", at: $0) })
        ])
        #expect(try await store.prune(olderThan: Samples.time(50), keep: 99, chunk: 9) == false)
        #expect(try await logged() == [1, 2, 3, 4, 5])
        #expect(try await store.prune(olderThan: Samples.time(102), keep: 99, chunk: 9) == false)
        #expect(try await logged() == [5])
    }

    @Test("a reader of the log learns that its place was pruned")
    func prunedPlace() async throws {
        _ = try await store.commit([Change(events: (1...10).map { Samples.event("\($0)") })])
        _ = try await store.prune(olderThan: Samples.time(-9), keep: 4, chunk: 100)
        let page = try await store.events(after: 2, limit: 2, maxBytes: .max)
        #expect(page.range == LogRange(first: 7, last: 10))
        #expect(page.events.map(\.seq) == [7, 8])
    }

    @Test("delivered scans go by age and by count, oldest first; the others stay")
    func endedJobs() async throws {
        let ids = (1...8).map { "s\($0)" }
        _ = try await store.commit(ids.map { Change(delivery: Samples.delivery($0, of: $0)) })
        _ = try await store.commit([
            Change(outcome: .attention(id: "s1", error: "BAD_INPUT", code: "refused"))
        ])
        for (index, id) in ids.dropFirst().prefix(5).enumerated() {
            let moment = Samples.moment(Int64(index))
            _ = try await store.commit([Change(outcome: .delivered(id: id, moment: moment))])
        }
        let old = Samples.time(2)
        #expect(try await store.prune(olderThan: old, keep: 100, chunk: 100) == false)
        #expect(try await remaining() == ["s1", "s4", "s5", "s6", "s7", "s8"])
        #expect(try await store.prune(olderThan: old, keep: 1, chunk: 1) == true)
        #expect(try await remaining() == ["s1", "s5", "s6", "s7", "s8"])
        #expect(try await store.prune(olderThan: old, keep: 1, chunk: 9) == false)
        #expect(try await remaining() == ["s1", "s6", "s7", "s8"])
        #expect(try await store.drain() == ["s7", "s8"])
        let counts = try await store.outboxCounts()
        #expect(counts.scans == 0 && counts.attention == 1)
    }

    private func remaining() async throws -> [String] {
        try await store.ids(in: SQL("test", "SELECT id FROM outbox ORDER BY ordinal"))
    }

    @Test("where there is nothing to prune, nothing is written")
    func nothingToPrune() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        let before = try directory.bytes("station.sqlite-wal")
        #expect(try await store.prune(olderThan: Samples.time(-9), keep: 9, chunk: 9) == false)
        #expect(try directory.bytes("station.sqlite-wal") == before)
    }
}
