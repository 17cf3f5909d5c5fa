/// What is said of the state of readers, of the API and of the location.
enum StateDetails {
    static func reader(_ event: JSONValue) -> [Detail] {
        var details = [deviceState(event["state"])]
        details += [reason(event)].compactMap { $0 }
        if let count = event["suppressed"]?.integer {
            let arrivals = PlainWords.count(count, "arrival")
            details.append(Detail("\(arrivals) of a flapping tag left out", .notice))
        }
        return details
    }

    /// A device's state in its colour; a newer daemon's word as it is.
    static func deviceState(_ state: JSONValue?) -> Detail {
        let style: Paint.Style? =
            switch state?.word {
            case "ready": .good
            case "degraded": .notice
            case "disconnected": .bad
            default: nil
            }
        return Detail(state?.shown(limit: 30) ?? "unknown", style)
    }

    static func api(_ event: JSONValue) -> [Detail] {
        [apiState(event["state"]), reason(event)].compactMap { $0 }
    }

    /// The API's state in its colour; a newer daemon's word as it is.
    static func apiState(_ state: JSONValue?) -> Detail {
        switch state?.word {
        case "online": Detail("online", .good)
        case "offline": Detail("offline", .notice)
        case "unauthorised": Detail("unauthorised", .bad)
        case "notConfigured": Detail("not configured", .notice)
        default: Detail(state?.shown(limit: 30) ?? "unknown")
        }
    }

    static func location(_ event: JSONValue) -> [Detail] {
        let style: Paint.Style? =
            switch event["state"]?.word {
            case "fix", "fixed": .good
            case "lost": .notice
            default: nil
            }
        let state = Detail(event["state"]?.shown(limit: 30) ?? "unknown", style)
        return [state] + [event["location"].flatMap(position)].compactMap { $0 }
    }

    private static func position(_ location: JSONValue) -> Detail? {
        guard let latitude = location["latitude"]?.number,
            let longitude = location["longitude"]?.number
        else { return nil }
        var text = "\(PlainWords.degrees(latitude)), \(PlainWords.degrees(longitude))"
        if let accuracy = location["accuracy"]?.number {
            // Clamped: a peer may send any number.
            text += " ± \(Int64(min(max(accuracy, 0), 1e9).rounded(.up))) m"
        }
        if let source = location["source"]?.word, source != "fixed" {
            text += " (\(TerminalText.escape(source, limit: 24)))"
        }
        return Detail(text)
    }

    /// Why something is as it is.
    static func reason(_ event: JSONValue) -> Detail? {
        event["reason"]?.shown(limit: 200).map { Detail($0) }
    }
}
