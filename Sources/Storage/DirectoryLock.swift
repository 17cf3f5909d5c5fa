internal import Glibc
internal import Platform

/// The one process that may use the store's directory.
///
/// flock(2) on a file of its own: the kernel ends the lock with the process, however it dies, and
/// a file with a pid that is left over locks nobody out.
final class DirectoryLock: Sendable {
    private let file: Descriptor
    private let identity: FileIdentity?

    /// Takes the lock and writes this process's id into the file.
    ///
    /// - Throws: `StorageError.inUse` with the holder's id where another has it.
    init(_ files: StoreFiles) throws(StorageError) {
        file = try Self.open(files.lock)
        identity = FileIdentity(of: files.lock)
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

    /// Whether the file is still the one that others would try to lock.
    func isInPlace(_ files: StoreFiles) -> Bool { FileIdentity(of: files.lock) == identity }

    /// Opens the file, where nothing can be written one that is there already.
    private static func open(_ path: String) throws(StorageError) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor.open(path, O_RDWR | O_CREAT, mode: 0o600)
        } catch {
            if error.code == EROFS, let file = try? Descriptor.open(path, O_RDONLY) { return file }
            throw StorageError(error)
        }
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
