package import Scanning

/// What `outbox` was asked for.
package struct OutboxOptions: Equatable {
    /// What to do.
    package enum Action: Equatable {
        /// Shows jobs; of one state, or all that wait or need attention.
        case list(Job.State?)
        case show(id: String)
        /// Tries one job again, or all that need attention.
        case retry(id: String?)
        /// Gives one job up, or all that need attention.
        case discard(id: String?)
    }

    package var action: Action
    /// Whether the jobs are printed as they were sent.
    package var json = false
    /// Whether what it costs is accepted.
    package var force = false
    /// The most jobs that are shown.
    package var limit: Int?
    package var colour = Paint.Choice.auto

    static let words = ArgumentWords.Options(
        flags: ["--json", "--all", "--force"], valued: ["--state", "--limit", "--color"])
    private static let topic = "outbox"
    private static let actions = ["list", "show", "retry", "discard"]

    package init(_ action: Action) {
        self.action = action
    }

    init(_ words: ArgumentWords) throws(UsageError) {
        let name = words.operands.first ?? "list"
        guard Self.actions.contains(name) else {
            throw .unknown("command outbox", name, among: Self.actions, topic: Self.topic)
        }
        action = try Self.action(name, words)
        try Self.refuseStrangers(words, to: name)
        json = words.flags.contains("--json")
        force = words.flags.contains("--force")
        colour = try words.colour(topic: Self.topic)
        guard let word = words.last("--limit") else { return }
        guard let number = Int(word), number > 0 else {
            throw UsageError("--limit is a number from 1 on, not \(word)", topic: Self.topic)
        }
        limit = number
    }

    private static func action(_ name: String, _ words: ArgumentWords) throws(UsageError) -> Action
    {
        let ids = Array(words.operands.dropFirst())
        switch name {
        case "list":
            guard ids.isEmpty else {
                throw UsageError("outbox list takes no argument \(ids[0])", topic: topic)
            }
            return .list(try state(words.last("--state")))
        case "show":
            guard ids.count == 1 else {
                throw UsageError("outbox show takes the id of one job", topic: topic)
            }
            return .show(id: ids[0])
        default:
            let id = try idOrAll(name, ids, isAll: words.flags.contains("--all"))
            return name == "retry" ? .retry(id: id) : .discard(id: id)
        }
    }

    private static func idOrAll(
        _ name: String, _ ids: [String], isAll: Bool
    ) throws(UsageError) -> String? {
        guard ids.count == (isAll ? 0 : 1) else {
            let text = "outbox \(name) takes the id of one job, or --all"
            throw UsageError(text, topic: topic)
        }
        return ids.first
    }

    private static func state(_ word: String?) throws(UsageError) -> Job.State? {
        guard let word else { return nil }
        guard let state = Job.State(rawValue: word) else {
            let words = Job.State.allCases.map(\.rawValue)
            throw .unknown("state", word, among: words, topic: topic)
        }
        return state
    }

    /// Options of the other actions would be passed over silently.
    private static func refuseStrangers(
        _ words: ArgumentWords, to name: String
    ) throws(UsageError) {
        let isDecision = name == "retry" || name == "discard"
        var strangers: [String] = []
        if !isDecision { strangers += ["--all", "--force"].filter(words.flags.contains) }
        if name != "list" {
            strangers += ["--state", "--limit"].filter { words.last($0) != nil }
        }
        guard let stranger = strangers.first else { return }
        throw UsageError("outbox \(name) has no option \(stranger)", topic: topic)
    }
}
