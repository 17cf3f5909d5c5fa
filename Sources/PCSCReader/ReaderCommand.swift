/// The commands that a reader itself answers for a contactless tag.
///
/// Source: PC/SC 2.01, part 3, sections 3.2.2.1.3 and 3.2.2.1.8.
package enum ReaderCommand {
    /// Get Data: the UID of the tag.
    package static let uid: [UInt8] = [0xFF, 0xCA, 0x00, 0x00, 0x00]

    /// The instruction of READ BINARY, to a reader as to a tag.
    static let readBinary: UInt8 = 0xB0

    /// Read Binary: so many bytes from a page on.
    package static func read(page: Int, count: Int) -> [UInt8] {
        [0xFF, readBinary, UInt8(page >> 8 & 0xFF), UInt8(page & 0xFF), UInt8(count & 0xFF)]
    }
}
