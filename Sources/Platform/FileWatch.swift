internal import CLinux
internal import Glibc

/// Tells when a file in a folder was written, replaced or removed.
///
/// The folder is watched, not the file: programs replace a file by renaming another onto it.
package struct FileWatch: ~Copyable, Sendable {
    /// Readable when something happened in one of the folders.
    package let descriptor: Descriptor

    /// Starts to watch the folders that hold the files.
    ///
    /// - Throws: `SystemError` naming the folder.
    package init(folders: [String]) throws(SystemError) {
        self.init(descriptor: try Self.open(folders))
    }

    private init(descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    private static func open(_ folders: [String]) throws(SystemError) -> Descriptor {
        let number = plings_inotify_init()
        guard number >= 0 else { throw SystemError("inotify_init1") }
        let descriptor = Descriptor(owning: number)
        let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE)
        for folder in folders {
            guard inotify_add_watch(number, folder, mask) >= 0 else {
                throw SystemError("inotify_add_watch", folder)
            }
        }
        return descriptor
    }

    /// Empties the descriptor.
    package borrowing func drain() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case .bytes = buffer.withUnsafeMutableBytes({ descriptor.read(into: $0) }) {}
    }
}
