/// The fields of a URL's query; of repeated names the first counts.
struct QueryFields {
    private var values: [String: Value] = [:]

    /// What a name stands for.
    enum Value: Equatable {
        case absent
        case value(String)
        /// Not decodable, too long or with a control character in it.
        case unreadable
    }

    init(_ query: Substring) {
        // At bytes, since a combining mark after a delimiter would hide it from Swift's characters.
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
            ).map(Substring.init)
            guard let name = Self.decode(parts[0]), values[name] == nil else { continue }
            values[name] = Self.value(of: parts.count == 2 ? parts[1] : "")
        }
    }

    subscript(name: String) -> Value { values[name] ?? .absent }

    /// A field that must be there and not empty.
    func required(_ name: String) -> String? {
        guard case .value(let text) = self[name], !text.isEmpty else { return nil }
        return text
    }

    private static func value(of raw: Substring) -> Value {
        guard let text = decode(raw), text.unicodeScalars.count <= TagURL.fieldLimit,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return .unreadable }
        return .value(text)
    }

    /// Percent-decodes once; nil where an escape is broken or the bytes are not UTF-8.
    private static func decode(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, let decoded = Hex.decode(digits) else { return nil }
            bytes += decoded
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
