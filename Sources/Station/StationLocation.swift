internal import Configuration
internal import Scanning

/// Where the station is, and whether the API may be told.
struct StationLocation {
    /// For the station's own events.
    let current: Location?
    private let consent: Bool

    init(_ configuration: StationConfiguration.Location) {
        consent = configuration.consent
        switch configuration.source {
        case .none: current = nil
        case .fixed(let position):
            current = Location(
                latitude: position.latitude, longitude: position.longitude,
                accuracy: position.accuracy, source: .fixed)
        }
    }

    /// For the API: nothing where the operator has not consented.
    var toSend: Location? { consent ? current : nil }

    /// The state as it is published.
    var event: LocationEvent {
        LocationEvent(state: current == nil ? .none : .fixed, location: current)
    }
}
