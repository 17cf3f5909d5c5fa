internal import CCurl
internal import Glibc
internal import Platform

/// The transport's thread: begins, drops and ends transfers, and sleeps while there is none.
final class TransferLoop {
    private let mailbox: TransferMailbox
    private let settings: TransportSettings
    private var running: [UnsafeMutableRawPointer: Transfer] = [:]
    private var idle: [Transfer] = []

    /// How many handles are kept for the next requests: four live scans, a backlog, an upload.
    private static let keptHandles = 6

    init(_ mailbox: TransferMailbox, _ settings: TransportSettings) {
        self.mailbox = mailbox
        self.settings = settings
    }

    private var multi: CurlMulti { mailbox.multi }

    /// Runs until the mailbox is stopped.
    func run() {
        blockBrokenPipes()
        while true {
            let work = mailbox.takeWork()
            for caller in work.release { caller.bring(.failure(.aborted)) }
            for id in work.drop { drop(id) }
            if work.stop { break }
            for submission in work.begin { begin(submission) }
            multi.perform()
            while let (easy, code) = multi.nextEnded() { end(easy, code) }
            multi.wait()
        }
        close()
    }

    /// Keeps a write of OpenSSL's to a closed connection from ending the process; libcurl guards
    /// against it only by changing the whole process's handler, which CURLOPT_NOSIGNAL forbids.
    private func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private func begin(_ submission: TransferMailbox.Ledger.Submission) {
        let now = Clocks.monotonicNanoseconds()
        let timeout = UInt64(max(0, submission.request.timeout / .nanoseconds(1)))
        let current = Transfer.Current(
            id: submission.id, request: submission.request, url: submission.request.endpoint.url,
            deadline: now &+ timeout)
        do throws(TransportError) {
            start(try takeTransfer(), current)
        } catch {
            mailbox.answer(submission.id, .failure(error))
        }
    }

    private func takeTransfer() throws(TransportError) -> Transfer {
        if let transfer = idle.popLast() { return transfer }
        return try Transfer(settings)
    }

    private func start(_ transfer: Transfer, _ current: Transfer.Current) {
        do throws(TransportError) {
            try transfer.prepare(current, now: Clocks.monotonicNanoseconds())
            guard multi.add(transfer.easy) else { throw .library(CURLE_FAILED_INIT) }
            running[transfer.easy.pointer] = transfer
        } catch {
            mailbox.answer(current.id, .failure(error))
        }
    }

    private func end(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
        guard let transfer = running.removeValue(forKey: easy) else { return }
        let result = transfer.result(code)
        multi.remove(transfer.easy)
        guard let current = transfer.current else { return }
        switch result {
        case .failure: settle(transfer, current.id, result)
        case .success(let answer):
            switch Redirect.decide(answer, from: current.url, followed: current.redirects) {
            case .none: settle(transfer, current.id, result)
            case .refuse(let problem): settle(transfer, current.id, .failure(.redirect(problem)))
            case .follow(let url):
                var next = current
                next.url = url
                next.redirects += 1
                start(transfer, next)
            }
        }
    }

    private func settle(
        _ transfer: Transfer, _ id: TransferID, _ result: TransportResult
    ) {
        transfer.forget()
        if idle.count < Self.keptHandles { idle.append(transfer) }
        mailbox.answer(id, result)
    }

    private func drop(_ id: TransferID) {
        guard let (easy, transfer) = running.first(where: { $0.value.current?.id == id }) else {
            return
        }
        running[easy] = nil
        multi.remove(transfer.easy)
    }

    private func close() {
        for transfer in running.values { multi.remove(transfer.easy) }
        running = [:]
        idle = []
        multi.close()
    }
}
