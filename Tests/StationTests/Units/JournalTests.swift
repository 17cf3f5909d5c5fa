import Platform
import Scanning
import TestRig
import Testing

@testable import Station
@testable import Storage

@Suite("The journal")
@LoopActor
struct JournalTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test("events are published in the order in which they were recorded, by their seq")
    func order() async throws {
        for number in 1...1000 { bench.record("\(number).") }
        await bench.journal.settle()
        #expect(bench.listener.seqs == (1...1000).map { Int64($0) })
        let log = try await bench.log()
        #expect(log.map(\.seq) == Array(1...1000))
        #expect(log.indices.allSatisfy { log[$0].text.contains(":\"\($0 + 1).") })
        #expect(bench.hub.last == 1000)
    }

    @Test("an event is durable when it is published, and done when its completion is called")
    func completion() async throws {
        var order: [Int] = []
        for number in 1...300 {
            bench.record("\(number)") { [bench] fate in
                order.append(number)
                #expect(bench.listener.lines.count >= number)
                #expect(bench.listener.flushedAt.last ?? 0 >= number, "it was written as well")
                guard case .stored(let committed) = fate else {
                    Issue.record("\(number) is not stored")
                    return
                }
                #expect(committed.events.map(\.seq) == [Int64(number)])
            }
        }
        await bench.journal.settle()
        #expect(order == Array(1...300))
    }

    @Test("what is recorded during a commit goes with the next: few transactions, no delay")
    func groups() async throws {
        for number in 1...600 { bench.record("\(number)") }
        await bench.journal.settle()
        #expect(bench.listener.flushedAt == [256, 512, 600])
        bench.record("alone")
        await bench.journal.settle()
        #expect(bench.listener.flushedAt.last == 601)
    }

    @Test("recording from a completion keeps the order and comes to an end")
    func nested() async throws {
        bench.record("a") { [bench] _ in
            bench.record("c") { [bench] _ in bench.record("d") }
        }
        bench.record("b")
        await bench.journal.settle()
        let log = try await bench.log()
        #expect(log.count == 4)
        #expect(zip(log, ["a", "b", "c", "d"]).allSatisfy { $0.text.contains("\"\($1)\"") })
    }

    @Test("the cache's answer is published right behind the scan that asked for it")
    func answer() async throws {
        var change = Change(events: [Sample.draft("scan")])
        change.answer = CacheQuestion(key: Sample.key, account: nil) { entry in
            [Sample.draft(entry == nil ? "nothing" : "known", type: "resolution")]
        }
        bench.journal.record(change, completion: nil)
        bench.record("later")
        await bench.journal.settle()
        #expect(bench.listener.seqs == [1, 2, 3])
        #expect(bench.listener.lines.map(\.type) == ["scan", "resolution", "scan"])
        #expect(bench.listener.texts[1].contains("nothing"))
    }

    @Test("waiting for an idle journal that has nothing to do is over at once")
    func settled() async {
        await bench.journal.settle()
        #expect(bench.listener.flushes == 0)
    }

    @Test("a log that goes on is numbered on, and what was stored is not published again")
    func reopened() async throws {
        bench.record("one")
        await bench.journal.settle()
        await bench.store.close()
        let store = try Store(
            directory: "\(bench.folder.path)/store", bootID: Clocks.bootID,
            now: Sample.moment(0).at)
        let range = try await store.range()
        let hub = Hub(first: range.first, last: range.last)
        let listener = Listener()
        hub.add(listener)
        let journal = Journal(store: store, hub: hub, log: .quiet)
        _ = await journal.record(Change(events: [Sample.draft("two")]))
        #expect(listener.seqs == [2])
        #expect(hub.first == 1)
    }

    @Test("between two commits nothing is stored, and what was recorded meanwhile follows")
    func still() async throws {
        for number in 0..<20 { bench.record("\(number)") }
        let (last, range) = await bench.journal.whileStill {
            bench.record("meanwhile")
            let range = try? await bench.store.range()
            await LoopActor.sleep(.milliseconds(5))
            return (bench.hub.last, range)
        }
        #expect(range?.last == last, "what is stored is published")
        #expect(!bench.listener.texts.contains { $0.contains("meanwhile") })
        await bench.journal.settle()
        #expect(bench.listener.texts.last?.contains("meanwhile") == true)
    }

    @Test("who wants a still moment gets it in turn, and commits go on between")
    func stillInTurn() async throws {
        var order: [Int] = []
        let turns = (0..<30).map { number in
            bench.record("\(number)")
            return Task { await bench.journal.whileStill { order.append(number) } }
        }
        for turn in turns { await turn.value }
        #expect(order.sorted() == Array(0..<30))
        await bench.journal.settle()
        #expect(bench.listener.lines.count == 30)
    }

    @Test("what can't be stored now is not kept for later where it must not be")
    func commitNow() async throws {
        try await bench.store.refuseWriting(true)
        let change = Change(events: [Sample.draft("order")])
        let isRefused = await bench.journal.whileStill {
            do {
                try await bench.journal.commitNow([change])
                return false
            } catch {
                return true
            }
        }
        #expect(isRefused)
        try await bench.store.refuseWriting(false)
        bench.record("after")
        await bench.journal.settle()
        let log = try await bench.log()
        #expect(log.count == 1 && log[0].text.contains("after"))
        #expect(bench.listener.lines.count == 1)
    }
}
