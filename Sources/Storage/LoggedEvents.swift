package import Scanning

/// An event on its way into the log.
package struct EventDraft: Sendable, Hashable {
    package let type: String
    /// The reader that filters go by, where the event has one.
    package let readerID: String?
    package let readerName: String?
    /// The scan that caused it, where one did.
    package let scan: String?
    /// When it happened; what pruning by age goes by.
    package let at: Timestamp
    /// The JSON object as it will be published, without its seq.
    package let body: [UInt8]

    package init(
        type: String, readerID: String? = nil, readerName: String? = nil, scan: String? = nil,
        at: Timestamp, body: [UInt8]
    ) {
        self.type = type
        self.readerID = readerID
        self.readerName = readerName
        self.scan = scan
        self.at = at
        self.body = body
    }
}

/// An event of the log.
package struct StoredEvent: Sendable, Hashable {
    package let seq: Int64
    package let type: String
    package let readerID: String?
    package let readerName: String?
    package let scan: String?
    /// The JSON object without its seq, as it was given.
    package let body: [UInt8]
}

/// What the log holds: every seq from first to last.
package struct LogRange: Sendable, Hashable {
    /// The oldest event's seq; one past `last` where there is none.
    package let first: Int64
    /// The highest seq ever given; 0 in a new log.
    package let last: Int64
}

/// A stretch of the log, in order, and what the log held when it was read.
package struct EventPage: Sendable {
    package let events: [StoredEvent]
    package let range: LogRange
}
