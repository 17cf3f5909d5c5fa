/// The parts of an http or https URL that decide whether it can be a tag URL.
///
/// A general URL parser repairs what it reads (it encodes, trims and lower-cases); here the bytes
/// on the tag must be the URL, so the few rules that matter are applied to them as they stand.
struct URLParts {
    /// The host in lower case.
    let host: String
    /// Whether there is no user information, no port but the scheme's own, no path but `/` and no
    /// fragment.
    let isPlain: Bool
    /// What stands between `?` and the end, still encoded.
    let query: Substring

    /// Splits the text; nil where it is no http or https URL with a host.
    ///
    /// It is cut at bytes, as all programs do: a combining mark after a delimiter would make both
    /// one character of Swift's, and hide the delimiter.
    init?(_ text: String) {
        guard let (scheme, rest) = Self.cut(text) else { return nil }
        let name = scheme.lowercased()
        guard name == "http" || name == "https" else { return nil }
        let end = Self.first(of: "/?#", in: rest) ?? rest.endIndex
        let (user, place) = Self.cutAtLast("@", rest[..<end])
        let (port, host) = Self.portAndHost(place)
        guard !host.isEmpty else { return nil }
        self.host = host.lowercased()
        let tail = rest[end...]
        let path = tail[..<(Self.first(of: "?#", in: tail) ?? tail.endIndex)]
        let afterPath = tail[path.endIndex...]
        query = afterPath.utf8.first == UInt8(ascii: "?") ? Self.dropFirst(afterPath) : ""
        let defaultPort = name == "http" ? "80" : "443"
        let plainPort = port.map { $0.isEmpty || $0 == defaultPort } ?? true
        let plainPath = path.isEmpty || path == "/"
        isPlain = user == nil && plainPort && plainPath && Self.first(of: "#", in: tail) == nil
    }

    private static func cut(_ text: String) -> (scheme: Substring, rest: Substring)? {
        guard let colon = first(of: ":", in: text[...]) else { return nil }
        let rest = text[colon...]
        guard rest.utf8.starts(with: "://".utf8) else { return nil }
        return (text[..<colon], text[text.utf8.index(colon, offsetBy: 3)...])
    }

    /// What stands before and after the last such byte; nothing before it where there is none.
    private static func cutAtLast(
        _ mark: Unicode.Scalar, _ text: Substring
    ) -> (before: Substring?, after: Substring) {
        guard let index = text.utf8.lastIndex(of: UInt8(ascii: mark)) else { return (nil, text) }
        return (text[..<index], dropFirst(text[index...]))
    }

    private static func portAndHost(_ place: Substring) -> (port: Substring?, host: Substring) {
        let (host, port) = cutAtLast(":", place)
        return host.map { (port, $0) } ?? (nil, place)
    }

    private static func first(of marks: String, in text: Substring) -> Substring.Index? {
        text.utf8.firstIndex { marks.utf8.contains($0) }
    }

    private static func dropFirst(_ text: Substring) -> Substring {
        text[text.utf8.index(after: text.startIndex)...]
    }
}
