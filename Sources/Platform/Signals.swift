internal import CLinux
internal import Glibc

/// Signals as readable descriptors, so that no code runs in a handler.
package enum Signals {
    /// Blocks the signals in every thread that is started from now on, and ignores SIGPIPE.
    ///
    /// Called first in `main`: a thread that was started before would still die of them.
    package static func block(_ signals: [Int32]) {
        plings_block_signals(signals, Int32(signals.count))
        signal(SIGPIPE, SIG_IGN)
    }

    /// A descriptor that is readable when one of the blocked signals has come.
    package static func open(_ signals: [Int32]) throws(SystemError) -> Descriptor {
        let number = plings_signalfd(signals, Int32(signals.count))
        guard number >= 0 else { throw SystemError("signalfd") }
        return Descriptor(owning: number)
    }

    /// Takes the next signal from such a descriptor, or nil where none is waiting.
    package static func next(from descriptor: borrowing Descriptor) -> Int32? {
        // struct signalfd_siginfo is 128 bytes and begins with the signal's number: signalfd(2).
        var information = [UInt8](repeating: 0, count: 128)
        let read = information.withUnsafeMutableBytes { descriptor.read(into: $0) }
        guard read == .bytes(128) else { return nil }
        return information.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
    }
}
