import LineProtocols
import Platform
import Scanning
import Testing

@testable import Station
@testable import Storage

@Suite("The methods that look at the outbox and decide of its jobs")
@LoopActor
struct OutboxMethodsTests {
    private let bench: PipelineBench
    private let methods: OutboxMethods

    init() throws {
        bench = try PipelineBench()
        methods = OutboxMethods(
            store: bench.store, journal: bench.journal, forwarder: bench.forwarder,
            recorder: EventRecorder(journal: bench.journal))
    }

    /// Deliveries that need attention, each of a tag of its own.
    private func refuse(_ count: Int, error: String) async throws -> [String] {
        let ids = (0..<count).map { "s\($0)" }
        for id in ids {
            let delivery = Change(delivery: try Sample.delivery(id, of: "K\(id)"))
            bench.journal.record(delivery, completion: nil)
            let outcome = DeliveryOutcome.attention(
                id: id, error: error, code: "BAD_INPUT", moment: Sample.moment(1))
            bench.journal.record(Change(outcome: outcome), completion: nil)
        }
        await bench.journal.settle()
        return ids
    }

    /// What a decision is refused with; nil where it is carried out.
    private func refusal(
        of decision: JobDecision, _ wish: DecisionParameters
    ) async -> RequestError? {
        do throws(RequestError) {
            _ = try await methods.decide(decision, wish, by: JobOrigin(uid: 7))
            return nil
        } catch {
            return error
        }
    }

    @Test("a reply has less than 1 MiB, and says where to go on")
    func cut() async throws {
        let ids = try await refuse(400, error: String(repeating: "e", count: 6000))
        var seen: [String] = []
        var pages = 0
        var wish = JobsParameters(limit: 1000)
        repeat {
            let page = try await methods.list(wish)
            #expect(StationLine.reply(.integer(1), page).count <= 1 << 20)
            seen += page.jobs.map(\.id)
            wish.after = page.next
            pages += 1
        } while wish.after != nil
        #expect(seen == ids)
        #expect(pages == 3)
    }

    @Test("all that need attention are decided of page by page, each once")
    func all() async throws {
        let ids = try await refuse(250, error: "no")
        var wish = DecisionParameters(state: .attention)
        var sizes: [Int] = []
        var seen: [String] = []
        repeat {
            let page = try await methods.decide(.discard, wish, by: JobOrigin(uid: 7))
            sizes.append(page.jobs.count)
            seen += page.jobs.map(\.id)
            wish.after = page.next
        } while wish.after != nil
        #expect(sizes == [100, 100, 50])
        #expect(seen == ids)
        #expect(bench.story.filter { $0 == "job discarded" }.count == 250)
        #expect(try await bench.store.outboxCounts().attention == 0)
    }

    @Test("while a scan of its tag is being sent a job is left alone, and that is said")
    func busy() async throws {
        _ = try await refuse(1, error: "no")
        #expect(bench.forwarder.reserve("Ks0"))
        let wish = DecisionParameters(id: "s0")
        let refusal = await refusal(of: .retry, wish)
        #expect(refusal?.reason == .busy)
        #expect(refusal?.message == "a scan of the same tag is being sent: try again")
        #expect(try await methods.get(JobParameters(id: "s0")).job.state == .attention)
        bench.forwarder.release(["Ks0"])
        let reply = try await methods.decide(.retry, wish, by: JobOrigin(uid: 7))
        #expect(reply.jobs.map(\.state) == [.queued])
        let history = try await methods.get(JobParameters(id: "s0")).history
        #expect(history.map(\.result) == ["attention", "retried"])
        #expect(history.last?.by == JobOrigin(uid: 7))
    }

    @Test("where nothing can be stored a decision is refused, and not made later")
    func fullDisk() async throws {
        _ = try await refuse(1, error: "no")
        try await bench.store.refuseWriting(true)
        let wish = DecisionParameters(id: "s0")
        let refusal = await refusal(of: .discard, wish)
        #expect(refusal?.reason == .full)
        #expect(refusal?.message.hasPrefix("the decision can't be stored: ") == true)
        try await bench.store.refuseWriting(false)
        await bench.journal.settle()
        #expect(try await methods.get(JobParameters(id: "s0")).job.state == .attention)
        #expect(!bench.story.contains("job discarded"))
    }

    @Test("while the store is looked through decisions are refused, and tags go on")
    func recovering() async throws {
        _ = try await refuse(1, error: "no")
        try await bench.store.refuseWriting(true)
        bench.bench.record("first")
        await bench.journal.settle()
        let gate = try StoreGate()
        let standing = Task { [store = bench.store] in await store.stand(before: gate) }
        #expect(await eventually { bench.journal.isRecovering })
        let refusal = await refusal(of: .retry, DecisionParameters(id: "s0"))
        #expect(refusal?.reason == .full)
        #expect(refusal?.message.hasPrefix("the decision can't be stored: ") == true)
        bench.bench.record("second")
        await bench.journal.settle()
        #expect(bench.listener.texts.last?.contains("second") == true)
        let looked = await looked()
        #expect(looked?.reason == .busy)
        #expect(looked?.message == "the outbox can't be read now: the database is looked through")
        gate.open()
        await standing.value
        try await bench.store.refuseWriting(false)
        #expect(await eventually { bench.journal.isStoring })
    }

    /// What looking at the outbox is refused with; nil where it is not.
    private func looked() async -> RequestError? {
        do throws(RequestError) {
            _ = try await methods.list(JobsParameters())
            return nil
        } catch {
            return error
        }
    }
}
