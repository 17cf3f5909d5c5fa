import Scanning
import Testing

@testable import Storage

@Suite("a backlog of 100,000 scans")
struct LargeBacklogTests {
    private let directory: StoreDirectory
    private let store: Store

    init() throws {
        directory = StoreDirectory()
        store = try directory.open()
    }

    /// 99,999 scans of the tag X, then one of Y.
    private let oneTag = SQL(
        "fill",
        """
        WITH RECURSIVE number(n) AS (
            SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000)
        INSERT INTO outbox (ordinal, id, kind, state, identifier, payload, origin, at, boot,
            boot_ns, clock_trusted, head)
        SELECT n, 's' || n, 'scan', 'queued', iif(n = 100000, 'Y', 'X'),
            '{"payload":"' || hex(zeroblob(100)) || '"}', '{}', n, 1, n, 1,
            iif(n IN (1, 100000), 1, NULL)
        FROM number;
        UPDATE store SET queued_scans = 100000, last_ordinal = 100000;
        """)

    /// 100,000 scans of as many tags that another account made, then one of this account.
    private let otherAccount = SQL(
        "fill",
        """
        INSERT INTO account (id, sub) VALUES (1, 'anna'), (2, 'bo');
        WITH RECURSIVE number(n) AS (
            SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100001)
        INSERT INTO outbox (ordinal, id, kind, state, identifier, account, payload, origin, at,
            boot, boot_ns, clock_trusted, head)
        SELECT n, 's' || n, 'scan', 'queued', 'K' || n, iif(n = 100001, 1, 2),
            '{"payload":"' || hex(zeroblob(100)) || '"}', '{}', n, 1, n, 1, 1
        FROM number;
        UPDATE store SET queued_scans = 100001, last_ordinal = 100001;
        """)

    /// Fills the file behind the store's back and opens it as the next start would.
    private func fill(_ sql: SQL) async throws -> Store {
        await store.close()
        try Connection(path: "\(directory.path)/station.sqlite").execute(sql)
        return try directory.open()
    }

    @Test("a scan that is being delivered hides 99,998 behind it without a walk past them")
    func manyOfOneTag() async throws {
        let store = try await fill(oneTag)
        #expect(try await store.outboxCounts().scans == 100_000)
        for _ in 1...200 {
            let row = try await store.backlogHead(
                excluding: ["X"], account: nil, bootNanoseconds: 0)
            #expect(row?.delivery.id == "s100000")
        }
        let now = Samples.moment(1)
        for number in 1...200 {
            let row = try await store.oldestQueued(identifier: "X", account: nil)
            #expect(row?.delivery.id == "s\(number)")
            _ = try await store.commit([
                Change(outcome: .delivered(id: "s\(number)", moment: now))
            ])
        }
        let counts = try await store.outboxCounts()
        #expect(counts.scans == 99_800 && counts.oldest?.at.milliseconds == 201)
    }

    @Test("100,000 scans of another account are not walked past")
    func manyOfAnotherAccount() async throws {
        let store = try await fill(otherAccount)
        for _ in 1...200 {
            let row = try await store.backlogHead(
                excluding: [], account: "anna", bootNanoseconds: 0)
            #expect(row?.delivery.id == "s100001")
            let any = try await store.backlogHead(
                excluding: ["K1"], account: nil, bootNanoseconds: 0)
            #expect(any?.delivery.id == "s2")
        }
        #expect(try await store.outboxCounts().oldest?.at.milliseconds == 1)
    }

    @Test("queued scans are never pruned, and pruning does not walk past them")
    func pruning() async throws {
        let store = try await fill(oneTag)
        let now = Samples.moment(1)
        _ = try await store.commit([Change(outcome: .delivered(id: "s100000", moment: now))])
        #expect(try await store.prune(olderThan: Samples.time(99), keep: 0, chunk: 10) == false)
        #expect(try await store.outboxCounts().scans == 99_999)
    }

    @Test(
        "what is asked again and again is found by an index, without sorting",
        arguments: [
            (Backlog.readyHeads, "outbox_heads (account=? AND held_until_ns=?)"),
            (Backlog.dueHeads, "outbox_heads (account=? AND held_until_ns<?)"),
            (Backlog.heldHeads, "outbox_heads (account=? AND held_until_ns>?)"),
            (Backlog.oldestHeldHead, "outbox_heads (account=? AND held_until_ns>?)"),
            (Backlog.oldestScan, "outbox_scans (identifier=? AND account=?)"),
            (Backlog.delivery, "INTEGER PRIMARY KEY (rowid=?)"),
            (Outbox.promoteNext, "outbox_scans (identifier=? AND account=?)"),
            (Outbox.readFailures, "sqlite_autoindex_outbox_1 (id=?)"),
            (Outbox.removeEnded, "outbox_ended (ended_at>?)"),
            (Outbox.selectEnded, "outbox_ended (ended_at>?)"),
            (LogReader.selectPage, "INTEGER PRIMARY KEY (rowid>?)"),
        ] as [(SQL, String)])
    func plans(sql: SQL, index: String) async throws {
        let plan = try await store.plan(of: sql).joined(separator: "\n")
        #expect(plan.contains(index))
        #expect(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"))
    }
}
