import LineProtocols
import Platform
import Testing

@testable import Station
@testable import Storage

@Suite("A program at the socket")
@LoopActor
struct ClientConnectionTests {
    private let bench: SocketBench

    init() throws {
        bench = try SocketBench()
    }

    // MARK: Requests

    @Test("replies come in the order of the requests, also behind a slow one")
    func inOrder() async throws {
        let client = try await bench.connect()
        await client.request("slow", id: 1)
        await client.request("fast", id: 2)
        await client.send("nonsense\n")
        await client.request("nothing", id: 3)
        #expect(await eventually { bench.slowCalls == 1 })
        bench.letGo()
        let replies = [
            await client.message(), await client.message(), await client.message(),
            await client.message(),
        ]
        #expect(replies.map { $0?.id } == [.integer(1), .integer(2), nil, .integer(3)])
        #expect(replies.map { $0?.error?.code } == [nil, nil, .parse, .unknownMethod])
        bench.stop()
    }

    @Test("a program that reads no more, and keeps its side open, holds up nobody and is let go")
    func readsNoMore() async throws {
        let deaf = try await bench.subscriber()
        await deaf.finishReading()
        await bench.record(1)
        let other = try await bench.connect()
        await other.request("fast", id: 7)
        #expect(await other.message()?.id == .integer(7))
        #expect(await eventually { bench.server.count == 1 })
        await deaf.close()
        bench.stop()
    }

    @Test("thousands of requests of one program go in turn with those of another")
    func inTurn() async throws {
        let many = try await bench.connect()
        let requests = (0..<3000).map { #"{"id":\#($0),"method":"fast"}"# }
        let one = try await bench.connect()
        await many.send(requests.joined(separator: "\n") + "\n")
        await one.request("last", id: 7)
        _ = await one.message()
        #expect(bench.answeredBeforeLast < 3000, "the one did not wait for all of the other's")
        bench.stop()
    }

    @Test("a slow request of one program holds up no other's")
    func others() async throws {
        let slow = try await bench.connect()
        await slow.request("slow")
        #expect(await eventually { bench.slowCalls == 1 })
        let fast = try await bench.connect()
        await fast.request("fast", id: 7)
        #expect(await fast.message()?.id == .integer(7))
        bench.stop()
    }

    @Test("thousands of requests at once are all answered")
    func many() async throws {
        let client = try await bench.connect()
        let requests = (0..<3000).map { #"{"id":\#($0),"method":"fast"}"# }
        await client.send(requests.joined(separator: "\n") + "\n")
        var ids: [RequestID?] = []
        for _ in requests { ids.append(await client.message()?.id) }
        #expect(ids == (0..<3000).map { .integer($0) })
        bench.stop()
    }

    @Test("while a slow request is answered the loop does not spin over what comes behind it")
    func noSpin() async throws {
        let client = try await bench.connect()
        await client.request("slow")
        let more = String(repeating: #"{"id":1,"method":"fast"}"# + "\n", count: 2000)
        await client.send(more)
        #expect(await eventually { bench.slowCalls == 1 })
        #expect(await idleShare() <= 0.05, "of the time, while nothing can be done")
        bench.stop()
    }

    @Test("half a request and its end leave the loop idle while a subscription goes on")
    func noSpinAfterEnd() async throws {
        let client = try await bench.subscriber()
        await client.send(#"{"id":2,"method":"fa"#)
        await client.finishSending()
        #expect(await idleShare() <= 0.05, "of the time, while nothing can be done")
        await bench.record(1)
        #expect(await client.seqs(1) == [1])
        bench.stop()
    }

    /// The share of the time that the loop's thread works.
    ///
    /// Other tests use the same loop, so that one idle moment has to do.
    private func idleShare() async -> Double {
        var share = 1.0
        for _ in 0..<100 where share > 0.05 {
            let before = ThreadTime.nanoseconds()
            let start = Clocks.monotonicNanoseconds()
            await LoopActor.sleep(.milliseconds(50))
            let elapsed = Clocks.monotonicNanoseconds() - start
            share = Double(ThreadTime.nanoseconds() - before) / Double(elapsed)
        }
        return share
    }

    // MARK: Ends

    @Test("half a line at the end is dropped, whole ones before it are answered")
    func halfALine() async throws {
        let client = try await bench.connect()
        await client.send(#"{"id":1,"method":"fast"}"# + "\n" + #"{"id":2,"method":"fa"#)
        await client.finishSending()
        #expect(await client.message()?.id == .integer(1))
        #expect(await client.line() == nil)
        #expect(await client.isClosed())
        bench.stop()
    }

    @Test("who ends sending still gets a slow reply")
    func replyAfterEnd() async throws {
        let client = try await bench.connect()
        await client.request("slow", id: 5)
        await client.finishSending()
        #expect(await eventually { bench.slowCalls == 1 })
        bench.letGo()
        #expect(await client.message()?.id == .integer(5))
        #expect(await client.isClosed())
        bench.stop()
    }

    @Test("who ends sending keeps a subscription until it closes")
    func subscriptionAfterEnd() async throws {
        let client = try await bench.subscriber()
        await client.finishSending()
        await bench.record(3)
        #expect(await client.seqs(3) == [1, 2, 3])
        await client.close()
        bench.stop()
    }

    @Test("a line over the limit is refused after the replies before it, and ends the connection")
    func longLine() async throws {
        let client = try await bench.connect()
        await client.request("fast", id: 1)
        let long = String(repeating: "x", count: LineSplitter.limit + 2)
        await client.send(long + "\n" + #"{"id":2,"method":"fast"}"# + "\n")
        #expect(await client.message()?.id == .integer(1))
        let refusal = await client.message()
        #expect(refusal?.id == nil)
        #expect(refusal?.error?.code == .invalidRequest)
        #expect(refusal?.error?.message == "a line may have at most 65536 bytes")
        #expect(await client.isClosed())
        bench.stop()
    }
}
