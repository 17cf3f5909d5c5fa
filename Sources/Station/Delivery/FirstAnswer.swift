internal import Scanning

/// Decides the first answer to a scan from what is known without asking the API.
struct FirstAnswer {
    /// What the API's state allows the cache to say.
    enum Mode: Equatable {
        /// Only a known object is answered from the cache; all else waits for the API.
        case online
        /// The best the cache has, or OFFLINE with this reason.
        case offline(ResolutionEvent.OfflineReason)
    }

    let scan: String
    let reader: ReaderReference
    let identifier: ScannedIdentifier
    let mode: Mode

    /// What the cache holds for an identifier.
    struct Known: Equatable {
        let resolution: Resolution
        let ageSeconds: Double
        let isStale: Bool
    }

    /// The resolution to publish now, or nil where the API is to answer first.
    func resolution(_ known: Known?) -> ResolutionEvent? {
        if let known, mayServe(known.resolution.outcome) {
            var event = event(known.resolution.outcome, .cache)
            event.take(known.resolution)
            event.ageSeconds = known.ageSeconds
            event.stale = known.isStale ? true : nil
            return event
        }
        guard case .offline(let reason) = mode else { return nil }
        var event = event(.offline, .station)
        event.reason = reason
        return event
    }

    private func event(
        _ outcome: ResolutionEvent.Outcome, _ source: ResolutionEvent.Source
    ) -> ResolutionEvent {
        ResolutionEvent(
            scan: scan, reader: reader, identifier: identifier, outcome: outcome, source: source)
    }

    /// An old "unknown" would make a kiosk create a thing twice, so it is served only offline.
    private func mayServe(_ outcome: ResolutionEvent.Outcome) -> Bool {
        switch outcome {
        case .knownObject: true
        case .unknownSpecific, .unknownGeneral: mode != .online && mode != .offline(.waiting)
        case .duplicate, .error, .offline: false
        }
    }
}

extension ResolutionEvent {
    /// Takes over what an answer says of the identifier.
    mutating func take(_ resolution: Resolution) {
        outcome = resolution.outcome
        object = resolution.object
        `class` = resolution.class
        candidates = resolution.candidates
        routing = resolution.routing
        error = resolution.error
    }
}
