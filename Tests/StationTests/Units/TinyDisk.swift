import Glibc
import Platform

/// A file system of a few MiB in memory, unmounted with the object.
final class TinyDisk: Sendable {
    let folder: TemporaryFolder
    private let path: String

    /// Whether this process may mount at all.
    static let isPossible: Bool = (try? TinyDisk(mebibytes: 1)) != nil

    /// Mounts it.
    ///
    /// - Parameters:
    ///   - mebibytes: Its size.
    ///   - place: A folder that is there already; nil for one of its own.
    /// - Throws: `SystemError` where this process may not mount.
    init(mebibytes: Int, at place: String? = nil) throws {
        folder = try TemporaryFolder()
        path = place ?? folder.path
        mkdir(path, 0o700)
        try mountDisk(0, "size=\(mebibytes)m")
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
    }

    func makeReadOnly() throws {
        try mountDisk(UInt(MS_REMOUNT | MS_RDONLY), "")
    }

    func makeWritable() throws {
        try mountDisk(UInt(MS_REMOUNT), "")
    }

    private func mountDisk(_ flags: UInt, _ options: String) throws {
        guard mount("tmpfs", path, "tmpfs", flags, options) == 0 else {
            throw SystemError("mount", path)
        }
    }

    /// Takes every byte that is left.
    func fill() throws {
        let file = try Descriptor.open("\(path)/ballast", O_WRONLY | O_CREAT)
        for size in [1 << 16, 1] {
            let zeros = [UInt8](repeating: 0, count: size)
            while zeros.withUnsafeBytes({ file.write($0) }) == size {}
        }
    }

    /// Gives it back.
    func empty() {
        unlink("\(path)/ballast")
    }
}
