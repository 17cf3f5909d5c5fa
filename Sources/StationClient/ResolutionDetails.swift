/// What is said of the answer to a scan.
enum ResolutionDetails {
    static func of(_ event: JSONValue) -> [Detail] {
        var details = [event["identifier"].flatMap(ScanDetails.code)].compactMap { $0 }
        details.append(outcome(event))
        if let object = event["object"] { details += self.object(object) }
        details += className(event)
        details += [candidates(event), refusal(event), offline(event)].compactMap { $0 }
        if let place = event["object"]?["location"] { details += [self.place(place)] }
        return details + origin(event)
    }

    private static func outcome(_ event: JSONValue) -> Detail {
        switch event["outcome"]?.word {
        case "KNOWN_OBJECT": Detail("known object", .good)
        case "UNKNOWN_SPECIFIC": Detail("no object yet, its class is known", .notice)
        case "UNKNOWN_GENERAL": Detail("no object yet", .notice)
        case "DUPLICATE": Detail("several objects", .notice)
        case "ERROR": Detail("refused", .bad)
        case "OFFLINE": Detail("no answer yet", .notice)
        default: Detail(event["outcome"]?.shown() ?? "an answer without an outcome", .notice)
        }
    }

    private static func object(_ object: JSONValue) -> [Detail] {
        var details = [Detail(name(of: object), .accent)]
        if object["canEdit"]?.boolean == false {
            let owner = object["owner"]?["name"]?.shown()
            details.append(
                Detail(owner.map { "read-only, owned by \($0)" } ?? "read-only", .notice))
        }
        let statuses = (object["statuses"]?.array ?? []).compactMap { $0.shown(limit: 30) }
        if !statuses.isEmpty {
            // A handful says enough: the list is the API's and has no bound.
            let words = statuses.prefix(4).map(PlainWords.lowerCase)
            details.append(Detail(words.joined(separator: ", ")))
        }
        if object["pending"]?.boolean == true {
            details.append(Detail("changes not delivered yet", .notice))
        }
        return details
    }

    private static func name(of object: JSONValue) -> String {
        object["name"]?.shown() ?? object["id"]?.shown().map { "unnamed (\($0))" } ?? "unnamed"
    }

    private static func className(_ event: JSONValue) -> [Detail] {
        let classes = [event["object"]?["class"], event["class"]].compactMap { $0 }
        let names = classes.compactMap { $0["name"]?.shown() ?? $0["classPointer"]?.shown() }
        return names.prefix(1).map { Detail("class \($0)") }
    }

    private static func place(_ place: JSONValue) -> Detail {
        // The API names the side with the relation; where a thing is now is what is meant here.
        let word = place["relationship"]?.shown() ?? "IN"
        let bare = word.hasPrefix("CURRENT_") ? String(word.dropFirst("CURRENT_".count)) : word
        let relationship = PlainWords.lowerCase(bare)
        return Detail(
            "\(relationship) \(place["name"]?.shown() ?? place["object"]?.shown() ?? "?")")
    }

    private static func candidates(_ event: JSONValue) -> Detail? {
        let candidates = event["candidates"]?.array ?? []
        guard !candidates.isEmpty else { return nil }
        let shown = candidates.prefix(3).map(name)
        let more = candidates.count - shown.count
        return Detail(shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : ""))
    }

    private static func refusal(_ event: JSONValue) -> Detail? {
        guard let error = event["error"] else { return nil }
        let code = error["code"]?.shown()
        let message = error["message"]?.shown(limit: 100)
        guard let message else { return code.map { Detail($0, .bad) } }
        return Detail(message + (code.map { " (\($0))" } ?? ""), .bad)
    }

    private static func offline(_ event: JSONValue) -> Detail? {
        switch event["reason"]?.word {
        case nil: nil
        case "network": Detail("no network")
        case "unauthorised": Detail("the station has no token that the API takes")
        case "notConfigured": Detail("no API is configured")
        case "waiting": Detail("the API has not answered")
        default: event["reason"]?.shown().map { Detail($0) }
        }
    }

    /// Where the answer comes from and how it stands to the one before.
    private static func origin(_ event: JSONValue) -> [Detail] {
        var details: [Detail] = []
        if event["source"]?.word == "cache" {
            let age = event["ageSeconds"]?.number.map { ", \(PlainWords.age(seconds: $0)) old" }
            details.append(Detail("from the cache\(age ?? "")"))
        }
        if event["stale"]?.boolean == true { details.append(Detail("stale", .notice)) }
        if event["late"]?.boolean == true { details.append(Detail("late")) }
        if let isChanged = event["changed"]?.boolean {
            details.append(isChanged ? Detail("changed", .notice) : Detail("as the cache said"))
        }
        return details
    }
}
