/// What a Plings tag says it is: the key of the identifier, and how and from what it was derived.
package struct ScannedIdentifier: Sendable, Hashable, Codable {
    /// How the tag says it was made: `q` QR, `n` NFC, `r` RFID, `b` Bluetooth; others pass.
    package let type: String
    /// The Base58 instance key.
    package let identifier: String
    /// The dot-separated derivation path.
    package let path: String
    /// The Base58 class pointer, a loose assertion of what kind of thing it is.
    package let classPointer: String?
    /// The URL as it was read, with the parameters that are not ours.
    package let url: String

    package init(
        type: String, identifier: String, path: String, classPointer: String?, url: String
    ) {
        self.type = type
        self.identifier = identifier
        self.path = path
        self.classPointer = classPointer
        self.url = url
    }
}

/// Why a scan has no identifier.
package enum Unrecognised: String, Sendable, Codable, CaseIterable {
    /// An empty or record-less NDEF message, or an unformatted tag that could hold one.
    case blank
    /// Readable, with something that is not ours.
    case foreign
    /// Our host, but not a valid tag URL.
    case malformed
    /// A type of tag that can't be read.
    case unsupported
    /// NDEF is there and could not be read.
    case unreadable
    /// Readable, UID known, no NDEF application on it.
    case uidOnly
}
