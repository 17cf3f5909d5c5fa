/// The alphabet of instance keys and class pointers: no 0, O, I or l, and case matters.
///
/// Source: draft-msporny-base58, section 2.
package enum Base58 {
    private static let members: Set<UInt8> = Set(
        "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    /// Whether the text is one or more digits of the alphabet and nothing else.
    package static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(members.contains)
    }
}
