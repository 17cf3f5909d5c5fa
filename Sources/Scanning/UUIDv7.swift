/// A UUID of version 7, whose order is the order of creation to the millisecond.
///
/// Source: RFC 9562, section 5.7.
package struct UUIDv7: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// Makes an id from an instant and random bits.
    ///
    /// - Parameters:
    ///   - time: The instant; its milliseconds are the first 48 bits.
    ///   - random: Where the other 74 bits come from.
    package init(at time: Timestamp, random: inout some RandomNumberGenerator) {
        let milliseconds = UInt64(bitPattern: time.milliseconds) & 0xFFFF_FFFF_FFFF
        high = milliseconds << 16 | 0x7000 | UInt64.random(in: 0...0xFFF, using: &random)
        low = 0x8000_0000_0000_0000 | (random.next() as UInt64) >> 2
    }

    /// Makes an id from an instant and the system's random numbers.
    package init(at time: Timestamp) {
        var random = SystemRandomNumberGenerator()
        self.init(at: time, random: &random)
    }

    /// The lower-case form with dashes.
    package var text: String {
        let digits = Self.hex(high) + Self.hex(low)
        let cuts = [0, 8, 12, 16, 20, 32]
        return zip(cuts, cuts.dropFirst())
            .map { String(decoding: digits[$0..<$1], as: UTF8.self) }
            .joined(separator: "-")
    }

    private static func hex(_ value: UInt64) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return (0..<16).map { digits[Int(value >> UInt64(60 - 4 * $0) & 15)] }
    }
}
