internal import CCurl

/// A URL taken apart by libcurl's own parser, so that what is checked is what is fetched.
///
/// Source: curl_url(3), RFC 3986.
struct WebURL: ~Copyable {
    private let handle: OpaquePointer

    /// Parses an absolute URL; nil where libcurl can't, or does not know the scheme.
    init?(_ text: String) {
        guard let handle = curl_url() else { return nil }
        guard curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK else {
            curl_url_cleanup(handle)
            return nil
        }
        self.handle = handle
    }

    deinit {
        curl_url_cleanup(handle)
    }

    /// Goes on to a reference, absolute or relative, as a `Location` header gives it.
    ///
    /// - Returns: False where the reference can't be read.
    mutating func follow(_ reference: String) -> Bool {
        curl_url_set(handle, CURLUPART_URL, reference, 0) == CURLUE_OK
    }

    /// Lower case.
    var scheme: String { part(CURLUPART_SCHEME)?.lowercased() ?? "" }
    /// Lower case; an IPv6 address keeps its brackets, odd forms of an IPv4 address are made plain.
    var host: String { part(CURLUPART_HOST)?.lowercased() ?? "" }
    /// The port, the scheme's own where none is written.
    var port: String { part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)) ?? "" }
    /// Whether a user or password stands before the host.
    var hasCredentials: Bool { part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil }
    /// The whole URL.
    var text: String { part(CURLUPART_URL) ?? "" }

    /// Whether the two lead to the same server: scheme, host and port.
    func hasOrigin(of other: borrowing WebURL) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    private func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &value, flags) == CURLUE_OK, let value else { return nil }
        defer { curl_free(value) }
        return String(cString: value)
    }
}
