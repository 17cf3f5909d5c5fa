internal import Glibc
package import Platform

/// A port of 127.0.0.1 that refuses connections, and that nobody else is given meanwhile.
package final class RefusingPort: Sendable {
    package let port: UInt16
    private let socket: Descriptor

    /// Takes the port.
    ///
    /// - Throws: `SystemError`.
    package init() throws(SystemError) {
        socket = try Loopback.bind()
        port = try Loopback.port(of: socket)
    }
}

/// A port of 127.0.0.1 that answers no connection, as a host that is switched off.
///
/// Its queue of connections that nobody accepts is full, so the kernel drops what comes.
/// Source: listen(2).
package final class SilentPort: Sendable {
    package let port: UInt16
    private let listener: Descriptor
    private let queued: [Int32]

    /// Takes the port and fills its queue.
    ///
    /// - Throws: `SystemError`.
    package init() throws(SystemError) {
        listener = try Loopback.bind()
        guard listen(listener.number, 0) == 0 else { throw SystemError("listen", "127.0.0.1") }
        port = try Loopback.port(of: listener)
        var queued: [Int32] = []
        for _ in 0..<4 { queued.append(try Loopback.startConnecting(to: port)) }
        self.queued = queued
    }

    deinit {
        for number in queued { close(number) }
    }
}
