/// The payload of a Smart Poster record: a message of its own around one URI.
///
/// Source: NFC Forum, Smart Poster Record Type Definition 1.1, section 3.3.
package struct SmartPoster: Sendable, Hashable {
    package let uri: String
    /// Titles in different languages, in the poster's order.
    package let titles: [NDEFText]
    /// What the poster suggests to do: 0 do it, 1 save it, 2 open it for editing.
    package let action: UInt8?
    /// How many bytes there are behind the URI, where the poster says.
    package let size: UInt32?
    /// The media type of what is behind the URI, where the poster says.
    package let mediaType: String?

    package init(
        uri: String, titles: [NDEFText] = [], action: UInt8? = nil, size: UInt32? = nil,
        mediaType: String? = nil
    ) {
        self.uri = uri
        self.titles = titles
        self.action = action
        self.size = size
        self.mediaType = mediaType
    }

    /// The first title.
    package var title: String? { titles.first?.text }

    /// Reads a payload, or nil where it is no message or holds no URI.
    ///
    /// The inner records are not looked into further: a poster inside a poster has no meaning. An
    /// icon is passed over, and so is any other record that is not the poster's own.
    package init?(_ payload: [UInt8]) {
        guard let message = try? NDEFMessage(payload) else { return nil }
        let inner = message.records.filter { $0.format == .wellKnown }
        let uris = inner.filter { $0.type == Array("U".utf8) }
        guard let uri = uris.lazy.compactMap({ URIRecord.decode($0.payload) }).first else {
            return nil
        }
        self.uri = uri
        titles = inner.filter { $0.type == Array("T".utf8) }.compactMap { NDEFText($0.payload) }
        action = inner.payload("act")?.first
        size = inner.payload("s").flatMap { bytes in
            bytes.count == 4 ? bytes.reduce(0) { $0 << 8 | UInt32($1) } : nil
        }
        mediaType = inner.payload("t").map { TextBytes.decode($0) }
    }
}

extension [NDEFRecord] {
    /// The payload of the first record of a well-known type.
    fileprivate func payload(_ type: String) -> [UInt8]? {
        first { $0.type.elementsEqual(type.utf8) }?.payload
    }
}
