internal import Glibc
package import Platform

/// A Unix socket that takes every connection and closes it at once, or never says anything.
package final class HangingUpSocket: Sendable {
    private let listener: Descriptor

    /// What becomes of a connection.
    package enum Manner: Sendable {
        case closes
        /// It is left in the queue, which the client takes for a connection.
        case keepsSilent
    }

    /// Listens.
    ///
    /// - Throws: `UnixSocket.ListenError`.
    package init(
        at path: String, _ manner: Manner = .closes
    ) throws(UnixSocket.ListenError) {
        listener = try UnixSocket.listen(at: path, mode: 0o666, group: nil)
        guard manner == .closes else { return }
        Threads.start(name: "hanging-up") { [self] in closeAll() }
    }

    private func closeAll() {
        var polled = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
        // The end of listening shows as a hang-up. Source: poll(2).
        while poll(&polled, 1, -1) >= 0, polled.revents & Int16(POLLHUP) == 0 {
            _ = try? UnixSocket.accept(listener.number)
        }
    }

    /// Ends it, which every test does: nobody connects any more.
    package func stop() {
        UnixSocket.shutDown(listener)
    }
}
