import Platform
import Scanning
import Testing

@testable import Station
@testable import Storage

@Suite("Looking for the next scan to deliver")
@LoopActor
struct OutboxSearchTests {
    private let bench: Bench
    private var search: OutboxSearch { OutboxSearch(store: bench.store, log: .quiet) }

    init() throws {
        bench = try Bench()
    }

    private func queue(_ id: String, of key: String) async throws {
        _ = await bench.journal.record(Change(delivery: try Sample.delivery(id, of: key)))
    }

    private func found(_ excluded: Set<String> = []) async -> String? {
        guard case .row(let row) = await search.oldest(excluded, nil) else { return nil }
        return row.delivery.id
    }

    @Test("the oldest comes first, without those that are left out")
    func oldest() async throws {
        #expect(await found() == nil)
        try await queue("s1", of: "A")
        try await queue("s2", of: "A")
        try await queue("s3", of: "B")
        #expect(await found() == "s1")
        #expect(await found(["A"]) == "s3")
        #expect(await found(["A", "B"]) == nil)
        #expect(await search.oldest(["A", "B"], nil).due == nil)
    }

    @Test("what is held is waited for, and its identifier's later scans with it")
    func held() async throws {
        try await queue("s1", of: "A")
        try await queue("s2", of: "A")
        let until = Clocks.bootNanoseconds() + 600 * Sample.second
        let failed = DeliveryOutcome.failed(
            id: "s1", error: "HTTP 500", counted: true,
            moment: Sample.moment(1, boot: Clocks.bootID), holdUntilBootNanoseconds: until)
        _ = await bench.journal.record(Change(outcome: failed))
        let due = try #require(await search.oldest([], nil).due)
        #expect(due > 0)
        #expect(due <= 600 * Sample.second)
    }

    @Test("an outbox that can't be read is read again, it does not end the deliveries")
    func unreadable() async throws {
        try await bench.store.loseOutbox()
        #expect(await search.oldest([], nil).due == OutboxSearch.readAgainAfter)
    }
}
