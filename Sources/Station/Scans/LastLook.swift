internal import Glibc
internal import Platform

/// When the station last looked at its readers, kept where it outlives the station and not the boot.
///
/// It tells until when a tag was seen that went while the station was down. The file lies beside the
/// socket, mostly in memory, and is overwritten in place: nothing is asked of the disk.
final class LastLook {
    private let path: String
    private var file: FileBox?

    private final class FileBox {
        let descriptor: Descriptor

        init(_ descriptor: consuming Descriptor) {
            self.descriptor = descriptor
        }
    }

    /// - Parameter socket: The path of the station's socket.
    init(besideSocket socket: String) {
        path = "\(socket).seen"
    }

    /// What an earlier run has noted in this boot: CLOCK_BOOTTIME in nanoseconds; nil for nothing.
    func read(bootID: String) -> UInt64? {
        guard let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: 128)
        guard case .bytes(let count) = bytes.withUnsafeMutableBytes({ file.read(into: $0) }) else {
            return nil
        }
        let words = bytes.prefix(count).split(separator: 0x20)
        guard words.count == 2, words[0].elementsEqual(bootID.utf8) else { return nil }
        return UInt64(String(decoding: words[1].prefix { $0 > 0x20 }, as: UTF8.self))
    }

    /// Notes a moment.
    ///
    /// - Throws: `SystemError` where the file can't be written.
    func write(_ bootNanoseconds: UInt64, bootID: String) throws(SystemError) {
        let number = String(bootNanoseconds)
        // Of one length, so that the last one is covered whole.
        let text = "\(bootID) \(String(repeating: "0", count: 20 - number.count))\(number)\n"
        let file = try opened().descriptor.number
        let written = Array(text.utf8).withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        guard written == text.utf8.count else { throw SystemError("pwrite", path) }
    }

    private func opened() throws(SystemError) -> FileBox {
        if let file { return file }
        let opened = FileBox(
            try Descriptor.open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600))
        file = opened
        return opened
    }
}
