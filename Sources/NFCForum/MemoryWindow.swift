/// The stretch of a tag's memory that has been read and is still needed.
struct MemoryWindow: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    /// The address behind the last byte that is there.
    var end: Int { start + bytes.count }

    /// Where the bytes that are there without a gap from an address on end: the address itself
    /// where there are none.
    func end(from address: Int) -> Int {
        (start...end).contains(address) ? end : address
    }

    /// Makes ready for bytes at an address: right behind what is there, or elsewhere, where what
    /// is there is dropped.
    mutating func expect(at address: Int) {
        guard address != end else { return }
        start = address
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func append(_ more: [UInt8]) {
        bytes += more
    }

    subscript(address: Int) -> UInt8? {
        (start..<end).contains(address) ? bytes[address - start] : nil
    }

    /// The bytes at these addresses, or nil where not all of them are there.
    subscript(addresses: Range<Int>) -> ArraySlice<UInt8>? {
        guard addresses.lowerBound >= start, addresses.upperBound <= end else { return nil }
        return bytes[(addresses.lowerBound - start)..<(addresses.upperBound - start)]
    }
}
