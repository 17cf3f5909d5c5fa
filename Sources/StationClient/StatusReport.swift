package import Scanning

/// The reply to `status` as a person reads it.
package struct StatusReport {
    private let status: JSONValue
    private let paint: Paint
    private let now: Timestamp

    private static let labelWidth = "location".count
    private static let configuration = "plingsd's configuration (/etc/plingsd/config.toml)"

    /// A report of one reply.
    ///
    /// - Parameters:
    ///   - status: The reply's result.
    ///   - paint: Whether to colour.
    ///   - now: What ages are counted from.
    package init(_ status: JSONValue, paint: Paint, now: Timestamp) {
        self.status = status
        self.paint = paint
        self.now = now
    }

    /// The report, lines with their LFs.
    package var text: String {
        let rows =
            [row("station", station), row("version", version)]
            + readers
            + [
                row("location", StateDetails.location(status["location"] ?? .null)),
                row("api", api), row("clock", clock), row("outbox", outbox),
                row("cache", cache), row("log", log), row("counters", counters),
            ] + store
        return rows.map { $0 + "\n" }.joined()
    }

    private func row(_ label: String, _ details: [Detail]) -> String {
        let padding = String(repeating: " ", count: max(0, Self.labelWidth - label.count))
        let words = details.map { paint($0.text, $0.style) }.joined(separator: " · ")
        return "\(paint(label, .faint))\(padding)  \(words)"
    }

    private func integer(_ group: String, _ member: String) -> Int64 {
        status[group]?[member]?.integer ?? 0
    }

    private var station: [Detail] {
        [Detail(status["station"]?.shown() ?? "unnamed", .accent)]
    }

    private var version: [Detail] {
        let version = status["version"]?.shown() ?? "unknown"
        let uptime = status["uptimeSeconds"]?.integer ?? 0
        return [Detail("plingsd \(version)"), Detail("up \(PlainWords.span(seconds: uptime))")]
    }

    private var readers: [String] {
        let readers = status["readers"]?.array ?? []
        guard !readers.isEmpty else {
            return [row("readers", [Detail("none was seen since the start", .notice)])]
        }
        return readers.enumerated().map { index, reader in
            row(index == 0 ? "readers" : "", details(of: reader))
        }
    }

    private func details(of reader: JSONValue) -> [Detail] {
        let name = reader["name"]?.shown() ?? reader["id"]?.shown() ?? "unnamed"
        let kind = reader["kind"]?.shown(limit: 24).map { Detail($0) }
        let state = StateDetails.deviceState(reader["state"])
        return [Detail(name, .accent), kind, state, StateDetails.reason(reader)].compactMap { $0 }
    }

    private var api: [Detail] {
        let api = status["api"] ?? .null
        var details = StateDetails.api(api)
        switch api["state"]?.word {
        case "notConfigured":
            details.append(Detail("set `endpoint` under [api] in \(Self.configuration)"))
        case "unauthorised" where api["reason"]?.word?.contains("plingsctl login") != true:
            details.append(Detail("see `token_file` under [api] in \(Self.configuration)"))
        default: break
        }
        if let endpoint = api["endpoint"]?.shown(limit: 200) { details.append(Detail(endpoint)) }
        if let account = status["account"]?.shown() { details.append(Detail("account \(account)")) }
        return details
    }

    private var clock: [Detail] {
        switch status["clock"]?["state"]?.word {
        case "trusted": [Detail("trusted", .good)]
        case "untrusted": [Detail("not trusted: it was not set since the machine started", .notice)]
        default: [Detail(status["clock"]?["state"]?.shown() ?? "unknown")]
        }
    }

    private var outbox: [Detail] {
        let counts: [(String, String)] = [
            ("scans", "scan"), ("queued", "queued job"), ("waiting", "waiting job"),
        ]
        var details = counts.compactMap { member, noun in
            let count = integer("outbox", member)
            return count == 0 ? nil : Detail(PlainWords.count(count, noun))
        }
        if details.isEmpty { details.append(Detail("nothing waits", .good)) }
        details += [oldest].compactMap { $0 }
        let held = integer("outbox", "held")
        if held > 0 {
            details.append(
                Detail("\(held) of another account, which wait for its login", .notice))
        }
        let attention = integer("outbox", "attention")
        if attention > 0 {
            let verb = attention == 1 ? "needs" : "need"
            details.append(Detail("\(attention) \(verb) attention", .bad))
        }
        if let bytes = status["outbox"]?["bytes"]?.integer {
            details.append(Detail("\(PlainWords.size(bytes: bytes)) on disk"))
        }
        return details
    }

    private var oldest: Detail? {
        guard let at = status["outbox"]?["oldestAt"]?.word.flatMap(Timestamp.init) else {
            return nil
        }
        let seconds = Double(now.milliseconds - at.milliseconds) / 1000
        return Detail("the oldest \(PlainWords.age(seconds: seconds)) old")
    }

    private var cache: [Detail] {
        let objects = PlainWords.count(integer("cache", "objects"), "object")
        let age = status["cache"]?["ageSeconds"]?.number
        let newest = age.map { Detail("the newest \(PlainWords.age(seconds: $0)) old") }
        return [Detail(objects), newest].compactMap { $0 }
    }

    private var log: [Detail] {
        let (first, last) = (integer("log", "first"), integer("log", "last"))
        guard last >= first else { return [Detail("no events")] }
        return [Detail(first == last ? "event \(first)" : "events \(first)–\(last)")]
    }

    /// A row of its own only where something is wrong with it.
    private var store: [String] {
        guard let state = status["store"]?["state"]?.word, state != "ok" else { return [] }
        let words: String =
            switch state {
            case "full": "the disk is full"
            case "readOnly": "it can't be written"
            case "busy": "another program holds the database"
            case "damaged": "the database is damaged"
            default: "nothing can be stored"
            }
        let waiting = PlainWords.count(integer("counters", "unstored"), "change")
        let reason = status["store"]?["reason"]?.shown(limit: 200).map { Detail($0) }
        let details = [Detail(words, .bad), Detail("\(waiting) in memory", .notice), reason]
        return [row("store", details.compactMap { $0 })]
    }

    private var counters: [Detail] {
        guard case .object(let counters) = status["counters"], !counters.isEmpty else {
            return [Detail("none")]
        }
        return counters.sorted { $0.key < $1.key }.compactMap { name, value in
            value.shown().map { Detail("\(TerminalText.escape(name, limit: 40)) \($0)") }
        }
    }
}
