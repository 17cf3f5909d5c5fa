/// Something that happened at the station and is told to its subscribers.
package enum Event: Sendable, Hashable {
    case scan(ScanEvent)
    case resolution(ResolutionEvent)
    case departure(DepartureEvent)
    case reader(ReaderEvent)
    case location(LocationEvent)
    case job(JobEvent)
    case api(APIEvent)

    /// The event's `type` on the wire.
    package var type: String {
        switch self {
        case .scan: "scan"
        case .resolution: "resolution"
        case .departure: "departure"
        case .reader: "reader"
        case .location: "location"
        case .job: "job"
        case .api: "api"
        }
    }

    /// Every type of event that this version publishes.
    package static let types = [
        "scan", "resolution", "departure", "reader", "location", "job", "api",
    ]

    /// The reader that the event is filtered by, where it has one.
    package var reader: ReaderReference? {
        switch self {
        case .scan(let event): event.reader
        case .resolution(let event): event.reader
        case .departure(let event): event.reader
        case .reader(let event): event.reader
        case .job(let event): event.reader
        case .location, .api: nil
        }
    }

    /// The scan that caused it, where one did.
    package var scan: String? {
        switch self {
        case .scan(let event): event.scan
        case .resolution(let event): event.scan
        case .departure(let event): event.scan
        case .job(let event): event.job.scan
        case .reader, .location, .api: nil
        }
    }
}

/// An event with the members that all events have, but for the seq that the log gives it.
package struct TimedEvent: Sendable, Hashable {
    /// When it happened.
    package let at: Timestamp
    /// Whether the station's clock was trusted then.
    package let clockTrusted: Bool
    package let event: Event

    package init(at: Timestamp, clockTrusted: Bool, event: Event) {
        self.at = at
        self.clockTrusted = clockTrusted
        self.event = event
    }
}

extension TimedEvent: Encodable {
    private enum Key: String, CodingKey { case type, at, clock }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(event.type, forKey: .type)
        try members.encode(at, forKey: .at)
        if !clockTrusted { try members.encode("untrusted", forKey: .clock) }
        try payload.encode(to: encoder)
    }

    private var payload: any Encodable {
        switch event {
        case .scan(let event): event
        case .resolution(let event): event
        case .departure(let event): event
        case .reader(let event): event
        case .location(let event): event
        case .job(let event): event
        case .api(let event): event
        }
    }
}
