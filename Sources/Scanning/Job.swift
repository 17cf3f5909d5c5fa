/// A job that changed its state.
package struct JobEvent: Sendable, Hashable, Codable {
    package let job: Job
    /// The reader of the scan that it delivers.
    package let reader: ReaderReference?

    package init(job: Job, reader: ReaderReference? = nil) {
        self.job = job
        self.reader = reader
    }
}

/// A job as the protocol shows it.
package struct Job: Sendable, Hashable, Codable {
    package let id: String
    package let kind: String
    package let state: State
    /// How often it was tried.
    package let attempts: Int
    package let by: JobOrigin
    /// When it was ordered.
    package var at: Timestamp?
    /// Until when it is left alone after failures.
    package var nextAttemptAt: Timestamp?
    /// What the last attempt failed with, in words.
    package var error: String?
    /// The object that it is about.
    package var object: String?
    /// The scan that it delivers.
    package var scan: String?
    /// The job that must be done before.
    package var dependsOn: String?

    /// The states of a job.
    package enum State: String, Sendable, ListedWord {
        case queued, running, waiting, done, attention, discarded, exported
    }

    package init(
        id: String, kind: String, state: State, attempts: Int, by: JobOrigin,
        error: String? = nil, scan: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.state = state
        self.attempts = attempts
        self.by = by
        self.error = error
        self.scan = scan
    }
}

/// Who gave a job: a local program, or the reader that saw the tag.
package struct JobOrigin: Sendable, Hashable, Codable {
    package let uid: UInt32?
    package let user: String?
    package let pid: Int32?
    package let reader: String?
    /// The scan that the reader made.
    package var scan: String?

    package init(
        uid: UInt32? = nil, user: String? = nil, pid: Int32? = nil, reader: String? = nil,
        scan: String? = nil
    ) {
        self.uid = uid
        self.user = user
        self.pid = pid
        self.reader = reader
        self.scan = scan
    }
}
