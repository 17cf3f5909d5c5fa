package import Scanning

/// A scan to be resolved: what was read, when and where.
package struct ResolveRequest: Sendable, Equatable {
    package let identifier: ScannedIdentifier
    /// When it was scanned, not when it is delivered.
    package let at: Timestamp
    /// Where, if the operator consents to its being sent.
    package let location: Location?

    package init(identifier: ScannedIdentifier, at: Timestamp, location: Location?) {
        self.identifier = identifier
        self.at = at
        self.location = location
    }
}

/// The mutation that resolves an identifier and records the scan.
struct ResolveIdentifier: GraphQLOperation {
    typealias Payload = ResolvePayload

    static let name = "ResolveIdentifier"
    /// Well over an answer with a hundred candidates.
    static let answerLimit = 256 << 10

    static let document = """
        mutation ResolveIdentifier($input: ResolveIdentifierInput!) { \
        \(FieldName.resolveIdentifier)(input: $input) { \
        \(FieldName.success) \
        \(FieldName.routing) { \(FieldName.action) \(FieldName.destination) \
        \(FieldName.parameters) { \(FieldName.key) \(FieldName.value) } \(FieldName.cacheTTL) } \
        \(FieldName.object) { \(objectFields) } \
        \(FieldName.candidates) { \(objectFields) } \
        \(FieldName.scanEvent) { \(FieldName.id) } \
        \(FieldName.error) { \(FieldName.code) \(FieldName.message) } } }
        """

    private static let objectFields = """
        \(FieldName.objectID) \(FieldName.name) \(FieldName.status) \(FieldName.statuses) \
        \(FieldName.canEdit) \
        \(FieldName.owner) { \(FieldName.id) \(FieldName.name) \(FieldName.type) } \
        \(FieldName.objectClass) { \(FieldName.id) \(FieldName.name) \(FieldName.classPointer) \
        \(FieldName.isGeneric) } \
        \(FieldName.location) { \(FieldName.objectID) \(FieldName.name) \(FieldName.relationship) }
        """

    let variables: Variables

    init(_ request: ResolveRequest) {
        let identifier = request.identifier
        variables = Variables(
            input: Input(
                type: identifier.type, identifier: identifier.identifier, path: identifier.path,
                classPointer: identifier.classPointer,
                scanMetadata: Metadata(
                    timestamp: request.at, geoLocation: request.location.flatMap(GeoLocation.init)))
        )
    }

    struct Variables: Encodable {
        let input: Input
    }

    struct Input: Encodable {
        let type: String
        let identifier: String
        let path: String
        let classPointer: String?
        let scanMetadata: Metadata
    }

    struct Metadata: Encodable {
        let timestamp: Timestamp
        let geoLocation: GeoLocation?
    }

    struct GeoLocation: Encodable {
        let latitude: Double
        let longitude: Double
        let accuracy: Double?
        let consent = true

        /// Nil for coordinates that are none: a scan is delivered without a place rather than not.
        init?(_ location: Location) {
            guard (-90...90).contains(location.latitude),
                (-180...180).contains(location.longitude)
            else { return nil }
            latitude = location.latitude
            longitude = location.longitude
            accuracy = location.accuracy.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        }
    }
}
