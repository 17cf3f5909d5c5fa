internal import Scanning

/// What `resolveIdentifier` returns, as far as it can be read.
struct ResolvePayload: GraphQLPayload {
    static let field = FieldName.resolveIdentifier

    let success: Bool?
    let routing: Routing?
    /// Whether there is an object, readable or not.
    let hasObject: Bool
    let object: ObjectSummary?
    let objectClass: ObjectClass?
    /// Whether there is any candidate, readable or not.
    let hasCandidates: Bool
    let candidates: [ObjectSummary]
    let scanEvent: String?
    /// Whether there is an error, readable or not.
    let hasError: Bool
    let error: AnswerError?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        success = members.flag(.success)
        routing = members.member(RoutingReading.self, .routing)?.value
        hasObject = members.has(.object)
        object = members.member(ObjectReading.self, .object)?.value
        objectClass = members.member(ClassReading.self, .objectClass)?.value
        let found = members.list(ObjectReading.self, .candidates) ?? []
        hasCandidates = !found.isEmpty
        candidates = found.compactMap(\.value)
        let event = try? members.nestedContainer(keyedBy: FieldName.self, forKey: .scanEvent)
        scanEvent = event?.id(.id)
        hasError = members.has(.error)
        error = members.member(ErrorReading.self, .error)?.value
    }

    /// An absent object is believed only where the answer has no errors: the field that would have
    /// held it may be the one that failed.
    var standsDespiteErrors: Bool {
        hasCandidates || hasError || success == false || object != nil
    }
}

// Each reads one of the domain's values; the value is nil where what makes it up is missing.

private struct ObjectReading: Decodable {
    let value: ObjectSummary?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        guard let id = members.id(.objectID) else {
            value = nil
            return
        }
        // Without the flag nothing is promised: read-only.
        var object = ObjectSummary(
            id: id, name: members.text(.name), canEdit: members.flag(.canEdit) ?? false)
        object.owner = members.member(OwnerReading.self, .owner)?.value
        object.class = members.member(ClassReading.self, .objectClass)?.value
        object.location = members.member(PlaceReading.self, .location)?.value
        object.statuses = Self.statuses(members)
        value = object
    }

    private static func statuses(_ members: KeyedDecodingContainer<FieldName>) -> [String]? {
        let several = members.list(BoundedText.self, .statuses)?.map(\.value) ?? []
        if !several.isEmpty { return several }
        return members.text(.status).map { [$0] }
    }
}

private struct BoundedText: Decodable {
    let value: String

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        value = String(String.UnicodeScalarView(text.unicodeScalars.prefix(TextLimit.text)))
    }
}

private struct OwnerReading: Decodable {
    let value: ObjectSummary.Owner?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        value = members.id(.id).map {
            ObjectSummary.Owner(id: $0, name: members.text(.name), type: members.text(.type))
        }
    }
}

private struct ClassReading: Decodable {
    let value: ObjectClass?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        let read = ObjectClass(
            id: members.id(.id), name: members.text(.name),
            classPointer: members.id(.classPointer), isGeneric: members.flag(.isGeneric))
        let nothing = ObjectClass(id: nil, name: nil, classPointer: nil, isGeneric: nil)
        value = read == nothing ? nil : read
    }
}

private struct PlaceReading: Decodable {
    let value: ObjectSummary.Place?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        value = members.id(.objectID).map {
            ObjectSummary.Place(
                object: $0, name: members.text(.name), relationship: members.text(.relationship))
        }
    }
}

private struct RoutingReading: Decodable {
    let value: Routing

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        value = Routing(
            action: members.text(.action) ?? "",
            destination: members.text(.destination),
            parameters: members.list(ParameterReading.self, .parameters)?.map(\.value),
            cacheTTL: members.whole(.cacheTTL).map { max(0, min($0, Int(Int32.max))) })
    }
}

private struct ParameterReading: Decodable {
    let value: Routing.Parameter

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        guard let key = members.text(.key), let text = members.text(.value) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "no key or no value"))
        }
        value = Routing.Parameter(key: key, value: text)
    }
}

private struct ErrorReading: Decodable {
    let value: AnswerError

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FieldName.self)
        value = AnswerError(
            code: members.text(.code, limit: GraphQLError.codeLimit) ?? "",
            message: members.text(.message) ?? "")
    }
}
