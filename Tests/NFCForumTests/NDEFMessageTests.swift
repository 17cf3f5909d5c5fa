import NFCForum
import Scanning
import Testing

@Suite("NDEF messages")
struct NDEFMessageTests {
    @Test("a short record is read with its type and payload")
    func shortRecord() throws {
        let message = try NDEFMessage(bytes("D1 01 04 55 04 61 2E 62"))
        let expected = NDEFRecord(
            format: .wellKnown, type: bytes("55"), payload: bytes("04 61 2E 62"))
        #expect(message.records == [expected])
    }

    @Test("a long record of 300 bytes is read whole")
    func longRecord() throws {
        let payload = [0x04] + [UInt8](repeating: 0x61, count: 299)
        let message = try NDEFMessage(bytes("C1 01 00 00 01 2C 55") + payload)
        #expect(message.records.map(\.payload) == [payload])
    }

    @Test("a record's ID and media type are read and do not disturb the next record")
    func identifierAndMediaType() throws {
        let message = try NDEFMessage(
            bytes("9A 0A 03 02 746578742F706C61696E 6964 616263 51 01 02 55 00 78"))
        let media = NDEFRecord(
            format: .media, type: Array("text/plain".utf8), id: Array("id".utf8),
            payload: Array("abc".utf8))
        #expect(message.records.first == media)
        #expect(message.contents == [.uri("x")])
    }

    @Test("a MIME record of 16 bytes with an ID is passed over, and the URI behind it counts")
    func mediaRecordFirst() throws {
        let type = Array("application/vnd.bluetooth.ep.oob".utf8)
        #expect(type.count == 0x20)
        let payload = [UInt8](repeating: 0xAA, count: 0x10)
        let alone = try NDEFMessage(bytes("DA 20 10 01") + type + bytes("30") + payload)
        let media = NDEFRecord(format: .media, type: type, id: bytes("30"), payload: payload)
        #expect(alone.records == [media])
        #expect(alone.contents.isEmpty && !alone.isBlank)
        let first = bytes("9A 20 10 01") + type + bytes("30") + payload
        let both = try NDEFMessage(first + bytes("51 01 02 55 00 78"))
        #expect(both.contents == [.uri("x")])
    }

    @Test("a chunked URI is joined, and the length claimed by 03 00 00 00 is refused unread")
    func longChunks() throws {
        let message = try NDEFMessage(
            bytes("A1 01 00 00 00 03 55 04 61 2E 36 00 01 62 46 00 00 00 00 01 2F"))
        #expect(message.contents == [.uri("https://a.b/")])
        let huge = bytes("C1 01 03 00 00 00 55 04 61")
        #expect(throws: MalformedNDEF(offset: 0, reason: .cutInRecord)) {
            try NDEFMessage(huge)
        }
    }

    @Test("chunks are joined under the first one's type and ID")
    func chunks() throws {
        let message = try NDEFMessage(
            bytes("B9 01 03 01 55 49 04612E 36 00 02 622F 56 00 01 63"))
        let expected = NDEFRecord(
            format: .wellKnown, type: bytes("55"), id: bytes("49"),
            payload: bytes("04 61 2E 62 2F 63"))
        #expect(message.records == [expected])
        #expect(message.contents == [.uri("https://a.b/c")])
    }

    @Test("bytes behind the record that ends the message are ignored")
    func padding() throws {
        let message = try NDEFMessage(bytes("D1 01 02 55 00 78 00 00 FE"))
        #expect(message.records.count == 1)
    }

    @Test(
        "a message that says nothing is blank",
        arguments: ["", "D0 00 00", "90 00 00 50 00 00", "D8 00 00 00"])
    func blank(hex: String) throws {
        #expect(try NDEFMessage(bytes(hex)).isBlank)
    }

    @Test("a message with a record that says something is not blank")
    func notBlank() throws {
        #expect(try !NDEFMessage(bytes("90 00 00 51 01 02 55 00 78")).isBlank)
    }

    static let malformed: [(String, Int, MalformedNDEF.Reason)] = [
        ("D1", 0, .cutInHeader),
        ("D1 01", 0, .cutInHeader),
        ("C1 01 00 00 01", 0, .cutInHeader),
        ("D9 01 02", 0, .cutInHeader),
        ("D1 01 05 55 04 61", 0, .cutInRecord),
        ("C1 01 03 00 00 00 55 04 61", 0, .cutInRecord),
        ("C1 01 FF FF FF FF 55", 0, .cutInRecord),
        ("D9 01 00 FF 55", 0, .cutInRecord),
        ("51 01 02 55 00 78", 0, .noBegin),
        ("91 01 02 55 00 78 D1 01 02 55 00 79", 6, .secondBegin),
        ("91 01 02 55 00 78", 6, .noEnd),
        ("91 01 02 55 00 78 51", 6, .cutInHeader),
        ("D0 00 01 00", 0, .emptyWithContents),
        ("D0 01 00 55", 0, .emptyWithContents),
        ("D5 01 00 55", 0, .typeNotAllowed),
        ("D6 00 01 61", 0, .chunkWithoutStart),
        ("B1 01 01 55 04 51 01 01 55 61", 5, .chunkInterrupted),
        ("B1 01 01 55 04 56 01 01 55 61", 5, .chunkWithType),
        ("B1 01 01 55 04 5E 00 01 01 61 62", 5, .chunkWithType),
        ("B1 01 01 55 04 D6 00 01 61", 5, .secondBegin),
        ("F1 01 01 55 04", 0, .chunkAtEnd),
        ("B1 01 01 55 04 76 00 01 61", 5, .chunkAtEnd),
        ("B1 01 01 55 04", 5, .noEnd),
    ]

    @Test("a malformed message is refused with the place and the reason", arguments: malformed)
    func refused(hex: String, offset: Int, reason: MalformedNDEF.Reason) {
        #expect(throws: MalformedNDEF(offset: offset, reason: reason)) {
            try NDEFMessage(bytes(hex))
        }
    }

    @Test("every reason for a refusal is met by a case of the table above")
    func everyReason() {
        #expect(Set(Self.malformed.map(\.2)) == Set(MalformedNDEF.Reason.allCases))
    }

    @Test("a refusal says where and why, and nothing of the contents")
    func sentence() {
        let failure = MalformedNDEF(offset: 12, reason: .cutInRecord)
        #expect(
            "\(failure)"
                == "NDEF message, byte 12: a record is longer than the rest of the message")
    }
}
