internal import LineProtocols
internal import Scanning

/// Saying what a subscription can't have any more.
enum GapNotice {
    /// Says what is missing.
    ///
    /// - Parameters:
    ///   - gap: What the daemon reports.
    ///   - askedLog: The log that was asked for, where one was.
    ///   - log: The log there is.
    /// - Returns: A sentence.
    static func sentence(
        _ gap: SubscribeResult.Gap, askedLog: String?, log: String
    ) -> String {
        if let askedLog, askedLog != log {
            return "the log was replaced: going on with event \(gap.first) of the log \(log)"
        }
        let (missing, overflows) = gap.requested.addingReportingOverflow(1)
        guard !overflows, missing < gap.first else {
            return """
                the log does not reach event \(gap.requested): going on with event \(gap.first)
                """
        }
        guard missing < gap.first - 1 else { return "event \(missing) is no longer kept" }
        return "events \(missing)–\(gap.first - 1) are no longer kept"
    }

    /// The sentence for words of the filters that the daemon does not know.
    static func sentence(ignored: [String]) -> String {
        let words = ignored.map { word in
            let hint = NearestWord.to(word, among: Event.types).map { " (\($0)?)" }
            return word + (hint ?? "")
        }
        return "the station has no such type of event or reader: \(words.joined(separator: ", "))"
    }
}
