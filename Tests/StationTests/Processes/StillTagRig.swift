import Glibc
import Platform
import TestRig
import Testing

/// Virtual readers, the daemon on them, a hand with tags, and what subscribers are told of both.
final class StillTagRig {
    let readers: VirtualReaders
    let tags: VirtualTags
    private let folder = TestFolder()
    private let extra: String
    private(set) var station: StationProcess
    private(set) var client: ProtocolClient
    private var cursor: Int64 = 0
    /// How often the tags on each port have been asked something.
    private var asked: [Int: Int] = [:]
    /// Whether a restart took the machine about as long as the station waits for one.
    private var wasTooSlow = false

    /// What is told after a restart that took too long can't be said.
    struct TooSlow: Error {}

    init(_ models: [String] = ["acr122u", "acr122u"], _ extra: String = "") async throws {
        readers = try await VirtualReaders(models)
        tags = try VirtualTags()
        self.extra = extra
        station = StationProcess(in: folder, extra, environment: readers.environment)
        client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", #"{"since":"start"}"#)
        try waitUntilReady()
    }

    /// Plays a scene on a new rig, anew where the machine was too slow for it.
    ///
    /// That it is too slow each time is an issue: then nothing was seen.
    ///
    /// - Parameters:
    ///   - models: The readers.
    ///   - scene: What happens and what is expected; it calls `checkPace` before it expects.
    /// - Throws: What the scene throws.
    static func play(
        _ models: [String] = ["acr122u", "acr122u"], _ scene: (StillTagRig) async throws -> Void
    ) async throws {
        for _ in 0..<5 {
            do {
                return try await scene(try await StillTagRig(models))
            } catch is TooSlow {
                continue
            }
        }
        Issue.record("five times a restart took about as long as the station waits for one")
    }

    /// Ends the scene where a restart took so long that it can't be said what is told.
    ///
    /// - Throws: `TooSlow`.
    func checkPace() throws {
        if wasTooSlow { throw TooSlow() }
    }

    static func tag(_ uid: String) -> String {
        #"{"kind":"ntag213","uid":"\#(uid)","uri":"\#(Setting.url("ABC"))","trace":true}"#
    }

    // MARK: What is told

    /// The next scan, which is to be of this tag.
    func scan(of uid: String) throws -> String {
        let scan = try next("scan", within: .seconds(20))
        #expect(scan["tag"]?["uid"]?.string == uid)
        return try #require(scan["scan"]?.string)
    }

    /// The next departure, which is to be of this scan.
    @discardableResult
    func departure(
        of scan: String, lost: Bool = false, within limit: Duration = .seconds(20)
    ) throws -> JSONValue {
        let departure = try next("departure", within: limit)
        #expect(departure["scan"]?.string == scan)
        #expect(departure["lost"] == (lost ? .bool(true) : nil))
        return departure
    }

    func next(_ type: String, within limit: Duration = .seconds(20)) throws -> JSONValue {
        let event = try client.nextEvent(type, within: limit)
        cursor = max(cursor, event["seq"]?.integer ?? 0)
        return event
    }

    /// All scans that the log has, in their order, by the UID of the tag.
    func allScans() throws -> [String] {
        try logged("scan").map { $0["tag"]?["uid"]?.string ?? "" }
    }

    /// All events of a type that the log has, in their order.
    func logged(_ type: String) throws -> [JSONValue] {
        let reader = try ProtocolClient(path: station.socket)
        let last = try #require(try reader.call("status")["log"]?["last"]?.integer)
        _ = try reader.call("subscribe", #"{"since":"start"}"#)
        var events: [JSONValue] = []
        var seq: Int64 = 0
        while seq < last {
            let event = try reader.nextEvent()
            seq = event["seq"]?.integer ?? seq
            if event["type"] == .string(type) { events.append(event) }
        }
        return events
    }

    /// Waits until every reader can see tags.
    func waitUntilReady(_ count: Int? = nil) throws {
        let wanted = count ?? readers.ports.count
        let isReady = Poll.until {
            let list = try? client.call("status")["readers"]?.array
            return list?.count { $0["state"] == .string("ready") } ?? 0 >= wanted
        }
        #expect(isReady, "\(String(describing: try? client.call("status")["readers"]))")
    }

    // MARK: Restarts

    /// The process of plings-pcsc.
    func readerProgram() throws -> pid_t {
        var found: pid_t?
        _ = Poll.until {
            let children = RunningProgram(
                ["sh", "-c", "cat /proc/\(station.program.pid)/task/*/children"])
            children.wait()
            found = children.output.split { $0.isWhitespace }.first.flatMap { pid_t($0) }
            return found != nil
        }
        return try #require(found, "plingsd runs no reader program")
    }

    /// Kills the reader program; back when the next one can see tags.
    func killReaderProgram() throws {
        rememberQuestions()
        let program = try readerProgram()
        let begin = Clocks.monotonicNanoseconds()
        kill(program, SIGKILL)
        for _ in readers.ports { try wait(for: "disconnected") }
        for _ in readers.ports { try wait(for: "ready") }
        noteGap(since: begin)
    }

    /// Ends pcscd and starts another with these tags on the readers, by port; back when they can be
    /// seen.
    func restartService(tags lying: [Int: String]) async throws {
        rememberQuestions()
        try await readers.stop()
        let begin = Clocks.monotonicNanoseconds()
        for _ in readers.ports { try wait(for: "disconnected") }
        try await readers.restart()
        for (port, uid) in lying { try await tags.insert(port, Self.tag(uid)) }
        for _ in readers.ports { try wait(for: "ready") }
        noteGap(since: begin)
    }

    private func noteGap(since begin: UInt64) {
        if Clocks.monotonicNanoseconds() - begin > 4_000_000_000 { wasTooSlow = true }
    }

    /// Waits until a reader is told to be in a state.
    @discardableResult
    func wait(for state: String) throws -> JSONValue {
        while true {
            let event = try next("reader")
            if event["state"] == .string(state), event["reader"]?["id"] != .string("pcsc") {
                return event
            }
        }
    }

    /// Ends plingsd by a signal.
    func end(_ signal: Int32) {
        rememberQuestions()
        cursor = (try? client.call("status")["log"]?["last"]?.integer) ?? cursor
        station.program.signal(signal)
        #expect(station.program.wait() != nil)
    }

    /// Starts plingsd again; back when it can see tags.
    func start(readers count: Int? = nil) throws {
        station = StationProcess(in: folder, extra, environment: readers.environment)
        client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", #"{"since":\#(cursor)}"#)
        try waitUntilReady(count)
    }

    private func rememberQuestions() {
        for port in readers.ports { asked[port] = questions(port) }
    }

    private func questions(_ port: Int) -> Int {
        tags.events(port).count { $0.ev == "apdu" }
    }

    /// Waits until the tag on a port was asked something after the last end of a program.
    func waitUntilLookedAt(_ port: Int) {
        #expect(Poll.until { questions(port) > asked[port] ?? 0 })
    }
}
