import Configuration
import FoundationEssentials
import Glibc
import LineProtocols
import Platform
import Scanning
import TestRig
import Testing

@testable import Station

@Suite("A whole station")
@LoopActor
struct WholeStationTests {
    private let folder: TestFolder
    private let paths: StartPaths

    init() throws {
        Signals.block([])
        folder = TestFolder()
        paths = StartPaths(store: "\(folder.path)/store", socket: "\(folder.path)/s")
    }

    private func station(
        readers: [[String]] = [], socket: String? = nil, store: String? = nil
    ) async throws -> Station {
        var configuration = StationConfiguration.defaults
        configuration.station.id = "kiosk-3"
        configuration.readers.automatic = false
        configuration.readerEntries = readers.map {
            StationConfiguration.ReaderEntry(kind: .exec(command: $0))
        }
        let paths = StartPaths(store: store ?? paths.store, socket: socket ?? paths.socket)
        let station = try await Station(configuration: configuration, paths: paths, log: .quiet)
        try await station.start()
        return station
    }

    private struct Reply<Result: Decodable>: Decodable {
        let result: Result
    }

    private func result<Result: Decodable>(
        _ type: Result.Type, _ line: String?
    ) throws -> Result {
        try JSONDecoder().decode(Reply<Result>.self, from: Data((line ?? "").utf8)).result
    }

    @Test("greets, says what it is, and takes a scan by hand on the path of any other")
    func submit() async throws {
        let station = try await station()
        let client = try SocketClient(paths.socket)
        let hello = try #require(await client.line())
        #expect(hello.contains(#""station":"kiosk-3""#))
        #expect(hello.contains(#""may":["watch","act"]"#))
        await client.request("subscribe", id: 1, #"{"types":["scan","resolution"]}"#)
        _ = await client.line()
        await client.request("scan.submit", id: 2, #"{"url":"\#(Sample.url())"}"#)
        var lines = await client.lines(3)
        let reply = try #require(lines.firstIndex { $0.contains(#""id":2"#) })
        let submitted = try result(SubmitResult.self, lines.remove(at: reply))
        let events = lines.compactMap { PublishedEvent(Array($0.utf8)) }
        #expect(events.map(\.words) == ["scan", "resolution OFFLINE station notConfigured"])
        #expect(events.map(\.scan) == [submitted.scan, submitted.scan])
        #expect(events.map(\.reader) == [.manual, .manual])
        await client.request("scan.submit", id: 3, #"{"url":"https://example.org"}"#)
        lines = await client.lines(2)
        #expect(lines.contains { $0.contains(#""unrecognised":"foreign""#) && $0.contains("id") })
        await client.request("scan.submit", id: 4)
        let refusal = await client.message()
        #expect(refusal?.error?.code == .invalidParameters)
        #expect(refusal?.error?.path == "url")
        await station.stop()
    }

    @Test("its status is true, readers without a device included")
    func status() async throws {
        let station = try await station(readers: [["/nowhere/reader"]])
        let client = try SocketClient(paths.socket)
        _ = await client.line()
        await client.request("scan.submit", id: 1, #"{"url":"\#(Sample.url())"}"#)
        _ = await client.line()
        await client.request("status", id: 2)
        let status = try result(Status.self, await client.line())
        #expect(status.station == "kiosk-3")
        #expect(status.api == Status.API(state: .notConfigured, reason: nil, endpoint: nil))
        #expect(status.outbox.scans == 1)
        #expect(status.outbox.oldestAt != nil)
        #expect(status.outbox.bytes > 0)
        #expect(status.log.first == 1)
        #expect(status.log.last >= 4, "location, api, scan and its answer at least")
        #expect(status.counters["scans"] == 1)
        #expect(status.readers.map(\.id) == ["reader"])
        #expect(status.readers.first?.reason?.hasSuffix(" is not there") == true)
        await station.stop()
    }

    @Test("a second one on the same store or socket says who is there")
    func second() async throws {
        let station = try await station()
        let pid = getpid()
        #expect(
            await refusal(socket: "\(folder.path)/other")
                == "the store in \(paths.store) is in use by process \(pid)")
        #expect(
            await refusal(store: "\(folder.path)/other")
                == "another program (pid \(pid)) is listening on \(paths.socket)")
        let client = try SocketClient(paths.socket)
        #expect(await client.message()?.method == "hello", "the first one goes on")
        await station.stop()
    }

    /// Why a station can't start; nil where it can.
    private func refusal(socket: String? = nil, store: String? = nil) async -> String? {
        do {
            _ = try await station(socket: socket, store: store)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("after a stop the store is complete and another can begin at once")
    func stopAndStart() async throws {
        let first = try await station()
        let client = try SocketClient(paths.socket)
        _ = await client.line()
        await client.request("scan.submit", #"{"url":"\#(Sample.url())"}"#)
        _ = await client.line()
        await first.stop()
        #expect(await client.isClosed())
        let second = try await station()
        let next = try SocketClient(paths.socket)
        _ = await next.line()
        await next.request("subscribe", #"{"types":["scan"],"since":"start"}"#)
        let lines = await next.lines(2)
        #expect(lines.last?.contains(Sample.key) == true)
        await second.stop()
    }

    @Test("a stop waits for no reader that does not end and no client that does not read")
    func stubborn() async throws {
        let script = "trap '' TERM; while :; do sleep 1; done"
        let station = try await station(readers: [["/bin/sh", "-c", script]])
        let client = try SocketClient(paths.socket)
        _ = await client.line()
        await client.request("subscribe", #"{"since":"start"}"#)
        for id in 2..<40 {
            let text = String(repeating: "x", count: 60_000)
            await client.request("scan.submit", id: id, #"{"url":"\#(text)"}"#)
        }
        var isStopped = false
        Task {
            await station.stop()
            isStopped = true
        }
        #expect(await eventually { isStopped })
        #expect(access(paths.socket, F_OK) != 0)
    }

    private nonisolated static let hasPython: Bool = {
        (try? ChildProcess(["python3", "--version"]).reap(blocking: true)) == .exit(0)
    }()

    @Test("a reader program may neither watch nor act", .enabled(if: hasPython, "needs python3"))
    func readerAsClient() async throws {
        let found = "\(folder.path)/found"
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            f = s.makefile("rw")
            lines = [f.readline()]
            for method in ("subscribe", "status", "scan.submit"):
                f.write('{"id":1,"method":"%s","params":{"url":"x"}}\\n' % method)
                f.flush()
                lines.append(f.readline())
            open(sys.argv[2] + ".part", "w").writelines(lines)
            import os
            os.rename(sys.argv[2] + ".part", sys.argv[2])
            sys.stdin.read()
            """
        let station = try await station(
            readers: [["python3", "-c", script, paths.socket, found]])
        #expect(await eventually { access(found, F_OK) == 0 })
        let text = String(decoding: try Data(contentsOf: URL(filePath: found)), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first?.contains(#""may":[]"#) == true)
        #expect(lines.dropFirst().count == 3)
        for line in lines.dropFirst() {
            #expect(Message(line)?.error?.reason == .notAllowed)
        }
        await station.stop()
    }
}
