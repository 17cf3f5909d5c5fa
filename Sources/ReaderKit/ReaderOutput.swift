internal import Glibc
package import LineProtocols
internal import Platform
internal import Synchronization

/// The lines to the station on standard output, from any thread.
///
/// A line is written whole before the next begins. Where the station does not read, the writer
/// waits: nothing is dropped, and nothing is kept beside the pipe.
package final class ReaderOutput: Sendable {
    private let descriptor: Int32
    private let lock = Mutex(())
    private let whenClosed: @Sendable () -> Void

    /// - Parameters:
    ///   - descriptor: Where the lines go; it stays open.
    ///   - whenClosed: What to do once nobody reads any more. SIGPIPE is to be ignored.
    package init(descriptor: Int32, whenClosed: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.whenClosed = whenClosed
    }

    /// Writes one message as one line.
    ///
    /// Blocks while the station does not read. A line over the protocol's limit is not written but
    /// complained of; no reader makes one, since what a tag may bring is bounded below it.
    package func send(_ message: ReaderMessage) {
        guard var line = try? JSONLine.encode(message) else { return }
        guard line.count <= LineSplitter.limit else {
            Complaint.write("a message of \(line.count) bytes is over the limit and was left out")
            return
        }
        line.append(UInt8(ascii: "\n"))
        let isWritten = lock.withLock { _ in Self.write(line, to: descriptor) }
        if !isWritten { whenClosed() }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                } else if count < 0 && errno == EAGAIN {
                    waitUntilWritable(descriptor)
                } else if count < 0 && errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    private static func waitUntilWritable(_ descriptor: Int32) {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&item, 1, -1)
    }
}

/// A line on standard error, which the station logs under the reader's name.
package enum Complaint {
    /// Writes one line; control characters are escaped, since readers' names come from devices.
    package static func write(_ text: String) {
        var line = ""
        for scalar in text.unicodeScalars {
            line +=
                scalar.properties.generalCategory == .control
                ? scalar.escaped(asASCII: true) : String(scalar)
        }
        line += "\n"
        line.withUTF8 { _ = Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
