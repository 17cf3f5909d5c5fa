package import Scanning

/// A job of the outbox, whatever its state.
package struct JobRow: Sendable, Hashable {
    package let id: String
    /// Its place in the order of the outbox; never given to another job.
    package let ordinal: Int64
    package let kind: String
    /// `queued`, `done`, `attention` or `discarded`.
    package let state: String
    /// The instance key of a scan.
    package let identifier: String?
    /// JSON: what to send.
    package let payload: [UInt8]
    /// JSON: who ordered it.
    package let origin: [UInt8]
    /// When it was made.
    package let at: Timestamp
    package let attempts: Int
    /// Until when it is held, CLOCK_BOOTTIME of this boot in nanoseconds.
    package let heldUntilBootNanoseconds: UInt64?
    /// What the last attempt failed with, and the word for it where it needs attention.
    package let error: String?
    package let errorCode: String?
    /// When it was done or given up.
    package let endedAt: Timestamp?
    /// Whether a later scan of its identifier was delivered before it.
    package let isSuperseded: Bool
    package let dependsOn: String?

    /// Whether it is held at an instant of this boot.
    package func isHeld(at bootNanoseconds: UInt64) -> Bool {
        state == "queued" && (heldUntilBootNanoseconds ?? 0) > bootNanoseconds
    }
}

/// Which jobs are asked for.
package struct JobFilter: Sendable, Hashable {
    /// A word of the protocol: `waiting` are those that are queued and held, `queued` the others.
    package let state: String?
    package let kind: String?
    /// What holds are measured by: CLOCK_BOOTTIME.
    package let bootNanoseconds: UInt64

    package init(state: String? = nil, kind: String? = nil, bootNanoseconds: UInt64) {
        self.state = state
        self.kind = kind
        self.bootNanoseconds = bootNanoseconds
    }

    /// What the column `state` says of the jobs asked for; nil for every state.
    var storedState: String? { state == "waiting" ? "queued" : state }

    func takes(_ row: JobRow) -> Bool {
        switch state {
        case "waiting": row.isHeld(at: bootNanoseconds)
        case "queued": !row.isHeld(at: bootNanoseconds)
        default: true
        }
    }
}

/// Some jobs in the order of the outbox.
package struct JobPage: Sendable {
    package let jobs: [JobRow]
    /// The place after which there may be more; nil where there is no more.
    package let next: Int64?
}
