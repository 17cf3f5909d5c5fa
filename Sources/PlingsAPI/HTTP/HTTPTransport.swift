internal import Platform

/// HTTP over libcurl: one thread, kept connections, any number of requests at once.
///
/// The thread sleeps without a timeout while no request runs. Requests never wait for one another;
/// the caller bounds how many there are. Where an unused connection turns out to be dead as the
/// request goes out on it, libcurl repeats the request on a new one, within the same timeout: so a
/// server may see it twice, as after any lost answer.
///
/// Connections are closed to programs that this process starts, need TLS 1.2 or later and a
/// certificate for the host, and go through the proxy of the environment (`https_proxy`,
/// `no_proxy`), except to this machine by plain http. There are no cookies, no stored
/// credentials, and no redirects to elsewhere (`Redirect`).
final class HTTPTransport: Sendable {
    private let mailbox: TransferMailbox
    private let ended: EndSign

    /// Starts the thread.
    ///
    /// - Throws: `EndpointError.library` where libcurl or the kernel has nothing left to start with.
    init(
        _ settings: TransportSettings, threadName: String = "plings-api"
    ) throws(EndpointError) {
        let mailbox = TransferMailbox(try CurlMulti())
        self.mailbox = mailbox
        let ended: EndSign
        do throws(SystemError) {
            ended = try EndSign()
        } catch {
            throw .library(error.description)
        }
        self.ended = ended
        Threads.start(name: threadName) {
            TransferLoop(mailbox, settings).run()
            ended.raise()
        }
    }

    deinit {
        stop()
    }

    /// Carries out one request; the task goes on on the caller's own executor.
    ///
    /// Cancelling the task ends it at once with `aborted`.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - read: Makes of the result what the caller wants, on the transport's thread.
    ///   - isolation: The caller's own actor, filled in by the compiler.
    /// - Returns: What `read` makes of the result.
    func perform<Value: Sendable>(
        _ request: HTTPRequest, reading read: @escaping @Sendable (TransportResult) -> Value,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Value {
        let mailbox = mailbox
        let id = mailbox.newID()
        let pending = PendingAnswer(reading: read)
        return await withTaskCancellationHandler {
            // A closure runs where its function does only if it captures the isolation; without
            // this line it would go to the cooperative pool. Source: SE-0420.
            _ = isolation
            guard !Task.isCancelled, mailbox.submit(request, id, pending) else {
                return read(.failure(.aborted))
            }
            // A cancellation that came before the submission found nothing to give up.
            if Task.isCancelled { mailbox.abandon(id) }
            return await pending.take()
        } onCancel: {
            mailbox.abandon(id)
        }
    }

    /// Gives up every request on its way: each ends with `aborted`, whatever libcurl waits for.
    func cancelAll() {
        mailbox.abandonAll()
    }

    /// Gives up every request and takes no more; the thread ends by itself soon after.
    func stop() {
        mailbox.stop()
    }

    /// Waits for the thread to end after `stop`.
    ///
    /// A process that exits while OpenSSL still works on another thread may crash on its way out,
    /// since OpenSSL frees its tables at exit.
    ///
    /// - Parameter limit: How long this may block.
    /// - Returns: Whether it has ended.
    func join(within limit: Duration) -> Bool {
        ended.wait(within: limit)
    }
}
