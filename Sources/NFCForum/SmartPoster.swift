/// The payload of a Smart Poster record: a message of its own around one URI.
///
/// Source: NFC Forum, Smart Poster Record Type Definition 1.1, section 3.3.
package struct SmartPoster: Sendable, Hashable {
    package let uri: String
    /// Titles in different languages, in the poster's order.
    package let titles: [NDEFText]
    /// What the poster suggests to do: 0 do it, 1 save it, 2 open it for editing.
    package let action: UInt8?

    package init(uri: String, titles: [NDEFText] = [], action: UInt8? = nil) {
        self.uri = uri
        self.titles = titles
        self.action = action
    }

    /// The first title.
    package var title: String? { titles.first?.text }

    /// Reads a payload, or nil where it is no message or holds no URI.
    ///
    /// The inner records are not looked into further: a poster inside a poster has no meaning.
    package init?(_ payload: [UInt8]) {
        guard let message = try? NDEFMessage(payload) else { return nil }
        let inner = message.records.filter { $0.format == .wellKnown }
        let uris = inner.filter { $0.type == Array("U".utf8) }
        guard let uri = uris.lazy.compactMap({ URIRecord.decode($0.payload) }).first else {
            return nil
        }
        self.uri = uri
        titles = inner.filter { $0.type == Array("T".utf8) }.compactMap { NDEFText($0.payload) }
        action = inner.first { $0.type == Array("act".utf8) }?.payload.first
    }
}
