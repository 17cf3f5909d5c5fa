internal import Synchronization

/// One answer that one task waits for, without Swift's cooperative pool.
///
/// A continuation resumes its task on the pool, whatever actor the task belongs to, and from there
/// it goes on to that actor: so a busy pool would hold up an answer, and an idle one would get
/// threads for nothing. Here the waiting task is a job of this actor's own executor. The executor
/// holds it until the answer is there; the thread that brings the answer runs it, which is just long
/// enough to take the answer and go straight to the executor of the caller.
actor PendingAnswer {
    typealias Answer = Result<HTTPAnswer, TransportError>

    private nonisolated let gate = AnswerGate()

    nonisolated var unownedExecutor: UnownedSerialExecutor { gate.asUnownedSerialExecutor() }

    /// Brings the answer; only the first one counts.
    ///
    /// For a thread without a task of its own. From a cancellation handler the waiting task would
    /// go on inside its own cancellation: seen to crash and to hang with Swift 6.0.3.
    nonisolated func bring(_ answer: Answer) {
        gate.open(with: answer)
    }

    /// Waits for the answer.
    func take() -> Answer {
        // The executor runs nothing before there is an answer.
        gate.answer ?? .failure(.aborted)
    }
}

/// An executor that holds its jobs until there is an answer.
private final class AnswerGate: SerialExecutor {
    private struct State {
        var answer: PendingAnswer.Answer?
        var held: [UnownedJob] = []
    }
    private let state = Mutex(State())

    var answer: PendingAnswer.Answer? { state.withLock(\.answer) }

    func open(with answer: PendingAnswer.Answer) {
        let released = state.withLock { state in
            guard state.answer == nil else { return [UnownedJob]() }
            state.answer = answer
            defer { state.held = [] }
            return state.held
        }
        for job in released { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWait = state.withLock { state in
            if state.answer == nil { state.held.append(job) }
            return state.answer == nil
        }
        if !mustWait { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
