/// A reader as events name it.
package struct ReaderReference: Sendable, Hashable, Codable {
    /// Stable for the device; the same after it is plugged into another port where possible.
    package let id: String
    package let name: String
    /// `pcsc`, `libnfc`, `camera`, `exec` or `manual`.
    package let kind: String

    package init(id: String, name: String, kind: String) {
        self.id = id
        self.name = name
        self.kind = kind
    }

    /// The reader of scans that a local program made by hand.
    package static let manual = ReaderReference(id: "manual", name: "manual", kind: "manual")
}

/// What is known of a tag besides its contents.
package struct Tag: Sendable, Hashable, Codable {
    /// `iso14443a`, `iso14443b`, `felica`, `iso15693`, `jewel` or `barcode`, where it is known.
    package let technology: String?
    /// The chip or family where it is certain.
    package let kind: String?
    /// Lower-case hexadecimal.
    package let uid: String?
    /// True where the tag makes up a new UID at each tap.
    package let uidRandom: Bool?

    package init(technology: String?, kind: String?, uid: String?, uidRandom: Bool?) {
        self.technology = technology
        self.kind = kind
        self.uid = uid
        self.uidRandom = uidRandom
    }
}
