internal import LineProtocols

/// Tells whether a tag that is there again carries the same bytes.
enum ContentDigest {
    /// Sixteen hexadecimal digits over everything the reader reported of the contents.
    ///
    /// Only a change on a tag with the same UID has to show, so a short hash serves: FNV-1a.
    /// Source: draft-eastlake-fnv, 64-bit parameters.
    static func of(_ arrival: ReaderMessage.Arrival) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        let parts = [arrival.ndef, arrival.payload, arrival.problem?.rawValue]
        for part in parts {
            for byte in (part ?? "").utf8 { mix(byte, into: &hash) }
            mix(part == nil ? 1 : 2, into: &hash)
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func mix(_ byte: UInt8, into hash: inout UInt64) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
}
