internal import Scanning

/// Jobs as a person reads them.
package struct OutboxReport {
    private let paint: Paint
    private let clock: LocalClock

    package init(paint: Paint, clock: LocalClock) {
        self.paint = paint
        self.clock = clock
    }

    /// A job in one line, without its LF.
    ///
    /// `2026-11-30 00:10:31  delivery of scan 01a2… · needs attention after 1 attempt · …`
    func line(of job: JSONValue) -> String {
        var details = JobDetails.of(.object(["job": job]))
        if let next = job["nextAttemptAt"] {
            details.append(Detail("not before \(time(next))", .notice))
        }
        let words = details.map { paint($0.text, $0.style) }.joined(separator: " · ")
        return "\(paint(time(job["at"]), .faint))  \(words)"
    }

    /// A job with what happened to it, lines with their LFs.
    func whole(_ reply: JSONValue) -> String {
        let head = line(of: reply["job"] ?? .null)
        let entries = (reply["history"]?.array ?? []).map(entry)
        return ([head] + entries).map { $0 + "\n" }.joined()
    }

    private func entry(_ entry: JSONValue) -> String {
        var parts = [result(entry["result"])]
        if let cause = entry["cause"]?.shown(limit: 500) { parts.append(Detail(cause)) }
        if let by = entry["by"].flatMap(JobDetails.origin) { parts.append(Detail("by \(by)")) }
        let words = parts.map { paint($0.text, $0.style) }.joined(separator: " · ")
        return "  \(paint(time(entry["at"]), .faint))  \(words)"
    }

    private func result(_ word: JSONValue?) -> Detail {
        switch word?.word {
        case "delivered": Detail("delivered", .good)
        case "failed": Detail("failed", .notice)
        case "attention": Detail("given up", .bad)
        case "retried": Detail("put back into the outbox")
        case "discarded": Detail("discarded")
        default: Detail(word?.shown(limit: 30) ?? "unknown")
        }
    }

    private func time(_ value: JSONValue?) -> String {
        guard let time = value?.word.flatMap(Timestamp.init).flatMap({ clock($0) }) else {
            return "----------"
        }
        return "\(time.date) \(time.time)"
    }
}
