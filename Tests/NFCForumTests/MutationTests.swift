import NFCForum
import Scanning
import Testing

/// A small generator whose sequence depends on the seed alone.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Changes, drops, doubles or inserts a few bytes.
    mutating func mutate(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            guard !bytes.isEmpty else { return bytes }
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 2: bytes.removeSubrange(index...)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &self), at: index)
            default: bytes[index] = [0x00, 0x03, 0xFF, 0xFE, 0x7F].randomElement(using: &self) ?? 0
            }
        }
        return bytes
    }
}

@Suite("Mutated tags")
struct MutationTests {
    static let messages = [
        "D1 01 04 55 04 61 2E 62",
        "D1 02 17 53 70 91 01 09 55 01 63 6E 6E 2E 63 6F 6D 2F 51 01 06 54 02 65 6E 43 4E 4E",
        "9A 0A 03 02 746578742F706C61696E 6964 616263 51 01 02 55 00 78",
        "B9 01 03 01 55 49 04612E 36 00 02 622F 56 00 01 63",
        "91 01 07 54 82 65 6E 00 68 00 E9 13 01 00 61 54 0F 03 616E64726F69642E636F6D3A706B67 612E62",
        "C1 01 00 00 00 04 55 04 61 2E 62",
    ]

    @Test("10,000 mutated messages are read or refused, and never grow", arguments: [1, 2])
    func messages(seed: UInt64) {
        var random = SplitMix(state: seed)
        let originals = Self.messages.map(bytes)
        for _ in 0..<5_000 {
            let mutated = random.mutate(originals.randomElement(using: &random) ?? [])
            guard let message = try? NDEFMessage(mutated) else { continue }
            let kept = message.records.map { $0.type.count + $0.id.count + $0.payload.count }
            #expect(kept.reduce(0, +) <= mutated.count)
            for content in message.contents { #expect(content.text.utf8.count <= 128) }
            _ = message.chosen { _ in false }
        }
    }

    static let memories = [
        "E1 10 12 00 01 03 A0 0C 34 03 16 D1 01 12 54 02 65 6E 61 62 63 64 65 66 67 68 69 6A 6B",
        "E1 10 12 00 00 00 02 03 A0 40 34 FD 02 00 01 03 06 D1 01 02 55 00 78 FE",
        "E1 10 12 00 03 FF 00 50 C1 01 00 00 00 49 55 04",
        "E1 10 12 00 FD 40 00 00 00 00",
        "00 00 00 00",
    ]

    @Test("10,000 mutated tags take a bounded number of reads, none twice", arguments: [3, 4])
    func memories(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let originals = Self.memories.map(bytes)
        for _ in 0..<5_000 {
            let mutated = random.mutate(originals.randomElement(using: &random) ?? [])
            var tag = MemoryTag(from3: mutated, pages: 520)
            _ = try Type2Reader.read(over: &tag)
            // 2,040 bytes are the most that a capability container can claim.
            #expect(tag.reads.count <= 1 + 2040 / 16)
            let ends = tag.reads.map(\.upperBound)
            #expect(zip(tag.reads.dropFirst(), ends).allSatisfy { $0.lowerBound >= $1 })
            #expect((ends.last ?? 0) <= 28 + 2040)
        }
    }

    /// What a tag says in turn, the status words included.
    static let conversations = [
        [
            "9000", "9000", "000F20 003B 0034 0406 E104 0100 00 00 9000", "9000",
            "0006 D10102550078 9000",
        ],
        [
            "6A82", "6115", "9000", "001130 00FF 0034 0608 E104 00000100 9000", "0000 9000",
            "9000", "6108", "00000004 D1010055 9000",
        ],
        ["9000", "9000", "000F20 FFFF 0034 0406 E104 FFFE 00 00 9000", "9000", "6C10", "6700"],
    ]

    @Test("10,000 mutated Type 4 tags take a bounded number of commands", arguments: [6, 7])
    func commands(seed: UInt64) {
        var random = SplitMix(state: seed)
        var messages = 0
        for _ in 0..<5_000 {
            let original = Self.conversations.randomElement(using: &random) ?? []
            let answers = original.map { answer in
                Bool.random(using: &random) ? bytes(answer) : random.mutate(bytes(answer))
            }
            var tag = TalkingTag(answers: answers, random: random)
            let outcome = try? Type4Reader.read(over: &tag, messageLimit: 600)
            random = tag.random
            #expect(tag.commands <= Type4Reader.commandLimit(messageLimit: 600))
            #expect((15...256).contains(tag.answerLimit))
            guard case .ndef(let message) = outcome else { continue }
            #expect((1...600).contains(message.count))
            messages += 1
        }
        #expect(messages > 100)
    }

    @Test("10,000 mutated answers to reset are classified")
    func answersToReset() {
        var random = SplitMix(state: 5)
        let originals = CardATRTests.cases.map { bytes($0.atr) }
        for _ in 0..<10_000 {
            let atr = CardATR(random.mutate(originals.randomElement(using: &random) ?? []))
            #expect(TagPlatform.allCases.contains(atr.platform))
        }
    }
}

/// A tag that says these things in turn and then whatever comes to its mind, which is often more of
/// the same.
private struct TalkingTag: TagCommandTransport {
    let answers: [[UInt8]]
    var random: SplitMix
    var answerLimit = 256
    private(set) var commands = 0

    init(answers: [[UInt8]], random: SplitMix) {
        self.answers = answers
        self.random = random
    }

    mutating func transmit(_ command: [UInt8]) -> [UInt8] {
        defer { commands += 1 }
        #expect(command.count >= 5)
        if commands < answers.count { return answers[commands] }
        let statuses: [[UInt8]] = [
            [0x90, 0x00], [0x61, 0x00], [0x61, 0x10], [0x6C, 0x01], [0x67, 0x00], [0x62, 0x82], [],
        ]
        let status = statuses.randomElement(using: &random) ?? []
        let count = Int.random(in: 0...40, using: &random)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } + status
    }
}
