/// Reads tag URLs: `https://s.plings.io/?t=n&i=<instance key>&p=<path>&cp=<class pointer>`.
package struct TagURL: Sendable {
    /// The most characters one field may have.
    ///
    /// Source: the public tag gateway cuts its parameters there.
    package static let fieldLimit = 200

    /// The hosts whose URLs are ours, in lower case.
    package let hosts: Set<String>

    package init(hosts: some Sequence<String>) {
        self.hosts = Set(hosts.map { $0.lowercased() })
    }

    /// Reads one text that a tag or code carried.
    ///
    /// - Parameter text: The text as received.
    /// - Returns: The identifier, or `foreign` where it is not ours and `malformed` where it says
    ///   it is and is not valid.
    package func read(_ text: String) -> Reading {
        let trimmed = Self.trim(text)
        guard let parts = URLParts(trimmed), hosts.contains(parts.host) else { return .foreign }
        guard !Self.hasControlCharacter(trimmed), parts.isPlain else { return .malformed }
        return identifier(from: QueryFields(parts.query), url: trimmed).map(Reading.identifier)
            ?? .malformed
    }

    /// What a text turned out to be.
    package enum Reading: Sendable, Equatable {
        case identifier(ScannedIdentifier)
        case foreign
        case malformed
    }

    private func identifier(from fields: QueryFields, url: String) -> ScannedIdentifier? {
        guard let type = fields.required("t"), let key = fields.required("i"),
            let path = fields.required("p"), Base58.isValid(key), Self.isPath(path),
            fields["cp"] != .unreadable
        else { return nil }
        return ScannedIdentifier(
            type: type, identifier: key, path: path, classPointer: Self.classPointer(in: fields),
            url: url)
    }

    /// The class pointer; one that is not Base58 is left out.
    ///
    /// It is a loose assertion that only fills in what to create, so a wrong one doesn't take the
    /// tag its identity.
    private static func classPointer(in fields: QueryFields) -> String? {
        guard case .value(let text) = fields["cp"], Base58.isValid(text) else { return nil }
        return text
    }

    /// Whether the text is letters and digits in groups divided by single dots.
    private static func isPath(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { group in
            !group.isEmpty && group.utf8.allSatisfy(isLetterOrDigit)
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    /// Takes off a byte order mark and outer white space, which writers leave on tags.
    private static func trim(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        if scalars.first == "\u{FEFF}" { scalars = scalars.dropFirst() }
        while let first = scalars.first, first.properties.isWhitespace {
            scalars = scalars.dropFirst()
        }
        while let last = scalars.last, last.properties.isWhitespace { scalars = scalars.dropLast() }
        return String(scalars)
    }

    private static func hasControlCharacter(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
