internal import Glibc
internal import Platform

/// The pages that a write-ahead log holds, read from its file.
///
/// Source: https://www.sqlite.org/fileformat2.html#walformat: a header of 32 bytes, then frames of
/// a 24-byte header and a page each; a frame is of this log if it repeats the header's two salts.
struct LoggedPages {
    private(set) var numbers: Set<UInt32> = []

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Reads the headers of all frames; of a log that can't be read, none.
    init(_ files: StoreFiles) {
        guard let file = try? Descriptor.open(files.writeAheadLog, O_RDONLY),
            let header = Self.words(Self.headerSize, at: 0, of: file)
        else { return }
        let pageSize = Int(header[2])
        let salts = header[4...5]
        var offset = Self.headerSize
        while let frame = Self.words(Self.frameHeaderSize, at: offset, of: file),
            frame[2...3].elementsEqual(salts), frame[0] != 0
        {
            numbers.insert(frame[0])
            offset += Self.frameHeaderSize + pageSize
        }
    }

    /// Reads big-endian words of 32 bits.
    private static func words(
        _ size: Int, at offset: Int, of file: borrowing Descriptor
    ) -> [UInt32]? {
        var words = [UInt32](repeating: 0, count: size / 4)
        let number = file.number
        let count = words.withUnsafeMutableBytes {
            pread(number, $0.baseAddress, size, off_t(offset))
        }
        return count == size ? words.map(UInt32.init(bigEndian:)) : nil
    }
}
