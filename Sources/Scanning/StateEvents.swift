/// A reader that came, went, or has trouble.
package struct ReaderEvent: Sendable, Hashable, Codable {
    package let reader: ReaderReference
    package let state: DeviceState
    package let reason: String?
    /// How many arrivals of a flapping tag were left out, where the event is about that.
    package let suppressed: Int?

    package init(
        reader: ReaderReference, state: DeviceState, reason: String?, suppressed: Int? = nil
    ) {
        self.reader = reader
        self.state = state
        self.reason = reason
        self.suppressed = suppressed
    }
}

/// The states of a device.
package enum DeviceState: String, Sendable, ListedWord {
    case connected, ready, degraded, disconnected
}

/// The state of the station's connection to the API.
package struct APIEvent: Sendable, Hashable, Codable {
    package let state: APIState
    package let reason: String?

    package init(state: APIState, reason: String?) {
        self.state = state
        self.reason = reason
    }
}

/// Whether the API can be used now.
package enum APIState: String, Sendable, Codable {
    case online, offline, unauthorised, notConfigured
}

/// The state of the station's location.
package struct LocationEvent: Sendable, Hashable, Codable {
    package let state: LocationState
    package let location: Location?

    package init(state: LocationState, location: Location?) {
        self.state = state
        self.location = location
    }
}

/// Whether the station knows where it is.
package enum LocationState: String, Sendable, Codable {
    case fix, lost, fixed, none
}
