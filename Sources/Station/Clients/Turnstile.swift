internal import LineProtocols
internal import Platform

/// Has questions answered one after the other, in the order in which they were asked.
///
/// Answering costs time of the loop and of the store, which tags need as well. However many
/// programs ask at once, a tag waits for one answer at most.
@LoopActor
final class Turnstile {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated init() {}

    /// Answers a question once those before it are answered.
    func pass<Value>(_ answer: @LoopActor () async -> Value) async -> Value {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
        let value = await answer()
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        return value
    }

    /// As `pass`, for a question that may be refused.
    func pass<Value>(
        _ answer: @LoopActor () async throws(RequestError) -> Value
    ) async throws(RequestError) -> Value {
        try await pass { () async -> Result<Value, RequestError> in
            do throws(RequestError) {
                return .success(try await answer())
            } catch {
                return .failure(error)
            }
        }.get()
    }
}
