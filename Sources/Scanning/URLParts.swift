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
    init?(_ text: String) {
        guard let (scheme, rest) = Self.cut(text[...], at: "://") else { return nil }
        let name = scheme.lowercased()
        guard name == "http" || name == "https" else { return nil }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let authority = rest[..<end]
        let (user, place) = Self.userAndPlace(authority)
        let (host, port) = Self.hostAndPort(place)
        guard !host.isEmpty else { return nil }
        self.host = host.lowercased()
        let tail = rest[end...]
        let path = tail.prefix { $0 != "?" && $0 != "#" }
        let afterPath = tail.dropFirst(path.count)
        query = afterPath.first == "?" ? afterPath.dropFirst() : ""
        let defaultPort = name == "http" ? "80" : "443"
        let plainPort = port.map { $0.isEmpty || $0 == defaultPort } ?? true
        let plainPath = path.isEmpty || path == "/"
        isPlain = user == nil && plainPort && plainPath && !tail.contains("#")
    }

    private static func cut(
        _ text: Substring, at separator: String
    ) -> (Substring, Substring)? {
        var index = text.startIndex
        while index < text.endIndex {
            if text[index...].hasPrefix(separator) {
                let after = text.index(index, offsetBy: separator.count)
                return (text[..<index], text[after...])
            }
            index = text.index(after: index)
        }
        return nil
    }

    private static func userAndPlace(_ authority: Substring) -> (Substring?, Substring) {
        guard let at = authority.lastIndex(of: "@") else { return (nil, authority) }
        return (authority[..<at], authority[authority.index(after: at)...])
    }

    private static func hostAndPort(_ place: Substring) -> (Substring, Substring?) {
        guard let colon = place.lastIndex(of: ":") else { return (place, nil) }
        return (place[..<colon], place[place.index(after: colon)...])
    }
}
