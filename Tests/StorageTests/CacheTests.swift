import Scanning
import Testing

@testable import Storage

@Suite("the cache")
struct CacheTests {
    private let directory: StoreDirectory
    private let store: Store

    init() throws {
        directory = StoreDirectory()
        store = try directory.open(maxCachedObjects: 5)
    }

    private func put(_ entries: [CacheEntry]) async throws {
        _ = try await store.commit(entries.map { Change(cache: .put($0)) })
    }

    @Test("an answer comes back as it was stored, and the next one takes its place")
    func putAndReplace() async throws {
        try await put([Samples.cached("K", text: "first")])
        #expect(try await store.cached("K", account: nil) == Samples.cached("K", text: "first"))
        try await put([Samples.cached("K", account: "anna", text: "second")])
        let second = Samples.cached("K", account: "anna", text: "second")
        #expect(try await store.cached("K", account: nil) == second)
        #expect(try await store.cacheSummary().objects == 1)
    }

    @Test("an answer that was removed is gone")
    func remove() async throws {
        try await put([Samples.cached("K"), Samples.cached("L")])
        _ = try await store.commit([
            Change(cache: .remove(key: "K")), Change(cache: .remove(key: "never there")),
        ])
        #expect(try await store.cached("K", account: nil) == nil)
        #expect(try await store.cacheSummary().objects == 1)
    }

    @Test(
        "an account reads its own answers and those without one; without an account, all",
        arguments: [
            ("anna", ["K1", "K3"]), ("bo", ["K2", "K3"]), (nil, ["K1", "K2", "K3"]),
        ] as [(String?, [String])])
    func accounts(account: String?, expected: [String]) async throws {
        try await put([
            Samples.cached("K1", account: "anna"), Samples.cached("K2", account: "bo"),
            Samples.cached("K3"),
        ])
        var found: [String] = []
        for key in ["K1", "K2", "K3"] where try await store.cached(key, account: account) != nil {
            found.append(key)
        }
        #expect(found == expected)
        let question = CacheQuestion(key: "K1", account: account) { _ in [] }
        let committed = try await store.commit([Change(answer: question)])[0]
        #expect((committed.cached != nil) == expected.contains("K1"))
    }

    @Test("past its limit the cache drops what was stored first")
    func eviction() async throws {
        try await put((1...5).map { Samples.cached("K\($0)") })
        try await put([Samples.cached("K1", text: "again"), Samples.cached("K6")])
        #expect(try await store.cacheSummary().objects == 5)
        #expect(try await store.cached("K2", account: nil) == nil)
        #expect(try await store.cached("K1", account: nil) != nil)
        #expect(try await store.cached("K6", account: nil) != nil)
    }

    @Test("a lowered limit is reached after a few more answers")
    func loweredLimit() async throws {
        await store.close()
        let wide = try directory.open(maxCachedObjects: 1_000)
        _ = try await wide.commit((1...100).map { Change(cache: .put(Samples.cached("K\($0)"))) })
        await wide.close()
        let narrow = try directory.open(maxCachedObjects: 10)
        #expect(try await narrow.cacheSummary().objects == 100)
        for number in 1...4 {
            _ = try await narrow.commit([Change(cache: .put(Samples.cached("L\(number)")))])
        }
        #expect(try await narrow.cacheSummary().objects == 10)
        #expect(try await narrow.cached("L1", account: nil) != nil)
    }

    @Test("a limit of none keeps nothing")
    func noCache() async throws {
        await store.close()
        let none = try directory.open(maxCachedObjects: 0)
        _ = try await none.commit([Change(cache: .put(Samples.cached("K")))])
        #expect(try await none.cached("K", account: nil) == nil)
        #expect(try await none.cacheSummary().objects == 0)
    }

    @Test("the summary tells how many there are and when the oldest and newest came")
    func summary() async throws {
        #expect(
            try await store.cacheSummary() == CacheSummary(objects: 0, oldest: nil, newest: nil))
        try await put(
            [3, 5, 9].map { seconds in
                CacheEntry(
                    key: "K\(seconds)", account: nil, resolution: Array("{}".utf8),
                    moment: Samples.moment(seconds), ttlSeconds: 60)
            })
        let expected = CacheSummary(
            objects: 3, oldest: Samples.moment(3), newest: Samples.moment(9))
        #expect(try await store.cacheSummary() == expected)
    }

    @Test("an age is told by the boot's clock within a boot, by the system's across boots")
    func ages() {
        let stored = Samples.moment(100)
        let sameBoot = Moment(
            at: Samples.time(-9_999), bootID: Samples.boot, bootNanoseconds: 160_500_000_000)
        #expect(sameBoot.seconds(since: stored) == 60.5)
        let nextBoot = Samples.moment(130, boot: Samples.otherBoot)
        #expect(nextBoot.seconds(since: stored) == 30)
        #expect(Samples.moment(1, boot: Samples.otherBoot).seconds(since: stored) == 0)
        #expect(Samples.moment(99).seconds(since: stored) == 0)
    }
}
