/// A tag that lies on a reader: what is needed to know it again after a restart.
package struct OpenPresence: Sendable, Hashable {
    /// The scan that opened it.
    package let scan: String
    /// The reader's id.
    package let device: String
    /// JSON: the reader as events name it.
    package let reader: [UInt8]
    /// `nfc`, `qr`, or what an external reader says.
    package let medium: String
    /// Hexadecimal.
    package let uid: String?
    /// A digest of the bytes that were read, as text.
    package let contents: String
    /// When the tag was detected.
    package let moment: Moment

    package init(
        scan: String, device: String, reader: [UInt8], medium: String, uid: String?,
        contents: String, moment: Moment
    ) {
        self.scan = scan
        self.device = device
        self.reader = reader
        self.medium = medium
        self.uid = uid
        self.contents = contents
        self.moment = moment
    }
}

/// A tag that came or went.
package enum PresenceChange: Sendable, Hashable {
    case opened(OpenPresence)
    case closed(scan: String)
}
