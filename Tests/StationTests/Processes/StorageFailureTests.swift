import Glibc
import Platform
import TestRig
import Testing

@Suite(
    "A station whose disk fails", .serialized,
    .enabled(if: SmallDisk.isPossible, "mounting needs root"))
struct StorageFailureTests {
    private let folder = TestFolder()

    private var store: String { "\(folder.path)/store" }
    private var database: String { "\(store)/station.sqlite" }

    private func watch(_ station: StationProcess) throws -> ProtocolClient {
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", #"{"since":"start","types":["scan"]}"#)
        return client
    }

    private func state(_ client: ProtocolClient) -> String? {
        (try? client.call("status"))?["store"]?["state"]?.string
    }

    /// Whether it says so in its log, which comes by another way than replies.
    private func says(_ station: StationProcess, _ words: String) -> Bool {
        Poll.until { station.program.errors.contains(words) }
    }

    /// The ids of scans with the times at which they were made.
    private func scans(_ client: ProtocolClient, _ count: Int) throws -> [(id: String, at: String)]
    {
        try (0..<count).map { _ in
            let event = try client.nextEvent("scan")
            return (event["scan"]?.string ?? "", event["at"]?.string ?? "")
        }
    }

    private func submit(_ client: ProtocolClient) throws -> ProtocolClient.Reply {
        try client.call("scan.submit", #"{"url":"\#(Setting.url("ABC"))"}"#)
    }

    @Test("on a disk that fills while tags are tapped, each scan is kept once and delivered")
    func fullWhileTapping() throws {
        let sandbox = SandboxProcess()
        let disk = try SmallDisk(mebibytes: 12, at: store)
        let reader = try PipedReader(in: folder, name: "gate")
        let api = Setting.api(sandbox, in: folder, more: "scans_per_minute = 6000")
        let station = StationProcess(in: folder, "\(api)\n\(reader.configuration)")
        let client = try watch(station)
        let asking = try ProtocolClient(path: station.socket)
        let urls = ["bike", "drill", "new-generic", "new-bike"].map { sandbox.url(of: $0) }
        sandbox.control("outage", #"{"mode":"refuse"}"#)
        try disk.fill()
        var taps = 0
        let isFull = Poll.until(seconds: 60) {
            for _ in 0..<25 {
                reader.tap(urls[taps % urls.count])
                taps += 1
            }
            return state(asking) == "full"
        }
        #expect(isFull)
        for _ in 0..<25 {
            reader.tap(urls[taps % urls.count])
            taps += 1
        }
        let live = try scans(client, taps)
        let refusal = try submit(asking)
        #expect(refusal.reason == "full")
        #expect(refusal.error?["message"]?.string?.contains("full") == true)
        let report = RunningProgram(
            [Repository.program("plingsctl"), "--socket", station.socket, "status"])
        report.wait()
        #expect(report.output.contains("the disk is full"), "\(report.output)")
        #expect(says(station, "error: nothing can be stored state=full"))

        disk.empty()
        sandbox.control("outage", method: "DELETE")
        let isDelivered = Poll.until(seconds: 60) {
            state(asking) == "ok"
                && (try? asking.call("status"))?["outbox"]?["scans"] == .integer(0)
        }
        #expect(isDelivered, "\(String(describing: try? asking.call("status")))")
        let logged = try scans(try watch(station), taps)
        #expect(Set(logged.map(\.id)) == Set(live.map(\.id)))
        #expect(Set(logged.map(\.id)).count == taps)
        let times = Dictionary(uniqueKeysWithValues: logged.map { ($0.id, $0.at) })
        let records = sandbox.scanEvents()
        #expect(records.count == taps)
        #expect(Set(records.compactMap(\.idempotencyKey)).count == taps)
        for record in records { #expect(record.timestamp == times[record.idempotencyKey ?? ""]) }
        for identifier in Set(records.map(\.identifier)) {
            let delivered = records.filter { $0.identifier == identifier }
                .compactMap(\.idempotencyKey)
            // A scan's id begins with its time and goes up within a millisecond or not at all.
            let order = Dictionary(
                uniqueKeysWithValues: live.enumerated().map { ($1.id, $0) })
            let places = delivered.compactMap { order[$0] }
            #expect(places == places.sorted(), "in the order in which they were made")
        }
        let counters = try asking.call("status")["counters"]
        #expect(counters?["lost"] == .integer(0) && counters?["unstored"] == .integer(0))
        #expect(client.problems.isEmpty && asking.problems.isEmpty)
    }

    @Test("work is refused while less than 64 MiB are left, and tags are taken")
    func reserved() throws {
        let disk = try SmallDisk(mebibytes: 40, at: store)
        let reader = try PipedReader(in: folder, name: "gate")
        let station = StationProcess(in: folder, reader.configuration)
        let client = try watch(station)
        let refusal = try submit(client)
        #expect(refusal.reason == "full")
        #expect(refusal.error?["message"]?.string?.contains("64 MiB") == true)
        reader.tap(Setting.url("ABC"))
        let scan = try client.nextEvent("scan")
        #expect(scan["seq"] != nil && scan["reader"]?["id"] == .string("gate"))
        #expect(try client.call("status")["counters"]?["scans"] == .integer(1))
        #expect(client.problems.isEmpty)
        withExtendedLifetime(disk) {}
    }

    @Test("on a read-only disk it starts, says so, takes tags, and stores them once it can")
    func readOnly() throws {
        let disk = try SmallDisk(mebibytes: 16, at: store)
        let reader = try PipedReader(in: folder, name: "gate")
        var station = StationProcess(in: folder, reader.configuration)
        var client = try watch(station)
        reader.tap(Setting.url("ABC"))
        _ = try client.nextEvent("scan")
        let log = client.hello["log"]
        #expect(station.stop() == .exit(0))
        try disk.makeReadOnly()

        station = StationProcess(in: folder, reader.configuration)
        client = try watch(station)
        #expect(client.hello["log"] == log)
        #expect(try client.nextEvent("scan")["seq"] != nil, "the log can be read")
        #expect(Poll.until { state(client) == "readOnly" })
        #expect(says(station, "nothing can be stored state=readOnly"))
        reader.tap(Setting.url("DEF"))
        let scan = try client.nextEvent("scan")
        #expect(scan["durable"] == .bool(false) && scan["seq"] == nil)
        #expect(try submit(client).reason == "full")
        try disk.makeWritable()
        #expect(Poll.until { state(client) == "ok" })
        #expect(try submit(client).reason == "full", "this disk has less than 64 MiB")
        let logged = try scans(try watch(station), 2)
        #expect(logged.last?.id == scan["scan"]?.string)
        #expect(client.problems.isEmpty)
    }

    @Test("a damaged store is set aside at work: what waited is delivered, a new log begins")
    func damagedAtWork() throws {
        let sandbox = SandboxProcess()
        sandbox.control("outage", #"{"mode":"refuse"}"#)
        let reader = try PipedReader(in: folder, name: "gate")
        let api = Setting.api(sandbox, in: folder, more: "scans_per_minute = 6000")
        let station = StationProcess(in: folder, "\(api)\n\(reader.configuration)")
        let before = try watch(station)
        let url = sandbox.url(of: "bike")
        for _ in 0..<50 { reader.tap(url) }
        var ids = try scans(before, 50).map(\.id)
        let editor = RunningProgram(["sqlite3", database, "DROP TABLE cache"])
        #expect(editor.wait() == .exit(0), "\(editor.errors)")
        reader.tap(url)
        ids.append(try scans(before, 1)[0].id)
        try before.waitUntilClosed()
        let last = try before.nextMessage()
        guard case .bye(let farewell) = last else {
            Issue.record("\(last)")
            return
        }
        #expect(farewell["reason"] == .string("gap"))
        #expect(before.problems.isEmpty)
        let after = try ProtocolClient(path: station.socket)
        #expect(after.hello["log"] != before.hello["log"])
        #expect(Poll.until { state(after) == "ok" })
        #expect(says(station, "the store was damaged and is set aside; a new one begins"))
        #expect(says(station, "unreadable=0"))
        sandbox.control("outage", method: "DELETE")
        #expect(Poll.until { sandbox.scanEvents().count == ids.count })
        let delivered = sandbox.scanEvents().compactMap(\.idempotencyKey)
        #expect(delivered == ids)
        #expect(after.problems.isEmpty)
    }

    @Test("deleted files are noticed and said; what waited is kept and the station goes on")
    func deletedFiles() throws {
        let reader = try PipedReader(in: folder, name: "gate")
        let station = StationProcess(in: folder, reader.configuration)
        let before = try watch(station)
        for _ in 0..<5 { reader.tap(Setting.url("ABC")) }
        _ = try scans(before, 5)
        for ending in ["", "-wal", "-shm"] { unlink(database + ending) }
        reader.tap(Setting.url("ABC"))
        let scan = try scans(before, 1)[0].id
        let client = try ProtocolClient(path: station.socket)
        #expect(Poll.until { state(client) == "ok" && FilePath.exists(database) })
        #expect(says(station, "the store's files were taken away"))
        #expect(try client.call("status")["outbox"]?["scans"] == .integer(6))
        let logged = try scans(try watch(station), 1)
        #expect(logged[0].id == scan)
        #expect(client.problems.isEmpty)
    }

    @Test("while another program holds the database tags are taken, and a stop is not held up")
    func lock() throws {
        let reader = try PipedReader(in: folder, name: "gate")
        let station = StationProcess(in: folder, reader.configuration)
        let client = try watch(station)
        reader.tap(Setting.url("ABC"))
        _ = try client.nextEvent("scan")
        let other = RunningProgram(["sqlite3", database])
        other.write("BEGIN IMMEDIATE;\nSELECT 'held';\n")
        #expect(Poll.until { other.output.contains("held") })
        for _ in 0..<3 { reader.tap(Setting.url("ABC")) }
        for _ in 0..<3 { #expect(try client.nextEvent("scan")["durable"] == .bool(false)) }
        #expect(state(client) == "busy")
        other.write("COMMIT;\n")
        #expect(Poll.until { state(client) == "ok" })
        let logged = try scans(try watch(station), 4)
        #expect(Set(logged.map(\.id)).count == 4)
        let words = station.program.errors
        #expect(words.split(separator: "nothing can be stored").count == 2, "it is said once")
        other.write("BEGIN IMMEDIATE;\nSELECT 'again';\n")
        #expect(Poll.until { other.output.contains("again") })
        reader.tap(Setting.url("ABC"))
        #expect(try client.nextEvent("scan")["durable"] == .bool(false))
        #expect(station.stop() == .exit(0))
        #expect(says(station, "what could not be stored is lost"))
        other.kill()
        #expect(client.problems.isEmpty)
    }
}
