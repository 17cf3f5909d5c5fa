internal import Glibc
internal import Platform

/// Tells that a thread has ended to whoever waits for it, once or repeatedly.
final class EndSign: Sendable {
    private let pipe: Pipe

    /// - Throws: `SystemError` where no descriptors are left.
    init() throws(SystemError) {
        pipe = try Descriptor.pipe()
    }

    /// Called by the thread as the last thing it does.
    func raise() {
        _ = withUnsafeBytes(of: UInt8(1)) { pipe.write.write($0) }
    }

    /// Waits for the thread.
    ///
    /// - Parameter limit: How long this may block.
    /// - Returns: Whether it has ended.
    func wait(within limit: Duration) -> Bool {
        var entry = pollfd(fd: pipe.read.number, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(clamping: Int64(limit / .milliseconds(1)))) > 0
    }
}
