import Scanning
import Testing

@Suite("an id made by the station")
struct UUIDv7Tests {
    /// Gives the same bits again and again.
    private struct Fixed: RandomNumberGenerator {
        let bits: UInt64
        mutating func next() -> UInt64 { bits }
    }

    private func id(at milliseconds: Int64, bits: UInt64) -> String {
        var random = Fixed(bits: bits)
        return UUIDv7(at: Timestamp(milliseconds: milliseconds), random: &random).text
    }

    // The time is the example of RFC 9562, appendix A.6: 2022-02-22T19:22:22.00Z.
    private static let known: [(Int64, UInt64, String)] = [
        (1_645_557_742_000, 0, "017f22e2-79b0-7000-8000-000000000000"),
        (1_645_557_742_000, .max, "017f22e2-79b0-7fff-bfff-ffffffffffff"),
        (0, 0, "00000000-0000-7000-8000-000000000000"),
        (281_474_976_710_655, 0, "ffffffff-ffff-7000-8000-000000000000"),
    ]

    @Test("it is its time, version 7, the variant and random bits", arguments: known)
    func layout(milliseconds: Int64, bits: UInt64, text: String) {
        #expect(id(at: milliseconds, bits: bits) == text)
    }

    @Test("ids are in the order of their milliseconds, whatever their random bits")
    func order() {
        var last = id(at: 1_645_557_742_000, bits: .max)
        for milliseconds in stride(from: Int64(1_645_557_742_001), to: 1_645_557_743_000, by: 7) {
            let next = id(at: milliseconds, bits: milliseconds.isMultiple(of: 2) ? 0 : .max)
            #expect(last < next)
            last = next
        }
    }

    @Test("a thousand ids of one instant differ, and each says version and variant")
    func unique() {
        let instant = Timestamp(milliseconds: 1_795_995_986_123)
        let ids = (0..<1000).map { _ in UUIDv7(at: instant).text }
        #expect(Set(ids).count == 1000)
        for id in ids {
            let digits = Array(id)
            #expect(id.utf8.count == 36)
            #expect([8, 13, 18, 23].allSatisfy { digits[$0] == "-" })
            #expect(digits[14] == "7")
            #expect("89ab".contains(digits[19]))
            #expect(id.allSatisfy { $0 == "-" || "0123456789abcdef".contains($0) })
        }
    }
}
