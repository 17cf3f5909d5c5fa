/// The actor of the process's event loop: whatever is isolated to it runs on one thread, without
/// locks, and may register descriptors and timers.
@globalActor
package actor LoopActor {
    package static let shared = LoopActor()

    /// The loop that is this actor's executor.
    package nonisolated let loop: EventLoop

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    private init() {
        do {
            loop = try EventLoop(name: "station")
        } catch {
            // Without its loop the process can do nothing, not even say so through the loop.
            fatalError("\(error)")
        }
    }

    /// The process's event loop.
    package static var loop: EventLoop { shared.loop }

    /// Runs code that is known to be on the loop's thread: a descriptor's or a timer's handler.
    ///
    /// Traps anywhere else.
    package static func assumeIsolated<Result: Sendable>(
        _ body: @LoopActor () throws -> Result
    ) rethrows -> Result {
        loop.checkIsolated()
        typealias Isolated = @LoopActor () throws -> Result
        typealias Plain = () throws -> Result
        // The two differ in their isolation alone, which the check above has established.
        return try withoutActuallyEscaping(body) { (isolated: @escaping Isolated) throws in
            try unsafeBitCast(isolated, to: Plain.self)()
        }
    }

    /// Calls the handler on the loop whenever the descriptor is ready; see `EventLoop.watch`.
    @LoopActor
    package static func watch(
        _ descriptor: Int32, for readiness: EventLoop.Readiness,
        _ handler: @escaping @LoopActor (EventLoop.Readiness) -> Void
    ) throws(SystemError) -> EventLoop.WatchID {
        try loop.watch(descriptor, for: readiness) { readiness in
            assumeIsolated { handler(readiness) }
        }
    }

    /// Calls the handler on the loop once the delay has passed.
    @LoopActor
    @discardableResult
    package static func after(
        _ delay: Duration, _ handler: @escaping @LoopActor () -> Void
    ) -> TimerID {
        loop.after(delay) { assumeIsolated { handler() } }
    }

    /// Suspends the calling task without a thread of the cooperative pool; not cancellable.
    @LoopActor
    package static func sleep(_ delay: Duration) async {
        await withCheckedContinuation { continuation in
            after(delay) { continuation.resume() }
        }
    }
}
