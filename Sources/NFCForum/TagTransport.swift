/// What a tag type's reader needs of the hardware: bytes of the tag's memory.
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
