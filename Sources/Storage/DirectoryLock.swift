internal import Glibc
internal import Platform

/// The one process that may use the store's directory.
///
/// flock(2) on a file of its own: the kernel ends the lock with the process, however it dies, and
/// a file with a pid that is left over locks nobody out.
final class DirectoryLock: Sendable {
    private let file: Descriptor

    /// Takes the lock and writes this process's id into the file.
    ///
    /// - Throws: `StorageError.inUse` with the holder's id where another has it.
    init(_ files: StoreFiles) throws(StorageError) {
        do throws(SystemError) {
            file = try Descriptor.open(files.lock, O_RDWR | O_CREAT, mode: 0o600)
        } catch {
            throw StorageError(error)
        }
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else {
                throw StorageError(SystemError("flock", files.lock))
            }
            throw .inUse(directory: files.directory, pid: Self.holder(files))
        }
        // On a full disk the id may not fit; the lock holds all the same.
        ftruncate(file.number, 0)
        var text = "\(getpid())\n"
        _ = text.withUTF8 { file.write(UnsafeRawBufferPointer($0)) }
    }

    private static func holder(_ files: StoreFiles) -> Int32? {
        guard let file = try? Descriptor.open(files.lock, O_RDONLY) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard case .bytes(let count) = bytes.withUnsafeMutableBytes({ file.read(into: $0) })
        else { return nil }
        let digits = bytes.prefix(count).prefix { $0 >= 0x30 && $0 <= 0x39 }
        return Int32(String(decoding: digits, as: UTF8.self))
    }
}
