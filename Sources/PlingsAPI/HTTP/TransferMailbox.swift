internal import Synchronization

/// The ledger behind a lock, with the bell that wakes the thread.
final class TransferMailbox: Sendable {
    typealias Ledger = TransferLedger<any AnswerReceiver>

    let multi: CurlMulti
    private let ledger = Mutex(Ledger())

    init(_ multi: CurlMulti) {
        self.multi = multi
    }

    func newID() -> TransferID {
        ledger.withLock { $0.newID() }
    }

    /// Hands a request to the thread.
    ///
    /// - Returns: False after `stop`: nobody will answer.
    func submit(_ request: HTTPRequest, _ id: TransferID, _ caller: any AnswerReceiver) -> Bool {
        guard ledger.withLock({ $0.submit(request, id, caller) }) else { return false }
        multi.wake()
        return true
    }

    func abandon(_ id: TransferID) {
        ledger.withLock { $0.abandon(id) }
        multi.wake()
    }

    func abandonAll() {
        ledger.withLock { $0.abandonAll() }
        multi.wake()
    }

    func stop() {
        ledger.withLock { $0.stop() }
        multi.wake()
    }

    // MARK: The thread's side

    func takeWork() -> Ledger.Work {
        ledger.withLock { $0.takeWork() }
    }

    func answer(_ id: TransferID, _ answer: TransportResult) {
        ledger.withLock { $0.finish(id) }?.bring(answer)
    }
}
