internal import Synchronization

/// What a request comes to at the transport.
typealias TransportResult = Result<HTTPAnswer, TransportError>

/// Whoever is told what a request came to, on the transport's thread.
protocol AnswerReceiver: AnyObject, Sendable {
    /// Brings the result; only the first one counts.
    ///
    /// For a thread without a task of its own. From a cancellation handler the waiting task would
    /// go on inside its own cancellation: seen to crash and to hang with Swift 6.0.3.
    func bring(_ result: TransportResult)
}

/// One answer that one task waits for, without Swift's cooperative pool.
///
/// A continuation resumes its task on the pool, whatever actor the task belongs to, and from there
/// it goes on to that actor: so a busy pool would hold up an answer, and an idle one would get
/// threads for nothing. Here the waiting task is a job of this actor's own executor. The executor
/// holds it until the answer is there; the thread that brings the answer runs it, which is just long
/// enough to take the answer and go straight to the executor of the caller.
///
/// The answer is read on the thread that brings it, so that a huge one holds up nobody else.
actor PendingAnswer<Value: Sendable>: AnswerReceiver {
    private nonisolated let gate: AnswerGate<Value>
    private nonisolated let read: @Sendable (TransportResult) -> Value

    init(reading read: @escaping @Sendable (TransportResult) -> Value) {
        gate = AnswerGate()
        self.read = read
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { gate.asUnownedSerialExecutor() }

    nonisolated func bring(_ result: TransportResult) {
        gate.open(with: read(result))
    }

    /// Waits for the answer.
    func take() -> Value {
        gate.value
    }
}

/// An executor that holds its jobs until there is a value.
private final class AnswerGate<Value: Sendable>: SerialExecutor {
    private struct State {
        var value: Value?
        var held: [UnownedJob] = []
    }
    private let state = Mutex(State())

    /// The value; for this executor's jobs alone, which run when it is there.
    var value: Value {
        guard let value = state.withLock(\.value) else {
            preconditionFailure("a job of a closed gate")
        }
        return value
    }

    func open(with value: Value) {
        let released = state.withLock { state in
            guard state.value == nil else { return [UnownedJob]() }
            state.value = value
            defer { state.held = [] }
            return state.held
        }
        for job in released { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWait = state.withLock { state in
            if state.value == nil { state.held.append(job) }
            return state.value == nil
        }
        if !mustWait { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
