package import LineProtocols
internal import Scanning

/// What a reader program has found out about a tag, apart from when and where.
package struct TagReport: Sendable, Hashable {
    package let technology: String?
    package let kind: String?
    /// The UID where the tag has one worth the name: never empty, never all zeros.
    package let uid: [UInt8]?
    package let contents: Contents

    /// The longest NDEF message that is passed on, in bytes.
    ///
    /// In hexadecimal it fits into one line of 64 KiB with room for everything else.
    package static let messageLimit = 24 * 1024

    /// What is on the tag.
    package enum Contents: Sendable, Hashable {
        case ndef([UInt8])
        /// A tag that can be read and has no NDEF application on it.
        case uidOnly
        case blank
        case unsupported(String)
        case unreadable(String)
    }

    /// - Parameters:
    ///   - technology: As the protocol names it, where certain.
    ///   - kind: The chip or family, where certain.
    ///   - uid: What the tag gave for a UID, whatever that is.
    ///   - contents: What is on it. A message over the limit becomes `unsupported`, and so does a
    ///     tag with neither NDEF nor a usable UID.
    package init(technology: String?, kind: String?, uid: [UInt8]?, contents: Contents) {
        self.technology = technology
        self.kind = kind
        let usable = uid.flatMap { $0.contains { $0 != 0 } ? $0 : nil }
        self.uid = usable
        self.contents =
            switch contents {
            case .ndef(let message) where message.count > Self.messageLimit:
                .unsupported("tooLong")
            case .uidOnly where usable == nil: .unsupported("noUID")
            default: contents
            }
    }

    /// A tag that went before anything was known of it.
    package static func gone(_ reason: String) -> TagReport {
        TagReport(technology: nil, kind: nil, uid: nil, contents: .unreadable(reason))
    }

    /// The same tag, which turned out not to be readable for this reason.
    package func unreadable(_ reason: String) -> TagReport {
        TagReport(technology: technology, kind: kind, uid: uid, contents: .unreadable(reason))
    }

    /// Whether the tag makes up a new UID each time: four bytes of which the first is 08.
    ///
    /// Source: ISO/IEC 14443-3, section 6.5.4; NXP AN10927, section 2.2.
    package var hasRandomUID: Bool { uid?.count == 4 && uid?.first == 0x08 }

    var isUnreadable: Bool {
        if case .unreadable = contents { true } else { false }
    }

    /// Whether a tag that reads like this after a short gap is taken for the one before it.
    ///
    /// The same UID with other bytes is another presence. One that can't be read now is taken for
    /// the same unless its UID is another.
    package func continues(_ earlier: TagReport) -> Bool {
        if isUnreadable { return !isOther(than: earlier) }
        return uid == earlier.uid && contents == earlier.contents
    }

    /// Whether both UIDs are known and differ.
    package func isOther(than earlier: TagReport) -> Bool {
        guard let uid, let other = earlier.uid else { return false }
        return uid != other
    }
}

extension ReaderMessage.Arrival {
    /// The message that tells of a tag.
    package init(_ report: TagReport, device: String, token: String, bootNanoseconds: UInt64) {
        self.init(
            device: device, token: token, medium: "nfc", bootNanoseconds: bootNanoseconds)
        technology = report.technology
        kind = report.kind
        uid = report.uid.map { Hex.encode($0) }
        uidRandom = report.hasRandomUID ? true : nil
        switch report.contents {
        case .ndef(let message): ndef = Hex.encode(message)
        case .uidOnly: break
        case .blank: problem = .blank
        case .unsupported(let why): (problem, reason) = (.unsupported, why)
        case .unreadable(let why): (problem, reason) = (.unreadable, why)
        }
    }
}
