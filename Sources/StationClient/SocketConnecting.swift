internal import Glibc
internal import Platform

/// Connecting to a Unix socket in bounded time.
///
/// A blocking connect(2) waits for as long as the listener's queue is full: for ever where the
/// daemon was stopped. Without blocking it says EAGAIN at once, and is tried again.
enum SocketConnecting {
    /// How long to leave a full queue alone.
    ///
    /// Nothing tells when it has room again.
    private static let pause = Duration.milliseconds(20)

    /// Connects.
    ///
    /// - Returns: The connected socket, non-blocking.
    /// - Throws: `SystemError` with the path, EAGAIN where the queue stayed full until the
    ///   deadline; `Waiter.Interruption`.
    static func connect(
        to path: String, waiter: Waiter, until deadline: UInt64
    ) throws -> Descriptor {
        guard path.utf8.count <= UnixSocket.pathLimit else {
            throw SystemError("connect", path, code: ENAMETOOLONG)
        }
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | socketFlags), 0)
        guard number >= 0 else { throw SystemError("socket", path) }
        let descriptor = Descriptor(owning: number)
        while !isConnected(number, path) {
            guard errno == EAGAIN, Clocks.monotonicNanoseconds() < deadline else {
                throw SystemError("connect", path)
            }
            _ = try waiter.wait(until: Deadline.after(pause))
        }
        return descriptor
    }

    private static let socketFlags = SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue

    /// Tries once; errno says why not.
    private static func isConnected(_ number: Int32, _ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
