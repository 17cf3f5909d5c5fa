internal import Glibc
internal import Platform

/// Room on the disk that is kept for deleting, as a file of zeros.
///
/// Deleting writes to the write-ahead log first, and copying the log back may need pages that the
/// database does not have yet. On a disk that others have filled to the last byte both would fail,
/// and so nothing could ever make room.
struct Reserve {
    let path: String

    /// Enough for the pages that a chunk of pruning changes.
    static let size: Int64 = 2 << 20

    /// Takes the room, as far as the disk has it; failing is no harm now.
    func take() {
        guard StoreFiles.size(of: path) ?? 0 < Self.size,
            let file = try? Descriptor.open(path, O_WRONLY | O_CREAT, mode: 0o600)
        else { return }
        // The last of a disk's space is better left to what must be written.
        if posix_fallocate(file.number, 0, off_t(Self.size)) != 0 { unlink(path) }
    }

    /// Gives the room back to the disk.
    ///
    /// - Returns: Whether there was any.
    func release() -> Bool { unlink(path) == 0 }
}
