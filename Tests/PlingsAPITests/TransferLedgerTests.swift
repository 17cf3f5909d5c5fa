import Testing

@testable import PlingsAPI

private func request() throws -> HTTPRequest {
    HTTPRequest(
        endpoint: try Endpoint("https://api.plings.io/"), token: Secret("t"), headers: [],
        body: [], answerLimit: 1, timeout: .seconds(1))
}

@Suite("The ledger of requests")
struct TransferLedgerTests {
    @Test("a request that ends has its caller told once")
    func finished() throws {
        var ledger = TransferLedger<String>()
        let id = ledger.newID()
        #expect(ledger.submit(try request(), id, "a"))
        #expect(ledger.takeWork().begin.map(\.id) == [id])
        #expect(ledger.finish(id) == "a")
        #expect(ledger.finish(id) == nil)
        ledger.abandon(id)
        #expect(ledger.takeWork().release.isEmpty)
    }

    @Test("a request that is given up before it began never begins")
    func abandonedBefore() throws {
        var ledger = TransferLedger<String>()
        let id = ledger.newID()
        _ = ledger.submit(try request(), id, "a")
        ledger.abandon(id)
        let work = ledger.takeWork()
        #expect(work.begin.isEmpty && work.drop.isEmpty)
        #expect(work.release == ["a"])
        #expect(ledger.finish(id) == nil)
    }

    @Test("a request that is given up on its way is dropped, and its caller told once")
    func abandonedAfter() throws {
        var ledger = TransferLedger<String>()
        let id = ledger.newID()
        _ = ledger.submit(try request(), id, "a")
        _ = ledger.takeWork()
        ledger.abandon(id)
        ledger.abandon(id)
        let work = ledger.takeWork()
        #expect(work.drop == [id])
        #expect(work.release == ["a"])
        #expect(ledger.finish(id) == nil)
    }

    @Test("after stop everybody is told, in order, and nobody is taken in")
    func stopped() throws {
        var ledger = TransferLedger<String>()
        for caller in ["a", "b", "c"] { _ = ledger.submit(try request(), ledger.newID(), caller) }
        ledger.stop()
        let work = ledger.takeWork()
        #expect(work.release == ["a", "b", "c"])
        #expect(work.stop)
        #expect(!ledger.submit(try request(), ledger.newID(), "d"))
        #expect(ledger.takeWork().stop)
    }

    @Test("what was handed over is not handed over again")
    func taken() throws {
        var ledger = TransferLedger<String>()
        _ = ledger.submit(try request(), ledger.newID(), "a")
        _ = ledger.takeWork()
        #expect(ledger.takeWork().begin.isEmpty)
        ledger.abandonAll()
        #expect(ledger.takeWork().release == ["a"])
        #expect(ledger.takeWork().release.isEmpty)
    }
}
