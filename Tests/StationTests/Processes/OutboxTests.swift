import Platform
import TestRig
import Testing

@Suite("The outbox at the socket", .serialized)
struct OutboxTests {
    let sandbox = SandboxProcess()

    private func start(_ folder: TestFolder = TestFolder()) -> StationProcess {
        StationProcess(
            in: folder,
            Setting.api(sandbox, in: folder, more: "scans_per_minute = 6000") + "\n"
                + Setting.alone)
    }

    private func watch(_ station: StationProcess) throws -> ProtocolClient {
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", #"{"since":"start"}"#)
        while try client.nextEvent("api")["state"] != .string("online") {}
        return client
    }

    private func submit(_ client: ProtocolClient, _ fixture: String) throws -> String {
        let reply = try client.call("scan.submit", #"{"url":"\#(sandbox.url(of: fixture))"}"#)
        return try #require(reply["scan"]?.string)
    }

    private func refuseNext(_ count: Int = 1) {
        sandbox.control(
            "faults",
            #"{"op":"resolveIdentifier","kind":"graphql_error","code":"BAD_INPUT","#
                + #""message":"no","count":\#(count)}"#)
    }

    /// Scans that the API has refused, once that was told.
    private func refused(_ client: ProtocolClient, _ fixtures: [String]) throws -> [String] {
        refuseNext(fixtures.count)
        var scans: [String] = []
        for fixture in fixtures {
            scans.append(try submit(client, fixture))
            #expect(try client.nextEvent("job")["job"]?["state"] == .string("attention"))
        }
        return scans
    }

    private func list(_ client: ProtocolClient, _ parameters: String = "{}") throws -> [JSONValue] {
        try client.call("outbox.list", parameters)["jobs"]?.array ?? []
    }

    private func history(_ client: ProtocolClient, _ id: String) throws -> [JSONValue] {
        try client.call("outbox.get", #"{"id":"\#(id)"}"#)["history"]?.array ?? []
    }

    private func results(_ client: ProtocolClient, _ id: String) throws -> [String] {
        try history(client, id).compactMap { $0["result"]?.string }
    }

    /// The ids of the jobs in a state.
    private func ids(_ client: ProtocolClient, state: String) throws -> [String] {
        try list(client, #"{"state":"\#(state)"}"#).compactMap { $0["id"]?.string }
    }

    private func isDelivered(_ client: ProtocolClient, _ id: String) -> Bool {
        Poll.until {
            (try? client.call("outbox.get", #"{"id":"\#(id)"}"#)["job"]?["state"])
                == .string("done")
        }
    }

    @Test("what the API refused is listed with who ordered it, and delivered when tried again")
    func retry() throws {
        let station = start()
        let client = try watch(station)
        let scan = try refused(client, ["bike"])[0]
        let job = try #require(try list(client, #"{"state":"attention"}"#).first)
        #expect(job["id"]?.string == scan && job["scan"]?.string == scan)
        #expect(job["error"] == .string("BAD_INPUT: no"))
        #expect(job["by"]?["uid"]?.integer == Int64(SystemUsers.effectiveUser))
        #expect(job["by"]?["pid"] != nil)
        let reply = try client.call("outbox.retry", #"{"id":"\#(scan)"}"#)
        #expect(reply["jobs"]?[0]?["state"] == .string("queued"))
        #expect(isDelivered(client, scan))
        #expect(sandbox.scanEvents().map(\.idempotencyKey) == [scan])
        let history = try history(client, scan)
        #expect(try results(client, scan) == ["attention", "retried", "delivered"])
        #expect(history[0]["cause"] == .string("BAD_INPUT: no"))
        #expect(history[1]["by"]?["uid"]?.integer == Int64(SystemUsers.effectiveUser))
        let status = try client.call("status")
        #expect(status["outbox"]?["attention"] == .integer(0))
        #expect(client.problems.isEmpty)
    }

    @Test("where a later scan of the tag was delivered, only force tries the earlier again")
    func superseded() throws {
        let station = start()
        let client = try watch(station)
        let scan = try refused(client, ["bike"])[0]
        let later = try submit(client, "bike")
        #expect(isDelivered(client, later))
        let refusal = try client.call("outbox.retry", #"{"id":"\#(scan)"}"#)
        #expect(refusal.reason == "superseded")
        #expect(refusal.error?["message"]?.string?.contains("later scan") == true)
        let all = try client.call("outbox.retry", #"{"state":"attention"}"#)
        #expect(all["jobs"] == .array([]))
        #expect(all["superseded"] == .array([.string(scan)]))
        _ = try client.call("outbox.retry", #"{"id":"\#(scan)","force":true}"#)
        #expect(isDelivered(client, scan))
        #expect(sandbox.scanEvents().map(\.idempotencyKey) == [later, scan])
        #expect(client.problems.isEmpty)
    }

    @Test("what is discarded is told once, not sent, and stays in the list")
    func discard() throws {
        let station = start()
        let client = try watch(station)
        let scans = try refused(client, ["bike", "drill"])
        let reply = try client.call("outbox.discard", #"{"id":"\#(scans[0])"}"#)
        #expect(reply["jobs"]?[0]?["state"] == .string("discarded"))
        let event = try client.nextEvent("job")
        #expect(event["job"]?["id"]?.string == scans[0])
        #expect(event["job"]?["state"] == .string("discarded"))
        #expect(event["reader"]?["id"] == .string("manual"))
        #expect(try ids(client, state: "discarded") == [scans[0]])
        let again = try client.call("outbox.discard", #"{"id":"\#(scans[0])"}"#)
        #expect(again.path == "id")
        #expect(again.error?["message"] == .string("id: the delivery was discarded"))
        let all = try client.call("outbox.discard", #"{"state":"attention"}"#)
        let decided = all["jobs"]?.array?.compactMap { $0["id"]?.string }
        #expect(decided == [scans[1]])
        #expect(try results(client, scans[1]) == ["attention", "discarded"])
        #expect(sandbox.scanEvents().isEmpty)
        #expect(client.problems.isEmpty)
    }

    @Test("a job's event has the reader of its scan, and is filtered by it")
    func filtered() throws {
        let folder = TestFolder()
        refuseNext(2)
        let reader = Setting.script(
            folder, name: "door",
            [
                Setting.introduction, Setting.device("d"),
                Setting.arrive("d", token: "1", url: sandbox.url(of: "bike")),
            ])
        let station = StationProcess(
            in: folder,
            Setting.api(sandbox, in: folder, more: "scans_per_minute = 6000") + "\n" + reader)
        let client = try ProtocolClient(path: station.socket)
        let reply = try client.call(
            "subscribe", #"{"since":"start","types":["job"],"readers":["door","dor"]}"#)
        #expect(reply["ignored"] == .array([.string("dor")]), "the configured name is known")
        let event = try client.nextEvent("job")
        #expect(event["reader"]?["id"] == .string("d"))
        #expect(event["job"]?["by"]?["reader"] == event["reader"]?["name"])
        #expect(event["job"]?["by"]?["scan"] == event["job"]?["id"])
        let other = try ProtocolClient(path: station.socket)
        _ = try other.call("subscribe", #"{"since":"start","types":["job"],"readers":["manual"]}"#)
        let scan = try submit(other, "drill")
        #expect(try other.nextEvent("job")["job"]?["id"]?.string == scan, "the first that it gets")
        #expect(client.problems.isEmpty && other.problems.isEmpty)
    }

    @Test("what still waits is tried by itself; only force discards it")
    func stillTried() throws {
        let station = start()
        let client = try watch(station)
        sandbox.control("outage", #"{"mode":"refuse"}"#)
        let scan = try submit(client, "bike")
        #expect(try ids(client, state: "queued") == [scan])
        let failed = Poll.until {
            (try? history(client, scan))?.first?["result"] == .string("failed")
        }
        #expect(failed, "a failed attempt shows at once, whether it counts or not")
        let retried = try client.call("outbox.retry", #"{"id":"\#(scan)"}"#)
        #expect(retried.path == "id")
        let unforced = try client.call("outbox.discard", #"{"id":"\#(scan)"}"#)
        #expect(unforced.path == "force")
        let discarded = Poll.until {
            let reply = try? client.call("outbox.discard", #"{"id":"\#(scan)","force":true}"#)
            return reply?["jobs"] != nil
        }
        #expect(discarded)
        #expect(try client.call("status")["outbox"]?["scans"] == .integer(0))
        #expect(client.problems.isEmpty)
    }

    private static let refusedCalls: [(method: String, parameters: String, where: String)] = [
        ("outbox.list", #"{"state":"atention"}"#, "state"),
        ("outbox.list", #"{"limit":0}"#, "limit"),
        ("outbox.list", #"{"limit":1001}"#, "limit"),
        ("outbox.list", #"{"after":"x"}"#, "after"),
        ("outbox.get", "{}", "id"),
        ("outbox.retry", "{}", "id"),
        ("outbox.retry", #"{"state":"queued"}"#, "state"),
        ("outbox.discard", #"{"id":"a","state":"attention"}"#, "state"),
    ]

    @Test("wrong parameters are named, and a job that is not there is not found")
    func wrong() throws {
        let station = start()
        let client = try ProtocolClient(path: station.socket)
        for call in Self.refusedCalls {
            let reply = try client.call(call.method, call.parameters)
            #expect(reply.path == call.where, "\(call)")
        }
        for method in ["outbox.get", "outbox.retry", "outbox.discard"] {
            #expect(try client.call(method, #"{"id":"none"}"#).reason == "notFound")
        }
        #expect(client.problems.isEmpty)
    }

    @Test("a long outbox is listed in pages, and what was decided survives a kill")
    func pages() throws {
        let folder = TestFolder()
        var station = StationProcess(in: folder, Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        var scans: [String] = []
        for number in 0..<25 {
            let url = Setting.url("ABC", path: "\(number)")
            let reply = try client.call("scan.submit", #"{"url":"\#(url)"}"#)
            scans.append(try #require(reply["scan"]?.string))
        }
        _ = try client.call("outbox.discard", #"{"id":"\#(scans[3])","force":true}"#)
        station.program.kill()
        station = StationProcess(in: folder, Setting.alone)
        let again = try ProtocolClient(path: station.socket)
        var seen: [String] = []
        var after = ""
        repeat {
            let page = try again.call("outbox.list", #"{"limit":10,"kind":"scan"\#(after)}"#)
            seen += page["jobs"]?.array?.compactMap { $0["id"]?.string } ?? []
            after = page["next"]?.string.map { #","after":"\#($0)""# } ?? ""
        } while !after.isEmpty
        #expect(seen == scans)
        #expect(try list(again, #"{"state":"discarded"}"#).count == 1)
        #expect(try again.call("status")["outbox"]?["scans"] == .integer(24))
        #expect(client.problems.isEmpty && again.problems.isEmpty)
    }

    @Test("plingsctl shows, retries and discards, and says what it needs")
    func program() throws {
        let station = start()
        let client = try watch(station)
        func run(_ words: String...) -> RunningProgram {
            let program = RunningProgram(
                [Repository.program("plingsctl"), "--socket", station.socket, "outbox"] + words)
            program.wait()
            return program
        }
        #expect(run().output == "nothing waits or needs attention\n")
        let scans = try refused(client, ["bike", "drill"])
        #expect(run().output.contains("delivery of scan \(scans[0]) · needs attention after 1"))
        #expect(run("list", "--json").output.split(separator: "\n").count == 2)
        #expect(run("show", scans[0]).output.contains("given up · BAD_INPUT: no"))
        #expect(run("retry", scans[0]).output.contains("queued after 1 attempt"))
        #expect(isDelivered(client, scans[0]))
        let shown = run("show", scans[0]).output
        #expect(shown.contains("put back into the outbox") && shown.contains("delivered"))
        #expect(run("discard", "--all").output.contains("discarded after 1 attempt"))
        #expect(run("retry", "--all").errors == "plingsctl: no job needs attention\n")
        let done = run("retry", scans[0])
        #expect(done.wait() == .exit(1) && done.errors.contains("the delivery is done"))
        #expect(run("show", "x").errors.contains("there is no job of that id"))
        #expect(client.problems.isEmpty)
    }
}
