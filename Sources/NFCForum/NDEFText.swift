/// The payload of a text record.
///
/// Source: NFC Forum, Text Record Type Definition 1.0, section 3.2.
package struct NDEFText: Sendable, Hashable {
    package let text: String
    /// An IANA language code such as `en` or `de-CH`; empty where the record names none.
    package let language: String

    package init(text: String, language: String) {
        self.text = text
        self.language = language
    }

    /// Reads a payload, or nil where it is cut off or no text of the encoding it names.
    package init?(_ payload: some Collection<UInt8>) {
        // Bit 7: UTF-16; bit 6 is reserved; bits 5 to 0: the length of the language code.
        guard let status = payload.first else { return nil }
        let languageLength = Int(status & 0x3F)
        let rest = payload.dropFirst()
        guard rest.count >= languageLength else { return nil }
        language = TextBytes.decode(rest.prefix(languageLength))
        let body = rest.dropFirst(languageLength)
        guard status & 0x80 != 0 else {
            text = TextBytes.decode(body)
            return
        }
        guard let decoded = Self.decodeUTF16(Array(body)) else { return nil }
        text = decoded
    }

    /// Big-endian unless a byte order mark says otherwise.
    private static func decodeUTF16(_ bytes: [UInt8]) -> String? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let littleEndian = bytes.starts(with: [0xFF, 0xFE])
        let hasMark = littleEndian || bytes.starts(with: [0xFE, 0xFF])
        let units = stride(from: hasMark ? 2 : 0, to: bytes.count, by: 2).map { index in
            let (high, low) =
                littleEndian
                ? (bytes[index + 1], bytes[index]) : (bytes[index], bytes[index + 1])
            return UInt16(high) << 8 | UInt16(low)
        }
        return String(validating: units, as: UTF16.self)
    }
}
