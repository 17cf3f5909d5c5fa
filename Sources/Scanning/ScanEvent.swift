/// A tag or code that was seen, as it is published.
package struct ScanEvent: Sendable, Hashable, Codable {
    /// The scan's id, a UUID of version 7.
    package let scan: String
    package let reader: ReaderReference
    /// `nfc`, `qr`, `manual`, or what an external reader says.
    package let medium: String
    package let tag: Tag?
    package let identifier: ScannedIdentifier?
    package let unrecognised: Unrecognised?
    /// Text or URL of a tag that is not ours, at most 2 KiB, control characters escaped.
    package let content: String?
    package let location: Location?

    package init(
        scan: String, reader: ReaderReference, medium: String, tag: Tag? = nil,
        identifier: ScannedIdentifier? = nil, unrecognised: Unrecognised? = nil,
        content: String? = nil, location: Location? = nil
    ) {
        self.scan = scan
        self.reader = reader
        self.medium = medium
        self.tag = tag
        self.identifier = identifier
        self.unrecognised = unrecognised
        self.content = content
        self.location = location
    }
}

/// A tag that went away.
package struct DepartureEvent: Sendable, Hashable, Codable {
    package let scan: String
    package let reader: ReaderReference
    /// From detection to the moment the tag was last seen, in milliseconds.
    package let heldMilliseconds: Int64
    /// True where it went while nobody looked.
    package let lost: Bool?

    package init(scan: String, reader: ReaderReference, heldMilliseconds: Int64, lost: Bool?) {
        self.scan = scan
        self.reader = reader
        self.heldMilliseconds = heldMilliseconds
        self.lost = lost
    }
}
