/// Where a scan was made: WGS 84, with its source and age.
package struct Location: Sendable, Hashable, Codable {
    /// Degrees north, −90 to 90.
    package let latitude: Double
    /// Degrees east, −180 to 180.
    package let longitude: Double
    /// The radius of uncertainty in metres.
    package let accuracy: Double?
    package let source: Source
    /// How old the fix was when the scan was made, in seconds.
    package let ageSeconds: Double?

    /// Where a location comes from.
    package enum Source: String, Sendable, Codable {
        case fixed, gpsd, reader
    }

    package init(
        latitude: Double, longitude: Double, accuracy: Double?, source: Source,
        ageSeconds: Double? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.source = source
        self.ageSeconds = ageSeconds
    }
}
