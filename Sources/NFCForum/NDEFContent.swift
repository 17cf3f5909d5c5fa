/// What a record means to somebody who looks for an address.
package enum NDEFContent: Sendable, Hashable {
    case smartPoster(SmartPoster)
    case uri(String)
    case absoluteURI(String)
    case text(NDEFText)

    /// The text to look at.
    package var text: String {
        switch self {
        case .smartPoster(let poster): poster.uri
        case .uri(let text), .absoluteURI(let text): text
        case .text(let record): record.text
        }
    }
}

extension NDEFRecord {
    /// What the record means, or nil where it holds neither an address nor text.
    package var content: NDEFContent? {
        switch format {
        case .wellKnown where type == Array("U".utf8):
            URIRecord.decode(payload).map(NDEFContent.uri)
        case .wellKnown where type == Array("T".utf8):
            NDEFText(payload).map(NDEFContent.text)
        case .wellKnown where type == Array("Sp".utf8):
            SmartPoster(payload).map(NDEFContent.smartPoster)
        case .absoluteURI:
            // The address stands in the type; the payload is what it points to, mostly nothing.
            type.isEmpty ? nil : .absoluteURI(TextBytes.decode(type))
        default:
            nil
        }
    }
}

extension NDEFMessage {
    /// What the records mean, in the message's order; records without text are left out.
    package var contents: [NDEFContent] {
        records.compactMap(\.content)
    }

    /// The one content that a scanner takes.
    ///
    /// A record that is a tag URL, wherever it stands; else a Smart Poster, a URI, an absolute
    /// URI, a text that holds a URL, any text.
    ///
    /// - Parameter isTagURL: Whether a text is one of ours.
    /// - Returns: The content, or nil where no record holds an address or text.
    package func chosen(isTagURL: (String) -> Bool) -> NDEFContent? {
        let contents = contents
        if let ours = contents.first(where: { isTagURL($0.text) }) { return ours }
        var best: NDEFContent?
        for content in contents where content.rank < (best?.rank ?? Int.max) { best = content }
        return best
    }
}

extension NDEFContent {
    /// The place in the order of choice among contents that are not ours; lower goes first.
    fileprivate var rank: Int {
        switch self {
        case .smartPoster: 0
        case .uri: 1
        case .absoluteURI: 2
        case .text(let record): TextBytes.holdsURL(record.text) ? 3 : 4
        }
    }
}

/// Bytes that should be text.
enum TextBytes {
    /// Strictly UTF-8, else Latin-1, which every byte string is.
    static func decode(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Whether a text is a URL with an authority, white space around it aside.
    ///
    /// Source: RFC 3986, sections 3.1 and 3.2.
    static func holdsURL(_ text: String) -> Bool {
        let trimmed = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let scheme = trimmed.prefix { $0 != ":" }
        guard let first = scheme.first, first.isASCII, first.properties.isAlphabetic else {
            return false
        }
        let isScheme = scheme.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic
                    || "0123456789+-.".unicodeScalars
                        .contains(scalar))
        }
        let rest = trimmed.dropFirst(scheme.count)
        return isScheme && rest.starts(with: "://".unicodeScalars) && rest.count > 3
    }
}
