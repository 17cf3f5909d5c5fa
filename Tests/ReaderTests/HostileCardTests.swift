import NFCForum
import ReaderKit
import Testing

@testable import PCSCReader

/// A card that answers whatever comes to its mind: mostly the status words that lead to more
/// commands.
private final class RandomCard: APDUChannel {
    private var random: SystemRandomNumberGenerator
    private(set) var commands = 0
    private static let statuses: [[UInt8]] = [
        [0x90, 0x00], [0x90, 0x00], [0x90, 0x00], [0x61, 0x20], [0x6C, 0x01], [0x6C, 0x00],
        [0x6C, 0xFF], [0x67, 0x00], [0x62, 0x82], [0x63, 0x00], [0x6A, 0x82], [],
    ]
    /// Beginnings that lead further into a tag: containers, lengths.
    private static let data: [[UInt8]] = [
        [], [0x04, 0xA1, 0xB2, 0xC3], [0xE1, 0x10, 0xFF, 0x00, 0x03, 0xFF, 0x04, 0x00],
        [0x00, 0x0F, 0x20, 0x00, 0x3B, 0x00, 0x34, 0x04, 0x06, 0xE1, 0x04, 0x60, 0x00, 0x00, 0x00],
        [0x5F, 0xF0], [0x00],
    ]

    init() {
        random = SystemRandomNumberGenerator()
    }

    func keepToOurselves() {}

    func transmit(_ command: [UInt8]) throws(PCSCError) -> [UInt8] {
        commands += 1
        let data = Self.data.randomElement(using: &random) ?? []
        let count = Int.random(in: 0...20, using: &random)
        let padding = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: count)
        return data + padding + (Self.statuses.randomElement(using: &random) ?? [])
    }
}

@Suite("Cards that answer anything")
struct HostileCardTests {
    static let kinds: [(atr: [UInt8], limit: Int)] = [
        // Type 2: the UID; for the container and 2,040 bytes in pages of 4 at most two each.
        (
            [0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, 0x03]
                + [0x00, 0x03, 0, 0, 0, 0, 0x68], 1 + 2 * (1 + 2040 / 4)
        ),
        (
            [0x3B, 0x81, 0x80, 0x01, 0x80, 0x80],
            1 + Type4Reader.commandLimit(messageLimit: TagReport.messageLimit)
        ),
        // Of any other kind the UID alone is asked for.
        ([0x3B, 0xFF], 1),
    ]

    @Test("an attempt takes a bounded number of commands and leaves limits that can be used")
    func bounded() {
        for kind in Self.kinds {
            var limits = ReadLimits()
            for _ in 0..<3_000 {
                let card = RandomCard()
                var transport = CardTransport(card, limits: limits)
                let outcome = transport.readTag(atr: kind.atr)
                limits = transport.limits
                #expect(card.commands <= kind.limit)
                #expect([4, 8, 12, 16].contains(limits.most))
                #expect([4, 8, 12, 16].contains(limits.least) && limits.least <= limits.most)
                #expect((15...256).contains(limits.answer))
                guard case .read(let report) = outcome else { continue }
                #expect(report.uid?.isEmpty != true)
            }
        }
    }
}
