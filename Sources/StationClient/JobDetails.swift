/// What is said of a job.
enum JobDetails {
    static func of(_ event: JSONValue) -> [Detail] {
        guard let job = event["job"] else { return [] }
        let kind = job["kind"]?.shown(limit: 30) ?? "job"
        let id = job["id"]?.shown() ?? ""
        // A delivery has the id of its scan.
        var details = [Detail("\(kind == "scan" ? "delivery of scan" : kind) \(id)")]
        details.append(state(job))
        if let error = job["error"]?.shown(limit: 200) { details.append(Detail(error, .bad)) }
        if let by = job["by"].flatMap(origin) { details.append(Detail("by \(by)")) }
        return details
    }

    private static func state(_ job: JSONValue) -> Detail {
        let attempts = job["attempts"]?.integer ?? 0
        let after = attempts > 0 ? " after \(PlainWords.count(attempts, "attempt"))" : ""
        return switch job["state"]?.word {
        case "attention": Detail("needs attention\(after)", .bad)
        case "waiting": Detail("waiting\(after)", .notice)
        case "queued": Detail("queued\(after)")
        case "done": Detail("done", .good)
        case "discarded": Detail("discarded\(after)")
        default: Detail((job["state"]?.shown(limit: 30) ?? "unknown") + after)
        }
    }

    /// Who ordered or decided something.
    static func origin(_ by: JSONValue) -> String? {
        let user = by["user"]?.shown() ?? by["uid"]?.shown().map { "uid \($0)" }
        return user ?? by["reader"]?.shown().map { "reader \($0)" }
    }
}
