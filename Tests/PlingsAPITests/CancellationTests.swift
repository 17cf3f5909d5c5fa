import PlingsAPI
import TestRig
import Testing

@Suite("Giving up")
struct CancellationTests {
    @Test("a cancelled task ends its request, and no other's, while the server still holds both")
    func oneTask() async throws {
        let server = try ScriptedHTTPServer([.hold(probed), .hold(probed)])
        defer { server.stop() }
        let client = try client(of: server)
        let first = Task { try await failure { try await client.probe() } }
        _ = await server.waitForRequests(1)
        let second = Task { try await client.probe() }
        _ = await server.waitForRequests(2)

        first.cancel()
        #expect(try await first.value == .aborted)
        await server.waitForDepartures(1)

        server.release()
        try await second.value
    }

    @Test("cancelAll ends all that is on its way, and the client goes on")
    func all() async throws {
        let server = try ScriptedHTTPServer([.hold([]), .hold([]), .hold(probed)])
        defer { server.stop() }
        let client = try client(of: server)
        let tasks = (0..<2).map { _ in Task { try await failure { try await client.probe() } } }
        _ = await server.waitForRequests(2)

        client.cancelAll()
        for task in tasks { #expect(try await task.value == .aborted) }
        await server.waitForDepartures(2)

        server.release()
        try await client.probe()
    }

    @Test("after stop everything is given up, what comes later too")
    func stop() async throws {
        let server = try ScriptedHTTPServer([.hold([])])
        defer { server.stop() }
        let client = try client(of: server)
        let task = Task { try await failure { try await client.probe() } }
        _ = await server.waitForRequests(1)

        client.stop()
        #expect(try await task.value == .aborted)
        #expect(try await failure { try await client.probe() } == .aborted)
        await server.waitForDepartures(1)
        #expect(client.join(within: .seconds(60)))
        client.stop()
    }

    @Test("a task that was cancelled before it began sends nothing")
    func beforehand() async throws {
        let server = try ScriptedHTTPServer([])
        defer { server.stop() }
        let client = try client(of: server)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await failure { try await client.probe() }
        }
        #expect(try await task.value == .aborted)
        client.stop()
        #expect(client.join(within: .seconds(60)))
        #expect(server.requests.isEmpty)
    }

    @Test("requests that are cancelled at any moment end once, answered or given up")
    func races() async throws {
        let server = try ScriptedHTTPServer(Array(repeating: .answer(probed), count: 400))
        defer { server.stop() }
        let client = try client(of: server)
        for round in 0..<50 {
            let tasks = (0..<4).map { _ in Task { try await client.probe() } }
            for _ in 0..<round * 4 { await Task.yield() }
            for task in tasks { task.cancel() }
            if round % 5 == 0 { client.cancelAll() }
            for task in tasks {
                if case .failure(let error) = await task.result {
                    #expect(error as? APIFailure == .aborted)
                }
            }
        }
        try await client.probe()
    }

    @Test("a client that is dropped ends its thread and its connections")
    func dropped() async throws {
        let server = try ScriptedHTTPServer([.answer(probed), .hold([])])
        defer { server.stop() }
        try await client(of: server).probe()
        let other = try client(of: server)
        let task = Task { try await failure { try await other.probe() } }
        _ = await server.waitForRequests(2)
        other.cancelAll()
        _ = try await task.value
    }
}
