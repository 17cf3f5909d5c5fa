import Platform

/// An actor on a loop of its own, through which a test reaches it.
actor LoopUser {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var happened: [String] = []
    private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    init(_ name: String = "test") throws {
        loop = try EventLoop(name: name)
    }

    /// Runs code on the loop's thread.
    func run<Result: Sendable>(
        _ body: @Sendable (isolated LoopUser) throws -> Result
    ) rethrows -> Result {
        try body(self)
    }

    /// Notes that something happened; for handlers, which are on the loop's thread.
    nonisolated func note(_ what: String) {
        assumeIsolated { user in
            user.happened.append(what)
            guard let waiter = user.waiter, user.happened.count >= waiter.count else { return }
            user.waiter = nil
            waiter.continuation.resume()
        }
    }

    /// What has happened, once so much has.
    func first(_ count: Int) async -> [String] {
        if happened.count < count {
            await withCheckedContinuation { waiter = (count, $0) }
        }
        return happened
    }
}
