/// The payload of a URI record: a byte that stands for a prefix, and the rest.
///
/// Source: NFC Forum, URI Record Type Definition 1.0, section 3.2.
package enum URIRecord {
    /// What the identifier codes 0x00 to 0x23 stand for; the codes above stand for nothing.
    ///
    /// Source: URI RTD 1.0, table 3.
    private static let prefixes = [
        "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:",
        "ftp://anonymous:anonymous@", "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://",
        "ftp://", "dav://", "news:", "telnet://", "imap:", "rtsp://", "urn:", "pop:", "sip:",
        "sips:", "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://",
        "file://", "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:",
        "urn:nfc:",
    ]

    /// The URI, or nil where there is not even an identifier code.
    package static func decode(_ payload: some Collection<UInt8>) -> String? {
        guard let code = payload.first else { return nil }
        let prefix = Int(code) < prefixes.count ? prefixes[Int(code)] : ""
        return prefix + TextBytes.decode(payload.dropFirst())
    }
}
