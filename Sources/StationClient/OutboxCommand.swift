internal import LineProtocols
internal import Scanning

/// `outbox`: shows what is to be delivered, and decides of what needs attention.
struct OutboxCommand: ~Copyable {
    private let options: OutboxOptions
    private let report: OutboxReport
    private let notices: Notices
    private var connection: StationConnection
    private var output: StandardOutput
    private let isTerminal = StandardOutput.isTerminal

    init(
        _ options: OutboxOptions, connection: consuming StationConnection, report: OutboxReport,
        notices: Notices
    ) {
        self.options = options
        self.connection = connection
        self.report = report
        self.notices = notices
        output = StandardOutput(waiter: Waiter())
    }

    /// Does what was asked for.
    ///
    /// - Throws: `RequestError` and `NotAllowed` where the daemon refuses; `ConnectionError`.
    mutating func run() throws {
        switch options.action {
        case .list(let state): try list(state)
        case .show(let id): try show(id)
        case .retry(let id): try decide("retry", id)
        case .discard(let id): try decide("discard", id)
        }
        try output.flush()
    }

    // MARK: Looking

    private mutating func list(_ state: Job.State?) throws {
        // What is done is of interest only to those who ask for it.
        let states = state.map { [$0] } ?? [.attention, .waiting, .queued]
        var count = 0
        for state in states {
            try list(state, &count)
        }
        if count == 0, !options.json {
            let text =
                state.map { "no job is \($0.rawValue)" } ?? "nothing waits or needs attention"
            try output.write("\(text)\n".utf8)
        }
    }

    private mutating func list(_ state: Job.State, _ count: inout Int) throws {
        var wish = JobsParameters(state: state)
        repeat {
            let left = options.limit.map { $0 - count } ?? .max
            guard left > 0 else { return }
            wish.limit = min(left, 100)
            let page = OutboxPage(try connection.call("outbox.list", wish))
            try print(page.jobs)
            count += page.jobs.count
            wish.after = page.next
        } while wish.after != nil
    }

    private mutating func show(_ id: String) throws {
        let reply = try connection.call("outbox.get", JobParameters(id: id))
        guard !options.json else { return try printJSON(reply) }
        let value = try JSONLine.decode(JSONValue.self, from: reply)
        try output.write(report.whole(value).utf8)
    }

    private mutating func print(_ jobs: [[UInt8]]) throws {
        for job in jobs {
            guard !options.json else {
                try printJSON(job)
                continue
            }
            let value = try JSONLine.decode(JSONValue.self, from: job)
            try output.write((report.line(of: value) + "\n").utf8)
        }
    }

    private mutating func printJSON(_ bytes: [UInt8]) throws {
        try output.write(
            (isTerminal ? TerminalText.escapeJSON(bytes) : bytes) + [UInt8(ascii: "\n")])
    }

    // MARK: Deciding

    private mutating func decide(_ decision: String, _ id: String?) throws {
        var wish = DecisionParameters(
            id: id, state: id == nil ? .attention : nil, force: options.force ? true : nil)
        var left = 0
        var count = 0
        repeat {
            let page = OutboxPage(try order("outbox.\(decision)", wish))
            try print(page.jobs)
            count += page.jobs.count
            left += page.superseded
            wish.after = page.next
        } while wish.after != nil
        if count == 0, left == 0 { notices.say("no job needs attention") }
        if left > 0 {
            let jobs = PlainWords.count(Int64(left), "job")
            notices.say(
                "\(jobs) left alone: a later scan of the same tag was delivered (see --force)")
        }
    }

    private mutating func order(_ method: String, _ wish: DecisionParameters) throws -> [UInt8] {
        do {
            return try connection.call(method, wish)
        } catch let error as RequestError where error.reason == .notAllowed {
            throw NotAllowed(message: error.message)
        }
    }
}

/// A reply with jobs, each as the bytes that were sent.
struct OutboxPage {
    let jobs: [[UInt8]]
    let next: String?
    /// How many jobs were left alone.
    let superseded: Int

    init(_ reply: [UInt8]) {
        let members = RawMembers(reply)
        jobs = members?["jobs"].flatMap(RawElements.init)?.values ?? []
        next = members?["next"].flatMap { try? JSONLine.decode(String.self, from: $0) }
        superseded = members?["superseded"].flatMap(RawElements.init)?.values.count ?? 0
    }
}
