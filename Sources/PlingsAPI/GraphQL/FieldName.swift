/// A name of the API, in one place for the document that asks for it and the code that reads it.
struct FieldName: CodingKey, ExpressibleByStringLiteral, CustomStringConvertible {
    let stringValue: String
    var intValue: Int? { nil }
    var description: String { stringValue }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init(stringLiteral value: String) {
        stringValue = value
    }

    init?(intValue: Int) {
        nil
    }
}

extension FieldName {
    // The envelope. Source: GraphQL specification, section 7.1.
    static let data: FieldName = "data"
    static let errors: FieldName = "errors"
    static let message: FieldName = "message"
    static let path: FieldName = "path"
    static let locations: FieldName = "locations"
    static let extensions: FieldName = "extensions"
    static let code: FieldName = "code"

    // Documented names of the API.
    static let resolveIdentifier: FieldName = "resolveIdentifier"
    static let success: FieldName = "success"
    static let routing: FieldName = "routing"
    static let action: FieldName = "action"
    static let destination: FieldName = "destination"
    static let parameters: FieldName = "parameters"
    static let key: FieldName = "key"
    static let value: FieldName = "value"
    static let cacheTTL: FieldName = "cacheTTL"
    static let object: FieldName = "object"
    static let objectID: FieldName = "objectId"
    static let status: FieldName = "status"
    static let owner: FieldName = "owner"
    static let objectClass: FieldName = "class"
    static let location: FieldName = "location"
    static let scanEvent: FieldName = "scanEvent"
    static let error: FieldName = "error"
    static let id: FieldName = "id"

    // Names that no document gives and that may turn out different.
    static let candidates: FieldName = "candidates"
    static let canEdit: FieldName = "canEdit"
    static let name: FieldName = "name"
    static let statuses: FieldName = "statuses"
    static let type: FieldName = "type"
    static let classPointer: FieldName = "classPointer"
    static let isGeneric: FieldName = "isGeneric"
    static let relationship: FieldName = "relationship"
    static let retryAfter: FieldName = "retryAfter"
}

/// The keys of `routing.parameters` that mean something here.
enum RoutingKey {
    /// The id of the server's scan event.
    static let scanEvent = "sid"
    /// The id of the class that a tag without an object asserts.
    static let objectClass = "class"
    /// That class's name.
    static let className = "className"
}
