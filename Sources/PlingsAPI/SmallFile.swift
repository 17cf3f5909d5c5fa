internal import Glibc
internal import Platform

/// A small regular file read whole, with what the kernel says about it.
struct SmallFile {
    /// The contents, up to one byte more than the limit.
    let bytes: [UInt8]
    /// The permission bits.
    let mode: UInt32

    /// Reads a file.
    ///
    /// A FIFO or device is refused in place of waited for.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: One byte more is read, so that the caller sees that there is more.
    /// - Returns: The contents and the permission bits.
    /// - Throws: `SystemError`; EINVAL where it is no regular file.
    static func read(_ path: String, limit: Int) throws(SystemError) -> SmallFile {
        let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw SystemError("fstat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("open", path, code: EINVAL)
        }
        return SmallFile(
            bytes: try contents(of: file, path, upTo: limit + 1),
            mode: status.st_mode & 0o7777)
    }

    private static func contents(
        of file: borrowing Descriptor, _ path: String, upTo limit: Int
    ) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < limit {
            let read = chunk.withUnsafeMutableBytes { file.read(into: $0) }
            switch read {
            case .bytes(let count): bytes += chunk[..<count]
            case .end, .wouldBlock: return bytes
            case .failed(let code): throw SystemError("read", path, code: code)
            }
        }
        return Array(bytes.prefix(limit))
    }
}
