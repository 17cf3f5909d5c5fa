import Glibc
import Platform

/// A file system of a few MiB in memory, unmounted with the object.
final class TinyDisk: Sendable {
    let folder: TemporaryFolder

    /// Whether this process may mount at all.
    static let isPossible: Bool = (try? TinyDisk(mebibytes: 1)) != nil

    init(mebibytes: Int) throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(mebibytes)m") == 0 else {
            throw SystemError("mount", folder.path)
        }
    }

    deinit {
        umount2(folder.path, Int32(MNT_DETACH))
    }

    /// Takes every byte that is left.
    func fill() throws {
        let file = try Descriptor.open("\(folder.path)/ballast", O_WRONLY | O_CREAT)
        for size in [1 << 16, 1] {
            let zeros = [UInt8](repeating: 0, count: size)
            while zeros.withUnsafeBytes({ file.write($0) }) == size {}
        }
    }

    /// Gives it back.
    func empty() {
        unlink("\(folder.path)/ballast")
    }
}
