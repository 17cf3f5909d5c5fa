/// What a PC/SC answer-to-reset says of a contactless tag.
///
/// Source: PC/SC Specification 2.01, part 3, section 3.1.3.2.3, and its supplemental document for
/// contactless ICCs.
package struct CardATR: Sendable, Hashable {
    /// `iso14443a`, `iso14443b`, `felica`, `iso15693` or `jewel`, where it is certain.
    package let technology: String?
    package let platform: TagPlatform
    /// The chip or family, where it is certain.
    package let kind: String?

    package init(_ atr: [UInt8]) {
        guard let historical = Self.historicalBytes(of: atr) else {
            self.init(nil, .unknown)
            return
        }
        if let card = StorageCardID(historical) {
            self.init(card)
        } else {
            // ISO-DEP. Eight historical bytes may be a Type B card's application data and
            // protocol info; any other number is a Type A card's ATS.
            self.init(historical.count == 8 ? nil : "iso14443a", .type4)
        }
    }

    private init(_ technology: String?, _ platform: TagPlatform, kind: String? = nil) {
        self.technology = technology
        self.platform = platform
        self.kind = kind
    }

    private init(_ card: StorageCardID) {
        switch card.name {
        case 0x0001: self.init(card.technology, .mifareClassic, kind: "MIFARE Classic 1K")
        case 0x0002: self.init(card.technology, .mifareClassic, kind: "MIFARE Classic 4K")
        case 0x0026: self.init(card.technology, .mifareClassic, kind: "MIFARE Mini")
        // Readers name NTAG21x and all later Ultralights 0003 as well.
        case 0x0003: self.init(card.technology, .type2)
        case 0x003A: self.init(card.technology, .type2, kind: "MIFARE Ultralight C")
        case 0x0036...0x0039: self.init(card.technology, .mifareClassic, kind: "MIFARE Plus")
        case 0x002F, 0x0030: self.init("jewel", .type1)
        case 0x003B: self.init("felica", .type3)
        // Source: ACS, ACR122U Application Programming Interface 2.04, section 3.1.
        case 0xF004: self.init("jewel", .type1)
        case 0xF011, 0xF012: self.init("felica", .type3)
        case 0xFF00...0xFFFF: self.init(unnamedWithSAK: UInt8(card.name & 0xFF), card.technology)
        default:
            let platform: TagPlatform =
                switch card.technology {
                case "iso15693": .type5
                case "felica": .type3
                default: .unknown
                }
            self.init(card.technology, platform)
        }
    }

    /// A card without a name of its own: FF and its SAK.
    ///
    /// Source: NFC Forum, Digital Protocol 2.1, table SEL_RES: bits 7 and 6 are 00 for Type 2,
    /// x1 for Type 4, 10 for NFC-DEP alone; NXP AN10833 for bit 4, MIFARE Classic.
    private init(unnamedWithSAK sak: UInt8, _ technology: String?) {
        let platform: TagPlatform =
            if sak & 0x20 != 0 {
                .type4
            } else if sak & 0x08 != 0 {
                .mifareClassic
            } else {
                sak & 0x60 == 0 ? .type2 : .unknown
            }
        self.init(technology ?? "iso14443a", platform)
    }

    /// The historical bytes of an ATR of the form that contactless readers make up:
    /// 3B 8n 80 01, n bytes, check byte.
    private static func historicalBytes(of atr: [UInt8]) -> ArraySlice<UInt8>? {
        guard atr.count > 4, atr[0] == 0x3B, atr[1] >> 4 == 8, atr[2] == 0x80, atr[3] == 0x01
        else { return nil }
        let count = Int(atr[1] & 0x0F)
        return atr.count >= 4 + count ? atr[4..<(4 + count)] : nil
    }
}

/// The families of tags that are read in the same way.
package enum TagPlatform: String, Sendable, CaseIterable {
    case type1, type2, type3, type4, type5, mifareClassic, unknown
}

/// What the historical bytes of a storage card's ATR name: a standard and a card.
private struct StorageCardID {
    /// `80 4F 0C`, then the PC/SC Workgroup's registered application provider id.
    private static let prefix: [UInt8] = [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]

    let standard: UInt8
    let name: UInt16

    init?(_ historical: ArraySlice<UInt8>) {
        guard historical.starts(with: Self.prefix) else { return nil }
        let fields = Array(historical.dropFirst(Self.prefix.count))
        guard fields.count >= 3 else { return nil }
        standard = fields[0]
        name = UInt16(fields[1]) << 8 | UInt16(fields[2])
    }

    /// Source: PC/SC 2.01, part 3, table of the standard byte SS.
    var technology: String? {
        switch standard {
        case 0x01...0x03: "iso14443a"
        case 0x05...0x07: "iso14443b"
        case 0x09...0x0C: "iso15693"
        case 0x11: "felica"
        default: nil
        }
    }
}
