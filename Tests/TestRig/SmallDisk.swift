internal import Glibc
internal import Platform

/// A file system of a few MiB in memory, unmounted with the object.
package final class SmallDisk: Sendable {
    /// Where it is mounted, unless that is elsewhere.
    package let folder = TestFolder()
    /// The root of the file system.
    package let path: String

    /// Whether this process may mount at all.
    package static let isPossible: Bool = (try? SmallDisk(mebibytes: 1)) != nil

    /// Mounts it.
    ///
    /// - Parameters:
    ///   - mebibytes: Its size.
    ///   - place: Where; nil for a folder of its own.
    /// - Throws: `SystemError` where this process may not mount.
    package init(mebibytes: Int, at place: String? = nil) throws {
        path = place ?? folder.path
        mkdir(path, 0o700)
        try mountDisk(0, "size=\(mebibytes)m,mode=0700")
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
    }

    package func grow(toMebibytes mebibytes: Int) throws {
        try mountDisk(UInt(MS_REMOUNT), "size=\(mebibytes)m")
    }

    package func makeReadOnly() throws {
        try mountDisk(UInt(MS_REMOUNT | MS_RDONLY), "")
    }

    package func makeWritable() throws {
        try mountDisk(UInt(MS_REMOUNT), "")
    }

    private func mountDisk(_ flags: UInt, _ options: String) throws {
        guard mount("tmpfs", path, "tmpfs", flags, options) == 0 else {
            throw SystemError("mount", path)
        }
    }

    /// Takes every byte that is left.
    package func fill() throws {
        let file = try Descriptor.open("\(path)/ballast", O_WRONLY | O_CREAT)
        for size in [1 << 16, 1] {
            let zeros = [UInt8](repeating: 0, count: size)
            while zeros.withUnsafeBytes({ file.write($0) }) == size {}
        }
    }

    /// Gives it back.
    package func empty() {
        unlink("\(path)/ballast")
    }
}
