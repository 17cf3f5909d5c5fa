/// Reading what a server may leave out, add to or change the type of: whatever is not as expected
/// counts as absent, and nothing is longer than a limit.
extension KeyedDecodingContainer where Key == FieldName {
    /// Whether there is a value other than null.
    func has(_ key: FieldName) -> Bool {
        contains(key) && (try? decodeNil(forKey: key)) == false
    }

    /// A text, cut to so many Unicode scalars.
    ///
    /// Control characters in it are data.
    func text(_ key: FieldName, limit: Int = TextLimit.text) -> String? {
        guard let text = try? decode(String.self, forKey: key) else { return nil }
        guard text.utf8.count > limit, text.unicodeScalars.count > limit else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))
    }

    /// An id, which is a text or a whole number.
    ///
    /// An overlong one is absent, since a cut one is another id.
    func id(_ key: FieldName) -> String? {
        let text = (try? decode(String.self, forKey: key)) ?? whole(key).map { String($0) }
        guard let text, !text.isEmpty, text.utf8.count <= TextLimit.id else { return nil }
        return text
    }

    func flag(_ key: FieldName) -> Bool? {
        try? decode(Bool.self, forKey: key)
    }

    /// A whole number, also where it is written as `300.0`.
    func whole(_ key: FieldName) -> Int? {
        if let value = try? decode(Int.self, forKey: key) { return value }
        return (try? decode(Double.self, forKey: key)).flatMap { Int(exactly: $0) }
    }

    func member<Value: Decodable>(_ type: Value.Type, _ key: FieldName) -> Value? {
        try? decode(type, forKey: key)
    }

    /// The readable elements of a list, nil where there is no list.
    ///
    /// - Parameters:
    ///   - type: What an element is read as.
    ///   - key: The list's name.
    ///   - limit: How many elements are looked at.
    /// - Returns: The elements that could be read.
    func list<Element: Decodable>(
        _ type: Element.Type, _ key: FieldName, limit: Int = TextLimit.list
    ) -> [Element]? {
        guard var elements = try? nestedUnkeyedContainer(forKey: key) else { return nil }
        var read: [Element] = []
        var seen = 0
        while !elements.isAtEnd, seen < limit {
            guard let element = try? elements.decode(Lenient<Element>.self) else { break }
            if let value = element.value { read.append(value) }
            seen += 1
        }
        return read
    }
}

/// The longest things that are taken from an answer.
enum TextLimit {
    /// Unicode scalars of a text.
    static let text = 1000
    /// Bytes of an id.
    static let id = 200
    /// Elements of a list.
    static let list = 100
}

/// An element that may be unreadable without spoiling its list.
private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        value = try? Value(from: decoder)
    }
}
