internal import CLinux
internal import Glibc

/// An open file descriptor that closes itself.
package struct Descriptor: ~Copyable, Sendable {
    /// The number, lent for calls that take one; never to be closed by the borrower.
    package var number: Int32 {
        open
    }

    private let open: Int32

    /// Takes ownership of an open descriptor.
    package init(owning number: Int32) {
        open = number
    }

    deinit {
        _ = Glibc.close(open)
    }

    /// Opens a file with O_CLOEXEC added.
    ///
    /// - Throws: `SystemError` naming the path.
    package static func open(
        _ path: String, _ flags: Int32, mode: UInt32 = 0o600
    ) throws(SystemError) -> Descriptor {
        let number = plings_open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw SystemError("open", path) }
        return Descriptor(owning: number)
    }

    /// The two ends of a pipe, both O_CLOEXEC and blocking.
    package static func pipe() throws(SystemError) -> Pipe {
        var ends: [Int32] = [-1, -1]
        guard plings_pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError("pipe2") }
        return Pipe(read: Descriptor(owning: ends[0]), write: Descriptor(owning: ends[1]))
    }

    /// Gives the number away: whoever takes it closes it.
    package consuming func release() -> Int32 {
        let number = open
        discard self
        return number
    }

    /// Makes reads and writes return EAGAIN in place of blocking.
    package borrowing func setNonBlocking() throws(SystemError) {
        guard plings_set_nonblocking(number) >= 0 else { throw SystemError("fcntl") }
    }

    /// What one read brought.
    package enum Read: Equatable, Sendable {
        case bytes(Int)
        case wouldBlock
        case end
        case failed(Int32)
    }

    /// Reads once into a buffer, again if a signal came between.
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) -> Read {
        while true {
            let count = Glibc.read(number, buffer.baseAddress, buffer.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .wouldBlock : .failed(errno)
        }
    }

    /// Writes once; the count may be short.
    ///
    /// - Returns: The bytes taken, 0 where it would block, or nil with errno set where it failed.
    package borrowing func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        while true {
            let count = Glibc.write(number, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return errno == EAGAIN ? 0 : nil
        }
    }
}

/// A pipe whose ends can be given to two owners.
package struct Pipe: ~Copyable, Sendable {
    package let read: Descriptor
    package let write: Descriptor
}
