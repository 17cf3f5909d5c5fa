package import Scanning

/// What `outbox.list` takes.
package struct JobsParameters: Sendable, Hashable, Codable {
    package var state: Job.State?
    package var kind: String?
    /// How many jobs at most.
    package var limit: Int?
    /// The `next` of the page before.
    package var after: String?

    package init(
        state: Job.State? = nil, kind: String? = nil, limit: Int? = nil, after: String? = nil
    ) {
        self.state = state
        self.kind = kind
        self.limit = limit
        self.after = after
    }
}

/// What `outbox.get` takes.
package struct JobParameters: Sendable, Hashable, Codable {
    package let id: String

    package init(id: String) {
        self.id = id
    }
}

/// What `outbox.retry` and `outbox.discard` take: a job, or all that need attention.
package struct DecisionParameters: Sendable, Hashable, Codable {
    package var id: String?
    package var state: Job.State?
    package var force: Bool?
    /// The `next` of the reply before, with `state`.
    package var after: String?

    package init(
        id: String? = nil, state: Job.State? = nil, force: Bool? = nil, after: String? = nil
    ) {
        self.id = id
        self.state = state
        self.force = force
        self.after = after
    }
}

/// The reply to `outbox.list`, `outbox.retry` and `outbox.discard`.
package struct JobsResult: Sendable, Hashable, Codable {
    package var jobs: [Job]
    /// Where to go on; absent where there is no more.
    package var next: String?
    /// Jobs that were left alone because a later scan of their tag was delivered.
    package var superseded: [String]?

    package init(jobs: [Job], next: String? = nil, superseded: [String]? = nil) {
        self.jobs = jobs
        self.next = next
        self.superseded = superseded
    }
}

/// The reply to `outbox.get`.
package struct JobResult: Sendable, Hashable, Codable {
    package let job: Job
    /// Oldest first.
    package let history: [JobHistoryEntry]

    package init(job: Job, history: [JobHistoryEntry]) {
        self.job = job
        self.history = history
    }
}

/// What happened to a job at one time.
package struct JobHistoryEntry: Sendable, Hashable, Codable {
    package let at: Timestamp
    /// `delivered`, `failed`, `attention`, `retried` or `discarded`.
    package let result: String
    /// What was answered, or what went wrong, in words.
    package let cause: String?
    /// Who decided, where somebody did.
    package let by: JobOrigin?

    package init(at: Timestamp, result: String, cause: String?, by: JobOrigin?) {
        self.at = at
        self.result = result
        self.cause = cause
        self.by = by
    }
}

/// The reply to `metrics`.
package struct MetricsResult: Sendable, Hashable, Codable {
    /// OpenMetrics.
    package let text: String

    package init(text: String) {
        self.text = text
    }
}
