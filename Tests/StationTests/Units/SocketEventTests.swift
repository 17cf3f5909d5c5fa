import LineProtocols
import Platform
import Scanning
import Testing

@testable import Station
@testable import Storage

@Suite("Events at the socket")
@LoopActor
struct SocketEventTests {
    private let bench: SocketBench

    init() throws {
        bench = try SocketBench()
    }

    private func seqs(_ range: ClosedRange<Int64>) -> [Int64?] { range.map { $0 } }

    // MARK: Where it begins

    @Test("the reply names the last seq before, and every event after it follows")
    func now() async throws {
        await bench.record(3)
        let client = try await bench.connect()
        await client.request("subscribe")
        let reply = try #require(await client.line())
        #expect(reply.contains(#""from":3"#))
        #expect(reply.contains(#""log":"\#(bench.bench.store.log)""#))
        #expect(!reply.contains("gap"))
        await bench.record(2)
        #expect(await client.seqs(2) == [4, 5])
        bench.stop()
    }

    @Test("the reply precedes all events, also those that happen while it is made")
    func replyFirst() async throws {
        await bench.record(50)
        for _ in 0..<20 {
            let client = try await bench.connect()
            await client.request("subscribe", #"{"since":"start"}"#)
            let last = bench.bench.hub.last
            await bench.record(3)
            let reply = try #require(await client.line())
            #expect(reply.contains(#""from":0"#))
            #expect(await client.seqs(Int(last) + 3) == seqs(1...last + 3))
            await client.close()
        }
        bench.stop()
    }

    struct Since: Sendable {
        let parameters: String
        let reply: String
        let first: Int64
    }

    private nonisolated static let sinceCases: [Since] = [
        Since(parameters: #"{"since":3}"#, reply: #""from":3"#, first: 4),
        Since(parameters: #"{"since":0}"#, reply: #""from":0"#, first: 1),
        Since(parameters: #"{"since":"start","log":"x"}"#, reply: #""from":0"#, first: 1),
        Since(
            parameters: #"{"since":9}"#, reply: #""from":0,"gap":{"first":1,"requested":9}"#,
            first: 1),
        Since(
            parameters: #"{"since":3,"log":"x"}"#,
            reply: #""from":0,"gap":{"first":1,"requested":3}"#, first: 1),
    ]

    @Test(
        "a place that can't be resumed from is told as a gap, and reading begins where it can",
        arguments: sinceCases)
    func since(_ since: Since) async throws {
        await bench.record(5)
        let client = try await bench.connect()
        await client.request("subscribe", since.parameters)
        let reply = try #require(await client.line())
        #expect(reply.contains(since.reply))
        #expect(await client.seqs(1) == [since.first])
        bench.stop()
    }

    @Test("what was pruned is a gap")
    func pruned() async throws {
        await bench.record(20)
        _ = try await bench.bench.store.prune(
            olderThan: Timestamp(milliseconds: 0), keep: 8, chunk: 500)
        bench.bench.hub.pruned(first: try await bench.bench.store.range().first)
        let client = try await bench.connect()
        await client.request("subscribe", #"{"since":3}"#)
        let reply = try #require(await client.line())
        #expect(reply.contains(#""from":12,"gap":{"first":13,"requested":3}"#))
        #expect(await client.seqs(8) == seqs(13...20))
        bench.stop()
    }

    // MARK: Changing one's mind

    @Test("another subscription replaces the one before it")
    func replaced() async throws {
        await bench.record(5)
        let client = try await bench.subscriber(#"{"types":["api"]}"#)
        await client.request("subscribe", #"{"types":["scan"],"since":2}"#)
        _ = await client.line()
        await bench.record(1)
        #expect(await client.seqs(4) == [3, 4, 5, 6])
        bench.stop()
    }

    @Test("a subscription that is refused leaves the one before it on")
    func refused() async throws {
        let client = try await bench.subscriber()
        await client.request("subscribe", id: 2, #"{"since":-1}"#)
        let refusal = await client.message()
        #expect(refusal?.error?.code == .invalidParameters)
        #expect(refusal?.error?.path == "since")
        await bench.record(1)
        #expect(await client.seqs(1) == [1])
        bench.stop()
    }

    @Test("after the end of a subscription nothing more comes, and it can be begun again")
    func unsubscribed() async throws {
        let client = try await bench.subscriber()
        for id in 2...3 {
            await client.request("unsubscribe", id: id)
            #expect(await client.line() == #"{"id":\#(id),"jsonrpc":"2.0","result":{}}"#)
        }
        await bench.record(2)
        await client.request("subscribe", id: 4, #"{"since":1}"#)
        #expect(await client.line()?.contains(#""id":4"#) == true)
        #expect(await client.seqs(1) == [2])
        bench.stop()
    }

    // MARK: Filters

    @Test("only what is asked for comes, from the log and live, and unknown words come back")
    func filters() async throws {
        await bench.record(2, type: "api")
        await bench.record(2, type: "scan")
        let client = try await bench.connect()
        await client.request(
            "subscribe", #"{"types":["scan","sacn"],"readers":["door"],"since":0}"#)
        #expect(await client.line()?.contains(#""ignored":["sacn"]"#) == true)
        await bench.record(1, type: "api")
        await bench.record(1, type: "scan")
        #expect(await client.seqs(3) == [3, 4, 6])
        let other = try await bench.connect()
        await other.request("subscribe", #"{"readers":["nowhere"],"since":0}"#)
        _ = await other.line()
        await other.request("fast", id: 9)
        #expect(await other.message()?.id == .integer(9))
        bench.stop()
    }

    // MARK: Programs that do not read

    @Test("one that does not read slows nobody down, and gets on from where it was")
    func laggard() async throws {
        let laggard = try await bench.subscriber()
        let reader = try await bench.subscriber()
        let count: Int64 = 4000
        for _ in 0..<40 {
            // 8 MB in all: far more than its share of memory and the kernel's together.
            await bench.record(100, size: 2000)
            _ = await reader.lines(100)
        }
        await bench.record(1)
        #expect(await reader.seqs(1) == [count + 1])
        #expect(await laggard.seqs(Int(count) + 1) == seqs(1...count + 1))
        bench.stop()
    }

    @Test("replies come between events of one that lags, never inside them")
    func repliesBetween() async throws {
        let client = try await bench.subscriber()
        await bench.record(1500, size: 1500)
        for id in 1...20 { await client.request("fast", id: id) }
        var seqs: [Int64] = []
        var ids: [RequestID] = []
        for line in await client.lines(1520) {
            if let seq = PublishedEvent(Array(line.utf8))?.seq {
                seqs.append(seq)
            } else if let id = Message(line)?.id {
                ids.append(id)
            } else {
                Issue.record("no whole line: \(line.prefix(80))")
            }
        }
        #expect(seqs == Array(1...1500))
        #expect(ids == (1...20).map { .integer($0) })
        bench.stop()
    }

    @Test("one that takes nothing for too long is closed, and can resume from where it was")
    func stuck() async throws {
        let impatient = try SocketBench(patience: .milliseconds(300))
        let client = try await impatient.subscriber()
        await impatient.record(1500, size: 2000)
        #expect(await eventually { impatient.server.count == 0 })
        var last: Int64 = 0
        while let line = await client.line(), let seq = PublishedEvent(Array(line.utf8))?.seq {
            #expect(seq == last + 1)
            last = seq
        }
        #expect(last > 0)
        let again = try await impatient.subscriber(#"{"since":\#(last)}"#)
        #expect(await again.seqs(1500 - Int(last)) == seqs(last + 1...1500))
        impatient.stop()
    }

    @Test("one whose place was pruned while it did not read is closed, not given a hole")
    func prunedMeanwhile() async throws {
        let client = try await bench.subscriber()
        await bench.record(1500, size: 2000)
        _ = try await bench.bench.store.prune(
            olderThan: Timestamp(milliseconds: 0), keep: 10, chunk: 5000)
        bench.bench.hub.pruned(first: try await bench.bench.store.range().first)
        var last: Int64 = 0
        var farewell = ""
        while let line = await client.line() {
            farewell = line
            guard let seq = PublishedEvent(Array(line.utf8))?.seq else { continue }
            #expect(seq == last + 1)
            last = seq
        }
        #expect(
            farewell
                == #"{"jsonrpc":"2.0","method":"bye","params":{"last":\#(last),"reason":"gap"}}"#)
        #expect(last > 0)
        #expect(last < 1490)
        #expect(await client.isClosed())
        bench.stop()
    }

    @Test("a log that was pruned to nothing ends the reading of it, without a spin")
    func prunedToNothing() async throws {
        let client = try await bench.subscriber()
        await bench.record(1500, size: 2000)
        _ = try await bench.bench.store.prune(
            olderThan: Sample.moment(1).at, keep: 0, chunk: 5000)
        var farewell = ""
        while let line = await client.line() { farewell = line }
        #expect(farewell.contains(#""reason":"gap""#))
        #expect(await client.isClosed())
        bench.stop()
    }
}
