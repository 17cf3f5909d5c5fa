import NFCForum
import Scanning
import Testing

@Suite("Type 2 tags")
struct Type2TagTests {
    private func read(
        _ from3: String, pages: Int = 45, limit: Int = 16
    ) throws -> (Type2Reader.Outcome, reads: Int) {
        var tag = MemoryTag(from3: bytes(from3), pages: pages, readLimit: limit)
        let outcome = try Type2Reader.read(over: &tag)
        return (outcome, tag.reads.count)
    }

    @Test("a short message comes with the capability container in one read")
    func oneRead() throws {
        var tag = ScriptedTag([
            .init(3, 16, bytes("E1 10 12 00 03 06 D1 01 02 55 00 78 FE 00 00 00"))
        ])
        #expect(try Type2Reader.read(over: &tag) == .ndef(bytes("D1 01 02 55 00 78")))
        #expect(tag.rest.isEmpty)
    }

    @Test("the last read is as short as the message needs")
    func shortLastRead() throws {
        var tag = ScriptedTag([
            .init(3, 16, bytes("E1 10 12 00 01 03 A0 0C 34 03 16 D1 01 12 54 02")),
            .init(7, 16, bytes("65 6E 61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E")),
            .init(11, 4, bytes("6F FE 00 00")),
        ])
        let expected = bytes("D1 01 12 54 02 65 6E") + Array("abcdefghijklmno".utf8)
        #expect(try Type2Reader.read(over: &tag) == .ndef(expected))
        #expect(tag.rest.isEmpty)
    }

    @Test("a long block in front of the message is jumped over, not read")
    func jump() throws {
        var tag = ScriptedTag([
            .init(3, 16, bytes("E1 10 12 00 FD 40 00 00 00 00 00 00 00 00 00 00")),
            .init(20, 16, bytes("00 00 03 06 D1 01 02 55 00 78 FE 00 00 00 00 00")),
        ])
        #expect(try Type2Reader.read(over: &tag) == .ndef(bytes("D1 01 02 55 00 78")))
        #expect(tag.rest.isEmpty)
    }

    /// A tag URL as it stands on an NTAG213: lock-control TLV, then 60 characters behind `https://`.
    static let url = "s.plings.io/?t=n&i=4kyQCd5tMDjJVWJH5h9gf&p=2.3.7.2&cp=3b9e1Q"

    @Test("an NTAG213 with a tag URL of 60 characters takes five reads of at most 16 bytes")
    func apduCount() throws {
        let payload = [0x04] + Array(Self.url.utf8)
        let record = [0xD1, 0x01, UInt8(payload.count), 0x55] + payload
        let area = bytes("01 03 A0 0C 34 03") + [UInt8(record.count)] + record + [0xFE]
        var tag = MemoryTag(from3: bytes("E1 10 12 00") + area)
        #expect(try Type2Reader.read(over: &tag) == .ndef(record))
        // 12 bytes of the area come with the container, the terminator is not needed.
        let needed = area.count - 1
        #expect(needed == 72)
        #expect(tag.reads.count == 1 + (needed - 12 + 15) / 16)
        #expect(tag.reads.map(\.count).reduce(0, +) == 4 + (needed + 3) / 4 * 4)
    }

    static let messages: [(String, String, Int)] = [
        // Lock-control TLV first.
        (
            "E1 10 12 00 01 03 A0 0C 34 03 08 D1 01 04 54 02 65 6E 61 FE",
            "D1 01 04 54 02 65 6E 61", 2
        ),
        (
            "E1 10 12 00 01 03 A0 0C 34 03 12 D1 01 0E 54 02 65 6E 48 65 6C 6C 6F 20 77 6F 72 6C 64 FE",
            "D1 01 0E 54 02 65 6E 48 65 6C 6C 6F 20 77 6F 72 6C 64", 2
        ),
        // NULL, memory-control and proprietary TLVs first.
        (
            "E1 10 12 00 00 00 02 03 A0 40 34 FD 02 00 01 03 06 D1 01 02 55 00 78",
            "D1 01 02 55 00 78", 2
        ),
        // A page of zeros inside the message.
        (
            "E1 10 12 00 03 0E D2 01 0A 61 00 00 00 00 00 00 00 00 00 62 FE",
            "D2 01 0A 61 00 00 00 00 00 00 00 00 00 62", 2
        ),
        // The 3-byte form of a length that would fit into one.
        ("E1 10 12 00 03 FF 00 06 D1 01 02 55 00 78 FE 00", "D1 01 02 55 00 78", 1),
        // A message that fills the memory to its last byte, without a terminator.
        ("E1 10 01 00 03 06 D1 01 02 55 00 78", "D1 01 02 55 00 78", 1),
        // Only the first message counts.
        (
            "E1 10 12 00 03 06 D1 01 02 55 00 78 03 06 D1 01 02 55 00 79",
            "D1 01 02 55 00 78", 1
        ),
    ]

    @Test("the message is found by walking the blocks by type and length", arguments: messages)
    func walk(from3: String, ndef: String, reads: Int) throws {
        let result = try read(from3)
        #expect(result.0 == .ndef(bytes(ndef)))
        #expect(result.reads == reads)
    }

    /// 299 characters are the length 03 FF 01 33.
    @Test(
        "a lock block and a URL of 150 to 300 characters",
        arguments: [150, 200, 249, 250, 299, 300])
    func longURL(characters: Int) throws {
        let payload = [0x04] + [UInt8](repeating: 0x61, count: characters)
        let header: [UInt8] =
            payload.count < 256
            ? [0xD1, 0x01, UInt8(payload.count), 0x55]
            : [0xC1, 0x01, 0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 255), 0x55]
        let record = header + payload
        let length =
            record.count < 255
            ? [UInt8(record.count)]
            : [0xFF, UInt8(record.count >> 8), UInt8(record.count & 255)]
        let area = bytes("01 03 A0 0C 34 03") + length + record + [0xFE]
        var tag = MemoryTag(from3: bytes("E1 10 6D 00") + area, pages: 231)
        #expect(try Type2Reader.read(over: &tag) == .ndef(record))
        #expect(tag.reads.count == 1 + (area.count - 1 - 12 + 15) / 16)
    }

    @Test(
        "factory state, an empty message and no message at all are blank",
        arguments: [
            "00 00 00 00", "E1 10 12 00 03 00 FE", "E1 10 12 00 01 03 A0 0C 34 03 00 FE",
            "E1 10 12 00 FE", "E1 10 00 00", "E1 10 12 00 01 03 A0 0C 34 FE",
            "E1 10 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
            // One-time bits that can still become a container.
            "A0 10 12 00",
        ])
    func blank(from3: String) throws {
        #expect(try read(from3).0 == .blank)
    }

    @Test("one-time bits that can't become a container any more: no NDEF, and not blank")
    func noNDEF() throws {
        #expect(try read("FF FF FF FF").0 == .noNDEF)
        #expect(try read("02 00 00 00").0 == .noNDEF)
    }

    @Test(
        "a length that goes beyond the memory is found before anything is read there",
        arguments: [
            "E1 10 12 00 03 FF FF FF", "E1 10 12 00 03 8F", "E1 10 01 00 03 07",
            "E1 10 12 00 FD FE", "E1 10 12 00 01 FF 00 90",
            // The length itself is cut off by the end of the memory.
            "E1 10 01 00 00 00 00 00 00 00 00 03", "E1 10 01 00 00 00 00 00 00 00 03 FF",
            "E1 10 01 00 00 00 00 00 00 03 FF 00",
        ])
    func lyingLength(from3: String) throws {
        let result = try read(from3)
        #expect(result.0 == .lyingLength)
        #expect(result.reads == 1)
    }

    @Test("any length of the memory is legal, and a message may fill it to the last byte")
    func everyMemoryLength() throws {
        for units in 1...255 {
            let size = 8 * units
            let header: [UInt8] =
                size - 2 < 255
                ? [0x03, UInt8(size - 2)]
                : [0x03, 0xFF, UInt8((size - 4) >> 8), UInt8((size - 4) & 0xFF)]
            let message = [UInt8](repeating: 0xA5, count: size - header.count)
            // The first read is made before the length is known; no chip has less than 16 pages.
            var tag = MemoryTag(
                from3: [0xE1, 0x10, UInt8(units), 0x00] + header + message,
                pages: max(16, 4 + size / 4))
            let outcome = try Type2Reader.read(over: &tag)
            #expect(outcome == .ndef(message))
            #expect(tag.reads.allSatisfy { $0.upperBound <= max(28, 16 + size) })
        }
    }

    @Test("nothing behind the memory that the tag claims is asked for")
    func noReadPastTheEnd() throws {
        // 16 + 8 × 6 bytes are the whole tag; the message ends with its last byte.
        let payload = [UInt8](repeating: 0x61, count: 42)
        let area = bytes("03 2E D5 00 2A") + [0x00] + payload.dropFirst()
        var tag = MemoryTag(from3: bytes("E1 10 06 00") + area, pages: 16)
        guard case .ndef(let message) = try Type2Reader.read(over: &tag) else {
            Issue.record("no message")
            return
        }
        #expect(message.count == 46)
        #expect(tag.reads.last?.upperBound == 64)
    }

    @Test(
        "a reader that gives fewer bytes at a time gets more and shorter reads", arguments: [4, 8])
    func smallReads(limit: Int) throws {
        let result = try read(
            "E1 10 12 00 03 0E D2 01 0A 61 00 01 02 03 04 05 06 07 08 62 FE", limit: limit)
        #expect(result.0 == .ndef(bytes("D2 01 0A 61 00 01 02 03 04 05 06 07 08 62")))
        #expect(result.reads == (20 + limit - 1) / limit)
    }

    @Test("a read that brings fewer pages than asked for is followed by one for the rest")
    func shortAnswers() throws {
        var tag = ScriptedTag([
            .init(3, 16, bytes("E1 10 12 00 03 06 D1 01 02")),
            .init(5, 4, bytes("02 55 00 78")),
        ])
        #expect(try Type2Reader.read(over: &tag) == .ndef(bytes("D1 01 02 55 00 78")))
        #expect(tag.rest.isEmpty)
    }

    @Test("a read that brings less than a page is an error that names the page")
    func noWholePage() {
        var tag = ScriptedTag([.init(3, 16, bytes("E1 10"))])
        #expect(throws: Type2Reader.ShortRead(page: 3)) { try Type2Reader.read(over: &tag) }
        #expect(
            "\(Type2Reader.ShortRead(page: 3))" == "less than one page came back for page 3")
    }

    @Test("more bytes than asked for are ignored")
    func longAnswers() throws {
        var tag = ScriptedTag([
            .init(3, 16, bytes("E1 10 12 00 03 08 D1 01 04 55 00 78 79 7A 00 00")),
            .init(3, 16, []),
        ])
        #expect(try Type2Reader.read(over: &tag) == .ndef(bytes("D1 01 04 55 00 78 79 7A")))
    }

    @Test("the transport's own error comes through")
    func transportError() {
        var tag = ScriptedTag([])
        #expect(throws: ScriptedTag.Unexpected(page: 3, count: 16)) {
            try Type2Reader.read(over: &tag)
        }
    }
}
