/// The capability container of a Type 4 Tag: where its NDEF file is and how it may be read.
///
/// Source: NFC Forum, Type 4 Tag 1.1, Capability Container, mapping versions 2.0 and 3.0.
struct Type4Container: Sendable, Hashable {
    /// The NDEF file's identifier.
    let file: UInt16
    /// How long the NDEF file is, with the length that stands in front of the message.
    let fileSize: Int
    /// How long that length is: 4 bytes in an Extended NDEF file, else 2.
    let lengthSize: Int
    /// The most bytes that a read may ask for: MLe.
    let maximumRead: Int
    /// 00 where everybody may read the file.
    let readAccess: UInt8

    /// The smallest length that a container may have; every tag gives as many bytes at a time.
    static let minimumSize = 15
    /// The longest stretch that is needed: an Extended NDEF File Control TLV ends there.
    private static let extendedSize = 17

    /// Why bytes are no container that can be used.
    enum Fault: Error, Sendable, Hashable {
        /// It must be that long to go on.
        case tooShort(Int)
        /// Nothing was ever written there.
        case empty
        /// A later mapping version, which may mean anything.
        case version
        case invalid(Type4Reader.Fault)
    }

    /// Reads a container.
    ///
    /// - Parameter bytes: The first bytes of its file.
    /// - Throws: `Fault` where they are too few, or can't be used.
    init(_ bytes: [UInt8]) throws(Fault) {
        guard bytes.count >= Self.minimumSize else { throw .tooShort(Self.minimumSize) }
        guard bytes.contains(where: { $0 != 0 }) else { throw .empty }
        let size = Self.number(bytes[0..<2])
        guard size >= Self.minimumSize else { throw .invalid(.container) }
        guard (1...3).contains(bytes[2] >> 4) else { throw .version }
        maximumRead = Self.number(bytes[3..<5])
        guard maximumRead >= Self.minimumSize else { throw .invalid(.container) }
        switch (bytes[7], bytes[8]) {
        case (0x04, 0x06):
            lengthSize = 2
            fileSize = Self.number(bytes[11..<13])
            readAccess = bytes[13]
        case (0x06, 0x08) where size >= Self.extendedSize:
            guard bytes.count >= Self.extendedSize else { throw .tooShort(Self.extendedSize) }
            lengthSize = 4
            fileSize = Self.number(bytes[11..<15])
            readAccess = bytes[15]
        default:
            throw .invalid(.container)
        }
        file = UInt16(bytes[9]) << 8 | UInt16(bytes[10])
        guard !Self.reserved.contains(file), fileSize > lengthSize else {
            throw .invalid(.container)
        }
    }

    /// Identifiers that no NDEF file has: the container's own, and ISO/IEC 7816-4's.
    private static let reserved: Set<UInt16> = [0x0000, 0xE102, 0xE103, 0x3F00, 0x3FFF, 0xFFFF]

    /// A number, the highest byte first; one too large for the machine is as good as the largest.
    static func number(_ bytes: some Collection<UInt8>) -> Int {
        Int(clamping: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
