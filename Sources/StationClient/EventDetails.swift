/// What is said of an event besides its time, reader and type.
enum EventDetails {
    static func of(_ event: JSONValue) -> [Detail] {
        let details =
            switch event["type"]?.word {
            case "scan": ScanDetails.of(event)
            case "resolution": ResolutionDetails.of(event)
            case "departure": departure(event)
            case "reader": StateDetails.reader(event)
            case "api": StateDetails.api(event)
            case "location": StateDetails.location(event)
            case "job": JobDetails.of(event)
            default: anything(event)
            }
        return details + circumstances(event)
    }

    private static func departure(_ event: JSONValue) -> [Detail] {
        var details: [Detail] = []
        if let held = event["heldMilliseconds"]?.integer {
            details.append(Detail("held \(PlainWords.held(milliseconds: held))"))
        }
        if event["lost"]?.boolean == true {
            details.append(Detail("it went while nobody looked", .notice))
        }
        return details
    }

    /// An event of a type that this program does not know: its plain members by name.
    private static func anything(_ event: JSONValue) -> [Detail] {
        guard case .object(let members) = event else { return [] }
        let common: Set = ["seq", "type", "at", "clock", "durable", "reader"]
        return members.filter { !common.contains($0.key) }
            .sorted { $0.key < $1.key }
            .compactMap { name, value in
                value.shown().map { Detail("\(TerminalText.escape(name, limit: 30)) \($0)") }
            }
    }

    /// What must be known before the time or the event is relied on.
    private static func circumstances(_ event: JSONValue) -> [Detail] {
        var details: [Detail] = []
        if event["durable"]?.boolean == false {
            details.append(Detail("not stored yet", .notice))
        }
        return details
    }
}
