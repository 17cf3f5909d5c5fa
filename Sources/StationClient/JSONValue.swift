/// Any JSON value, read without expectations: what a newer daemon adds does no harm.
package enum JSONValue: Sendable, Equatable {
    case object([String: JSONValue])
    case array([JSONValue])
    case text(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case null

    /// A member of an object; nil where there is none, or this is no object.
    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The text as it was sent: for comparing, never for showing.
    var word: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    var boolean: Bool? {
        guard case .boolean(let value) = self else { return nil }
        return value
    }

    var array: [JSONValue] {
        guard case .array(let values) = self else { return [] }
        return values
    }

    /// The value as a person may be shown it.
    ///
    /// - Parameter limit: The most characters of a text.
    /// - Returns: Nil for an empty text and for what is no text, number or truth value.
    func shown(limit: Int = 40) -> String? {
        switch self {
        case .text(let text): text.isEmpty ? nil : TerminalText.escape(text, limit: limit)
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .boolean(let value): value ? "yes" : "no"
        case .object, .array, .null: nil
        }
    }
}

extension JSONValue: Decodable {
    package init(from decoder: any Decoder) throws {
        // Texts first: they are the most, and each wrong guess costs an error.
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .text(text)
        } else if let members = try? decoder.container(keyedBy: Name.self) {
            self = .object(try Self.members(members))
        } else if var elements = try? decoder.unkeyedContainer() {
            self = .array(try Self.elements(&elements))
        } else {
            self = Self.scalar(try decoder.singleValueContainer())
        }
    }

    private static func members(
        _ container: KeyedDecodingContainer<Name>
    ) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for name in container.allKeys {
            members[name.stringValue] = try container.decode(JSONValue.self, forKey: name)
        }
        return members
    }

    private static func elements(
        _ container: inout any UnkeyedDecodingContainer
    ) throws -> [JSONValue] {
        var elements: [JSONValue] = []
        while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
        return elements
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) -> JSONValue {
        if let value = try? container.decode(Bool.self) { return .boolean(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(Double.self) { return .number(value) }
        return .null
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }
}
