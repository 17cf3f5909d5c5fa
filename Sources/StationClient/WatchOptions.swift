internal import FoundationEssentials
package import LineProtocols

/// What `watch` was asked for.
package struct WatchOptions: Equatable {
    /// Whether the event objects are printed as they are.
    package var json = false
    /// How many events end it; nil watches until it is stopped.
    package var count: Int?
    package var colour = Paint.Choice.auto
    /// What is subscribed to, and from where.
    package var subscription = SubscribeParameters(since: .now)

    static let words = ArgumentWords.Options(
        flags: ["--json"],
        valued: ["--since", "--log", "--types", "--reader", "--count", "--color"])
    private static let topic = "watch"

    /// Everything from now on, for people.
    package init() {}

    init(_ words: ArgumentWords) throws(UsageError) {
        try words.refuseOperands(topic: Self.topic)
        json = words.flags.contains("--json")
        colour = try words.colour(topic: Self.topic)
        if let word = words.last("--count") { count = try Self.count(word) }
        if let word = words.last("--since") { subscription.since = try Self.since(word) }
        if let word = words.last("--log") {
            subscription.log = try Self.log(word, subscription.since)
        }
        if let lists = words.values["--types"] { subscription.types = try Self.types(lists) }
        subscription.readers = words.values["--reader"]
    }

    private static func count(_ word: String) throws(UsageError) -> Int {
        guard let count = Int(word), count > 0 else {
            throw UsageError("--count is a number from 1 on, not \(word)", topic: topic)
        }
        return count
    }

    private static func since(_ word: String) throws(UsageError) -> SubscribeParameters.Since {
        switch word {
        case "start": return .start
        case "now": return .now
        default:
            guard let seq = Int64(word), seq >= 0 else {
                throw UsageError("--since is a seq, start or now, not \(word)", topic: topic)
            }
            return .after(seq)
        }
    }

    private static func types(_ lists: [String]) throws(UsageError) -> [String] {
        let types = lists.flatMap { $0.split(separator: ",").map(String.init) }
        guard !types.isEmpty else {
            throw UsageError("--types needs at least one type of event", topic: topic)
        }
        return types
    }

    private static func log(
        _ word: String, _ since: SubscribeParameters.Since?
    ) throws(UsageError) -> String {
        guard case .after = since else {
            throw UsageError("--log goes with a number for --since", topic: topic)
        }
        guard UUID(uuidString: word) != nil else {
            throw UsageError("--log is the id of an event log, not \(word)", topic: topic)
        }
        return word.lowercased()
    }
}

/// What `status` was asked for.
package struct StatusOptions: Equatable {
    /// Whether the reply is printed as it is.
    package var json = false
    package var colour = Paint.Choice.auto

    static let words = ArgumentWords.Options(flags: ["--json"], valued: ["--color"])

    /// The report for people.
    package init() {}

    init(_ words: ArgumentWords) throws(UsageError) {
        try words.refuseOperands(topic: "status")
        json = words.flags.contains("--json")
        colour = try words.colour(topic: "status")
    }
}
