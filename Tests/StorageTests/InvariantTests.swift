import Scanning
import Testing

@testable import Storage

@Suite("what always holds")
struct InvariantTests {
    /// Numbers that are the same in every run with the same seed, by SplitMix64.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    /// Each selects rows that must not be; the name says what they would be.
    private static let contradictions = [
        SQL(
            "heads that are not the oldest of their identifier and account, or the reverse",
            """
            SELECT id FROM outbox AS job WHERE ifnull(head, 0) != (
                kind = 'scan' AND state = 'queued' AND ordinal = (
                    SELECT min(ordinal) FROM outbox WHERE kind = 'scan' AND state = 'queued'
                        AND identifier = job.identifier AND account IS job.account))
            """),
        SQL(
            "counts that are wrong",
            """
            SELECT id FROM store WHERE
                queued_scans != (SELECT count(*) FROM outbox WHERE state = 'queued')
                OR attention != (SELECT count(*) FROM outbox WHERE state = 'attention')
                OR ended != (SELECT count(*) FROM outbox WHERE ended_at IS NOT NULL)
                OR cached != (SELECT count(*) FROM cache)
            """),
        SQL(
            "holes in the log",
            """
            SELECT seq FROM event WHERE seq < (SELECT last_seq FROM store)
                AND seq + 1 NOT IN (SELECT seq FROM event)
            """),
        SQL("damage", "SELECT * FROM pragma_integrity_check WHERE integrity_check != 'ok'"),
        SQL("references to nothing", "SELECT \"table\" FROM pragma_foreign_key_check"),
    ]

    @Test("heads, counts and seqs are right after any course of events", arguments: 1...6)
    func anyCourse(seed: UInt64) async throws {
        var random = Seeded(state: seed)
        let directory = StoreDirectory()
        var store = try directory.open(maxCachedObjects: 8)
        for step in 1...60 {
            let group = (0..<Int.random(in: 1...8, using: &random)).map { index in
                change(step * 10 + index, &random)
            }
            _ = try await store.commit(group)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: store = try await restart(store, directory, &random)
            case 1: try await failOnce(store, step)
            case 2:
                let limit = Samples.time(Int64(step) * 5)
                _ = try await store.prune(olderThan: limit, keep: 40, chunk: 7)
            case 3: try await store.checkpointIfNeeded()
            default: break
            }
        }
        for contradiction in Self.contradictions {
            let rows = try await store.ids(in: contradiction)
            #expect(rows.isEmpty, "\(contradiction.name)")
        }
    }

    private func change(_ number: Int, _ random: inout Seeded) -> Change {
        let known = "s\(Int.random(in: 1...number, using: &random))"
        let moment = Samples.moment(Int64(number))
        switch Int.random(in: 0..<13, using: &random) {
        case 0...4:
            let account = ["anna", "bo", nil].randomElement(using: &random) ?? nil
            let identifier = "K\(Int.random(in: 1...4, using: &random))"
            return Samples.scan(
                "s\(number)", of: identifier, account: account, at: Int64(number))
        case 5, 6:
            return Change(outcome: .delivered(id: known, moment: moment))
        case 7:
            return Change(
                outcome: .failed(
                    id: known, error: "HTTP 500", counted: true, moment: moment,
                    holdUntilBootNanoseconds: moment.bootNanoseconds + 5))
        case 8:
            return Change(
                outcome: .attention(id: known, error: "no", code: "refused", moment: moment))
        case 9, 10: return Change(outcome: .retried(id: known, moment: moment, origin: [123, 125]))
        case 11: return Change(outcome: .discarded(id: known, moment: moment, origin: [123, 125]))
        default:
            let key = "K\(Int.random(in: 1...20, using: &random))"
            let isNew = Bool.random(using: &random)
            return Change(cache: isNew ? .put(Samples.cached(key)) : .remove(key: key))
        }
    }

    /// A stop and the next start, in this boot or another.
    private func restart(
        _ store: Store, _ directory: StoreDirectory, _ random: inout Seeded
    ) async throws -> Store {
        let bootID = Bool.random(using: &random) ? Samples.boot : Samples.otherBoot
        await store.close()
        return try directory.open(bootID: bootID, maxCachedObjects: 8)
    }

    /// A transaction that fails after everything in it was done.
    private func failOnce(_ store: Store, _ step: Int) async throws {
        try await store.execute(SQL("test", "PRAGMA max_page_count = 1"))
        let large = Change(events: [Samples.event(String(repeating: "x", count: 90_000))])
        let group = [
            Samples.scan("fails", of: "K1", account: "cy"),
            Change(cache: .put(Samples.cached("fails", account: "dee"))), large,
        ]
        await #expect(throws: StorageError.self) { try await store.commit(group) }
        try await store.execute(SQL("test", "PRAGMA max_page_count = 1000000"))
        // The accounts of the failed transaction have no rows.
        _ = try await store.commit([Samples.scan("after\(step)", of: "K1", account: "cy")])
    }
}
