import Scanning
import Testing

@testable import Storage

@Suite("the backlog of scans")
struct BacklogTests {
    private let directory: StoreDirectory
    private let store: Store

    init() throws {
        directory = StoreDirectory()
        store = try directory.open()
    }

    private func head(
        _ excluded: Set<String> = [], account: String? = nil, at seconds: UInt64 = 0
    ) async throws -> String? {
        try await store.backlogHead(
            excluding: excluded, account: account, bootNanoseconds: seconds * 1_000_000_000
        )?.delivery.id
    }

    private func fail(
        _ id: String, counted: Bool = false, at seconds: Int64 = 0, holdUntil: Int64? = nil
    ) async throws {
        let until = holdUntil.map { UInt64($0) * 1_000_000_000 }
        let outcome = DeliveryOutcome.failed(
            id: id, error: "HTTP 503", counted: counted, moment: Samples.moment(seconds),
            holdUntilBootNanoseconds: until)
        _ = try await store.commit([Change(outcome: outcome)])
    }

    private func deliver(_ id: String) async throws {
        let outcome = DeliveryOutcome.delivered(id: id, moment: Samples.moment(1))
        _ = try await store.commit([Change(outcome: outcome)])
    }

    @Test("deliveries go oldest first and come back as they were given")
    func oldestFirst() async throws {
        let deliveries = [
            Samples.delivery("s1", of: "B", at: 3), Samples.delivery("s2", of: "A", account: "u1"),
            Samples.delivery("s3", of: "B"),
        ]
        _ = try await store.commit(deliveries.map { Change(delivery: $0) })
        let first = try await store.backlogHead(excluding: [], account: nil, bootNanoseconds: 0)
        #expect(first?.delivery == deliveries[0])
        #expect(first?.failures == Failures.none && first?.heldUntilBootNanoseconds == nil)
        #expect(try await store.drain() == ["s1", "s2", "s3"])
    }

    @Test("scans of other accounts are counted, those of nobody's are everybody's")
    func countOfOthers() async throws {
        let deliveries = [
            Samples.delivery("s1", account: "u1"), Samples.delivery("s2"),
            Samples.delivery("s3", of: "B", account: "u1"),
        ]
        _ = try await store.commit(deliveries.map { Change(delivery: $0) })
        #expect(try await store.countOfOthers(than: "u1") == 0)
        #expect(try await store.countOfOthers(than: "u2") == 2)
        #expect(try await store.countOfOthers(than: nil) == 0)
        try await deliver("s1")
        #expect(try await store.countOfOthers(than: "u2") == 1)
    }

    @Test("what is being delivered is passed over with everything behind it")
    func excluded() async throws {
        _ = try await store.commit(
            [("s1", "A"), ("s2", "A"), ("s3", "B"), ("s4", "C")].map {
                Samples.scan($0.0, of: $0.1)
            })
        #expect(try await head(["A"]) == "s3")
        #expect(try await head(["A", "B"]) == "s4")
        #expect(try await head(["A", "B", "C"]) == nil)
        #expect(try await store.oldestQueued(identifier: "A", account: nil)?.delivery.id == "s1")
        #expect(try await store.oldestQueued(identifier: "Z", account: nil) == nil)
    }

    @Test("a held delivery holds its own identifier alone, until it is due")
    func held() async throws {
        _ = try await store.commit(
            [("s1", "A"), ("s2", "A"), ("s3", "B")].map { Samples.scan($0.0, of: $0.1) })
        try await fail("s1", holdUntil: 10)
        #expect(try await head(at: 9) == "s3")
        try await deliver("s3")
        #expect(try await head(at: 9) == nil)
        #expect(
            try await store.nextDue(excluding: [], account: nil, bootNanoseconds: 9)
                == 10_000_000_000)
        #expect(try await store.nextDue(excluding: ["A"], account: nil, bootNanoseconds: 9) == nil)
        #expect(try await head(at: 10) == "s1")
        #expect(
            try await store.nextDue(excluding: [], account: nil, bootNanoseconds: 10_000_000_000)
                == nil)
        let row = try await store.oldestQueued(identifier: "A", account: nil)
        #expect(row?.delivery.id == "s1" && row?.heldUntilBootNanoseconds == 10_000_000_000)
        #expect(row?.error == "HTTP 503" && row?.failures.attempts == 1)
    }

    @Test("of the deliveries that are due or ready the oldest goes first")
    func dueAmongReady() async throws {
        _ = try await store.commit(["A", "B", "C", "D"].map { Samples.scan("s\($0)", of: $0) })
        try await fail("sC", holdUntil: 5)
        try await fail("sA", holdUntil: 8)
        #expect(try await head(at: 9) == "sA")
        #expect(try await head(at: 6) == "sB")
        try await deliver("sB")
        #expect(try await head(at: 6) == "sC")
    }

    @Test("a hold is over with the boot that made it")
    func holdsEndWithTheBoot() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        try await fail("s1", holdUntil: 1_000)
        await store.close()
        let sameBoot = try directory.open()
        #expect(
            try await sameBoot.backlogHead(excluding: [], account: nil, bootNanoseconds: 1) == nil)
        await sameBoot.close()
        let nextBoot = try directory.open(bootID: Samples.otherBoot)
        let row = try await nextBoot.backlogHead(excluding: [], account: nil, bootNanoseconds: 1)
        #expect(row?.delivery.id == "s1")
    }

    @Test("a failure without a hold leaves the delivery ready")
    func failureWithoutHold() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        try await fail("s1", holdUntil: 10)
        try await fail("s1", holdUntil: nil)
        #expect(try await head(at: 1) == "s1")
    }

    @Test("what needs attention leaves the queue, and the next of its identifier follows")
    func attention() async throws {
        _ = try await store.commit(["s1", "s2"].map { Samples.scan($0, of: "A", at: 7) })
        let refused = DeliveryOutcome.attention(id: "s1", error: "BAD_INPUT", code: "refused")
        _ = try await store.commit([Change(outcome: refused)])
        #expect(try await head() == "s2")
        let counts = try await store.outboxCounts()
        #expect(counts.scans == 1 && counts.attention == 1)
        #expect(counts.oldest == Samples.moment(7))
    }

    @Test("an outcome for a delivery that is no longer queued changes nothing")
    func lateOutcome() async throws {
        _ = try await store.commit([Samples.scan("s1"), Samples.scan("s2", of: "B")])
        try await deliver("s1")
        try await deliver("s1")
        try await fail("s1", counted: true, holdUntil: 99)
        let refused = DeliveryOutcome.attention(id: "s1", error: "late", code: "refused")
        _ = try await store.commit([Change(outcome: refused)])
        let counts = try await store.outboxCounts()
        #expect(counts.scans == 1 && counts.attention == 0)
        #expect(try await head() == "s2")
    }

    @Test("the outbox counts what is open and how old it is, also after a restart")
    func counts() async throws {
        #expect(try await store.outboxCounts().oldest == nil)
        _ = try await store.commit(
            (1...5).map { Samples.scan("s\($0)", of: "K\($0)", at: Int64($0)) })
        try await deliver("s1")
        try await fail("s2", holdUntil: 99)
        let counts = try await store.outboxCounts()
        #expect(counts.scans == 4 && counts.attention == 0)
        #expect(counts.oldest == Samples.moment(2))
        #expect(counts.bytes > 4 << 20)
        await store.close()
        let reopened = try await directory.open().outboxCounts()
        #expect(reopened.scans == 4 && reopened.oldest == counts.oldest)
    }

    // MARK: Accounts

    @Test(
        "a token sends the scans of its account and those without one",
        arguments: [
            ("anna", ["s1", "s3"]), ("bo", ["s2", "s3"]), ("cy", ["s3"]),
            (nil, ["s1", "s2", "s3", "s4"]),
        ] as [(String?, [String])])
    func accounts(account: String?, expected: [String]) async throws {
        let scans =
            [("s1", "anna"), ("s2", "bo"), ("s3", nil), ("s4", "dee")] as [(String, String?)]
        _ = try await store.commit(scans.map { Samples.scan($0.0, of: $0.0, account: $0.1) })
        #expect(try await store.drain(account: account) == expected)
    }

    @Test("another account's scan of a tag does not hold up this account's")
    func otherAccountsDoNotBlock() async throws {
        _ = try await store.commit([
            Samples.scan("s1", of: "A", account: "anna"),
            Samples.scan("s2", of: "A", account: "bo"),
        ])
        #expect(try await head(account: "bo") == "s2")
        #expect(
            try await store.oldestQueued(identifier: "A", account: "bo")?.delivery.id == "s2")
    }

    @Test("a tag's scans stay in order where some have no account")
    func orderAcrossAccounts() async throws {
        _ = try await store.commit([
            Samples.scan("s1", of: "A"), Samples.scan("s2", of: "A", account: "anna"),
            Samples.scan("s3", of: "A", account: "bo"), Samples.scan("s4", of: "A"),
        ])
        try await fail("s1", holdUntil: 10)
        #expect(try await head(account: "anna", at: 5) == nil)
        #expect(try await head(account: nil, at: 5) == nil)
        let due = try await store.nextDue(excluding: [], account: "anna", bootNanoseconds: 5)
        #expect(due == 10_000_000_000)
        #expect(try await store.drain(account: nil, at: 10) == ["s1", "s2", "s3", "s4"])
    }

    // MARK: Failures

    @Test("counted failures and the time they span are kept over restarts")
    func failuresAreCounted() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        try await fail("s1", counted: true, at: 100)
        try await fail("s1", counted: false, at: 200)
        try await fail("s1", counted: true, at: 400)
        await store.close()

        let reopened = try directory.open(bootID: Samples.otherBoot)
        let row = try #require(
            try await reopened.backlogHead(excluding: [], account: nil, bootNanoseconds: 0))
        #expect(row.failures.attempts == 3 && row.failures.counted == 2)
        #expect(row.failures.spanNanoseconds == 300_000_000_000)
        // The next boot's clock begins anew: the time between is nobody's.
        let inNextBoot = row.failures
            .adding(counted: true, at: Samples.moment(50, boot: Samples.otherBoot))
            .adding(counted: true, at: Samples.moment(80, boot: Samples.otherBoot))
        #expect(inNextBoot.counted == 4 && inNextBoot.spanNanoseconds == 330_000_000_000)
    }

    @Test("what the caller reckons before a failure is what the store keeps of it")
    func failuresAreForeseen() async throws {
        _ = try await store.commit([Samples.scan("s1")])
        var expected = Failures.none
        for (counted, seconds) in [(true, 5), (true, 65), (false, 70), (true, 1_000)] {
            expected = expected.adding(counted: counted, at: Samples.moment(Int64(seconds)))
            try await fail("s1", counted: counted, at: Int64(seconds))
            let row = try await store.oldestQueued(identifier: "4K7mX9abDcE", account: nil)
            #expect(row?.failures == expected)
        }
        #expect(expected.spanNanoseconds == 995_000_000_000)
    }
}
