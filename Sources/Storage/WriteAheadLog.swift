internal import Glibc
internal import Platform

/// How the write-ahead log is grown in advance, and when it is copied back.
///
/// A log that has its final size already costs one synchronisation of data for each commit; one
/// that grows costs a change of the file system's own journal too. After the log has been copied
/// back whole, the next commit writes a new header first and synchronises it by itself: the store
/// makes that commit at once, so that no scan pays for it.
enum WriteAheadLog {
    /// The size it is grown to: about a hundred lone scans.
    static let grownSize: Int64 = 4 << 20

    /// A log that came to be larger than this, while something kept it from being copied back, is
    /// cut to `grownSize`.
    static let largestKept: Int64 = 8 << 20

    /// Frames, of one page each, from which an idle station copies back.
    static let idleFrames = 256

    /// Frames from which a copy is started beside the commits that go on.
    static let busyFrames = 512

    /// Frames from which the writer itself copies what came in meanwhile, so that the log begins
    /// anew before it outgrows its size.
    static let fullFrames = 768

    /// The frames at which to copy back next, where so many are left now.
    static func next(after frames: Int) -> Int {
        if frames < busyFrames { return busyFrames }
        // Past the last threshold something is in the way: it is not asked at every commit.
        return frames < fullFrames ? fullFrames : frames + busyFrames
    }

    static let limitSize = SQL("limit log size", "PRAGMA journal_size_limit = 4194304")
    static let keepSize = SQL("keep log size", "PRAGMA journal_size_limit = -1")

    /// Writes zeros behind what is there, up to the grown size.
    ///
    /// Only under SQLite's write lock, else another program's commit could be overwritten. SQLite
    /// reads a log up to the first frame that does not fit its checksums, which zeros never do.
    /// Failing is no harm: the log then grows commit by commit.
    ///
    /// Source: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
    static func grow(_ files: StoreFiles) {
        guard let size = StoreFiles.size(of: files.writeAheadLog), size < grownSize,
            let file = try? Descriptor.open(files.writeAheadLog, O_WRONLY | O_APPEND)
        else { return }
        guard appendZeros(Int(grownSize - size), to: file) else {
            // The last of a disk's space is better left to what must be written.
            ftruncate(file.number, off_t(size))
            return
        }
        fsync(file.number)
    }

    private static func appendZeros(_ count: Int, to file: borrowing Descriptor) -> Bool {
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        var left = count
        while left > 0 {
            let written = zeros.withUnsafeBytes {
                file.write(UnsafeRawBufferPointer(rebasing: $0.prefix(left)))
            }
            guard let written, written > 0 else { return false }
            left -= written
        }
        return true
    }
}
