import NFCForum
import Scanning
import Testing

@Suite("Answers to reset")
struct CardATRTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let atr: String
        let technology: String?
        let platform: TagPlatform
        let kind: String?
        var testDescription: String { atr }

        init(
            _ atr: String, _ technology: String?, _ platform: TagPlatform, _ kind: String? = nil
        ) {
            self.atr = atr
            self.technology = technology
            self.platform = platform
            self.kind = kind
        }

        /// The made-up ATR of a storage card.
        init(
            standard: String, name: String, _ technology: String?, _ platform: TagPlatform,
            _ kind: String? = nil
        ) {
            self.init(
                "3B8F8001804F0CA000000306\(standard)\(name)0000000000", technology, platform, kind)
        }
    }

    static let cases = [
        Case("3B8F8001804F0CA0000003060300030000000068", "iso14443a", .type2),
        Case(
            "3B8F8001804F0CA000000306030001000000006A", "iso14443a", .mifareClassic,
            "MIFARE Classic 1K"),
        Case(
            "3B8F8001804F0CA00000030603000200000000 69", "iso14443a", .mifareClassic,
            "MIFARE Classic 4K"),
        Case("3B8F8001804F0CA00000030603FF4000000000D4", "iso14443a", .unknown),
        Case("3B8F8001804F0CA00000030611003B0000000042", "felica", .type3),
        Case("3B8F8001804F0CA00000030603F011000000008A", "felica", .type3),
        Case("3B8F8001804F0CA0000003060B00140000000077", "iso15693", .type5),
        Case(standard: "03", name: "003A", "iso14443a", .type2, "MIFARE Ultralight C"),
        Case(standard: "03", name: "0026", "iso14443a", .mifareClassic, "MIFARE Mini"),
        Case(standard: "03", name: "0036", "iso14443a", .mifareClassic, "MIFARE Plus"),
        Case(standard: "03", name: "0030", "jewel", .type1),
        Case(standard: "03", name: "F004", "jewel", .type1),
        Case(standard: "03", name: "FF00", "iso14443a", .type2),
        Case(standard: "03", name: "FF08", "iso14443a", .mifareClassic),
        Case(standard: "03", name: "FF20", "iso14443a", .type4),
        Case(standard: "03", name: "FF28", "iso14443a", .type4),
        Case(standard: "06", name: "0007", "iso14443b", .unknown),
        Case(standard: "0C", name: "0000", "iso15693", .type5),
        Case(standard: "00", name: "0000", nil, .unknown),
        // ISO-DEP: a phone, a DESFire, a card with eight bytes that may be Type B.
        Case("3B80800101", "iso14443a", .type4),
        Case("3B8180018080", "iso14443a", .type4),
        Case("3B888001000000000000000009", nil, .type4),
        // A contact card, cut-off ATRs, none.
        Case("3BFF1300FF813180", nil, .unknown),
        Case("3B8F8001804F0CA0", nil, .unknown),
        Case("3B8F8001", nil, .unknown),
        Case("3B", nil, .unknown),
        Case("", nil, .unknown),
        // The right prefix, but no room for a name.
        Case("3B8A8001804F0CA000000306 0300", "iso14443a", .type4),
    ]

    @Test(
        "an ATR names the technology, the platform and, where certain, the kind", arguments: cases)
    func classification(expected: Case) {
        let atr = CardATR(bytes(expected.atr))
        #expect(atr.technology == expected.technology)
        #expect(atr.platform == expected.platform)
        #expect(atr.kind == expected.kind)
    }
}
