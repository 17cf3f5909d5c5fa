internal import Synchronization

/// The ledger behind a lock, with the bell that wakes the thread.
final class TransferMailbox: Sendable {
    typealias Ledger = TransferLedger<PendingAnswer>

    let multi: CurlMulti
    private let ledger = Mutex(Ledger())

    init(_ multi: CurlMulti) {
        self.multi = multi
    }

    func newID() -> TransferID {
        ledger.withLock { $0.newID() }
    }

    func submit(
        _ request: HTTPRequest, _ id: TransferID, _ caller: PendingAnswer
    ) {
        guard ledger.withLock({ $0.submit(request, id, caller) }) else {
            caller.bring(.failure(.aborted))
            return
        }
        multi.wake()
    }

    func abandon(_ id: TransferID) {
        release(ledger.withLock { $0.abandon(id) }.map { [$0] } ?? [])
    }

    func abandonAll() {
        release(ledger.withLock { $0.abandonAll() })
    }

    func stop() {
        release(ledger.withLock { $0.stop() })
        multi.wake()
    }

    private func release(_ callers: [PendingAnswer]) {
        guard !callers.isEmpty else { return }
        for caller in callers { caller.bring(.failure(.aborted)) }
        multi.wake()
    }

    // MARK: The thread's side

    func takeWork() -> Ledger.Work {
        ledger.withLock { $0.takeWork() }
    }

    func answer(_ id: TransferID, _ answer: PendingAnswer.Answer) {
        ledger.withLock { $0.finish(id) }?.bring(answer)
    }
}
