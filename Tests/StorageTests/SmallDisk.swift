import FoundationEssentials
import Glibc

/// A file system of a few MiB in memory, unmounted with the last reference.
final class SmallDisk: Sendable {
    /// A directory that is the file system's root.
    let directory: StoreDirectory

    struct Failure: Error {
        let call: String
        let code: Int32
    }

    /// Whether this process may mount at all.
    static let isPossible: Bool = {
        guard let disk = try? SmallDisk(mebibytes: 1) else { return false }
        return FileManager.default.fileExists(atPath: disk.directory.path)
    }()

    init(mebibytes: Int) throws {
        directory = try StoreDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path, withIntermediateDirectories: true)
        try mount("mount", 0, "size=\(mebibytes)m")
    }

    deinit {
        umount2(directory.path, Int32(MNT_DETACH))
    }

    func grow(toMebibytes mebibytes: Int) throws {
        try mount("remount", UInt(MS_REMOUNT), "size=\(mebibytes)m")
    }

    func makeReadOnly() throws {
        try mount("remount", UInt(MS_REMOUNT | MS_RDONLY), "")
    }

    func makeWritable() throws {
        try mount("remount", UInt(MS_REMOUNT), "")
    }

    /// Takes every byte that is left.
    func fill() throws {
        let file = Glibc.open("\(directory.path)/ballast", O_WRONLY | O_CREAT, 0o600)
        guard file >= 0 else { throw Failure(call: "open", code: errno) }
        defer { close(file) }
        for size in [1 << 16, 1] {
            let zeros = [UInt8](repeating: 0, count: size)
            while write(file, zeros, size) == size {}
        }
    }

    /// Gives it back.
    func empty() throws {
        try FileManager.default.removeItem(atPath: "\(directory.path)/ballast")
    }

    private func mount(_ call: String, _ flags: UInt, _ options: String) throws {
        guard Glibc.mount("tmpfs", directory.path, "tmpfs", flags, options) == 0 else {
            throw Failure(call: call, code: errno)
        }
    }
}
