/// What the reader of a tag type needs of the hardware whose tags are memory: Type 2.
package protocol TagTransport: ~Copyable {
    /// The most bytes that one read may ask for, a multiple of 4; it may fall while reading.
    var readLimit: Int { get }

    /// Reads from a page of 4 bytes on.
    ///
    /// May block as long as the hardware takes.
    ///
    /// - Parameters:
    ///   - page: The page's number from the start of the memory.
    ///   - count: How many bytes, a multiple of 4 and at most `readLimit`.
    /// - Returns: Those bytes, or fewer whole pages, but at least one.
    /// - Throws: Whatever the hardware's errors are.
    mutating func read(page: Int, count: Int) throws -> [UInt8]
}

/// What the reader of a tag type needs of the hardware whose tags answer commands: Type 4.
package protocol TagCommandTransport: ~Copyable {
    /// The most bytes of data that one answer of the tag may have, from 15 to 256; lowered by who
    /// finds out that the hardware gives no more.
    var answerLimit: Int { get set }

    /// Sends a command of ISO/IEC 7816-4 to the tag.
    ///
    /// May block as long as the hardware takes.
    ///
    /// - Returns: The answer, data and status word, as it came.
    /// - Throws: Whatever the hardware's errors are.
    mutating func transmit(_ command: [UInt8]) throws -> [UInt8]
}
