internal import LineProtocols
internal import PlingsAPI
internal import Scanning
internal import Storage

/// What a queued scan needs to be delivered and its answer to be published: the job's payload.
struct ScanDelivery: Codable, Equatable, Sendable {
    let reader: ReaderReference
    let identifier: ScannedIdentifier
    /// Present only where the operator has consented to its being sent.
    let location: Location?

    /// The payload of a row.
    ///
    /// - Throws: `DecodingError` where the row was not written by this program.
    init(_ row: DeliveryRow) throws {
        self = try JSONLine.decode(ScanDelivery.self, from: row.delivery.payload)
    }

    init(reader: ReaderReference, identifier: ScannedIdentifier, location: Location?) {
        self.reader = reader
        self.identifier = identifier
        self.location = location
    }

    /// The request that delivers it, with the time of the scan.
    func request(at time: Timestamp) -> ResolveRequest {
        ResolveRequest(identifier: identifier, at: time, location: location)
    }
}
