import Glibc
import LineProtocols
import Platform
import Testing

@testable import Station
@testable import Storage

@Suite("The station's socket")
@LoopActor
struct SocketServerTests {
    private let bench: SocketBench

    init() throws {
        bench = try SocketBench()
    }

    @Test("hello is the first line, at once")
    func hello() async throws {
        let client = try SocketClient(bench.path)
        let line = try #require(await client.line())
        #expect(line.contains(#""method":"hello""#))
        #expect(line.contains(#""log":"\#(bench.bench.store.log)""#))
        #expect(line.contains(#""first":1"#))
        #expect(line.contains(#""last":0"#))
        bench.stop()
    }

    @Test("one program too many is told so in place of the hello, and closed")
    func tooMany() async throws {
        var clients: [SocketClient] = []
        for _ in 0..<SocketServer.connectionLimit { clients.append(try await bench.connect()) }
        let refused = try SocketClient(bench.path)
        let message = await refused.message()
        #expect(message?.error?.reason == .busy)
        #expect(message?.id == nil)
        #expect(message?.method == nil)
        #expect(await refused.isClosed())
        await clients.removeLast().close()
        let isFree = await Self.isFree(bench.path)
        #expect(isFree)
        for client in clients { await client.close() }
        bench.stop()
    }

    /// Whether a connection is greeted, with patience for one that is just being closed.
    private static func isFree(_ path: String) async -> Bool {
        for _ in 0..<100 {
            guard let client = try? SocketClient(path) else { return false }
            if await client.message()?.method == "hello" { return true }
        }
        return false
    }

    @Test("programs that connect and are gone at once take no connection from others")
    func goneAtOnce() async throws {
        for number in 0..<(SocketServer.connectionLimit + 10) {
            // As health checks do, and a second station that looks whether one is here.
            _ = try UnixSocket.connect(to: bench.path)
            // The queue of connections that the kernel keeps is not to be filled.
            if number % 32 == 0 { await LoopActor.sleep(.milliseconds(1)) }
        }
        let client = try SocketClient(bench.path)
        #expect(await client.message()?.method == "hello")
        #expect(bench.server.count == 1)
        bench.stop()
    }

    @Test("a stop ends all connections and removes the file")
    func stop() async throws {
        let client = try await bench.connect()
        bench.stop()
        #expect(await client.isClosed())
        #expect(access(bench.path, F_OK) != 0)
    }

    @Test("a stop waits for nobody who does not read")
    func stopWithLaggard() async throws {
        let client = try await bench.subscriber()
        await bench.record(2000, size: 2000)
        bench.stop()
        #expect(bench.server.count == 0)
        _ = client
    }
}
