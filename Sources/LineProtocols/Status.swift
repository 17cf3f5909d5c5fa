package import Scanning

/// The reply to `scan.submit`: the scan is in the log when it is sent.
package struct SubmitResult: Sendable, Hashable, Codable {
    package let scan: String
    package let unrecognised: Unrecognised?

    package init(scan: String, unrecognised: Unrecognised?) {
        self.scan = scan
        self.unrecognised = unrecognised
    }
}

/// The reply to `status`.
package struct Status: Sendable, Hashable, Codable {
    package var station: String
    package var version: String
    package var uptimeSeconds: Int64
    /// The account of the token, where the token says one.
    package var account: String?
    package var readers: [Reader]
    package var location: LocationEvent
    package var api: API
    package var clock: Clock
    package var outbox: Outbox
    package var cache: Cache
    package var log: Log
    package var counters: [String: Int64]
    /// Whether events can be stored; nil from a station that does not say.
    package var store: Store?

    package init(
        station: String, version: String, uptimeSeconds: Int64, account: String?,
        readers: [Reader], location: LocationEvent, api: API, clock: Clock, outbox: Outbox,
        cache: Cache, log: Log, counters: [String: Int64], store: Store? = nil
    ) {
        self.station = station
        self.version = version
        self.uptimeSeconds = uptimeSeconds
        self.account = account
        self.readers = readers
        self.location = location
        self.api = api
        self.clock = clock
        self.outbox = outbox
        self.cache = cache
        self.log = log
        self.counters = counters
        self.store = store
    }

    /// A reader that was seen since the start.
    package struct Reader: Sendable, Hashable, Codable {
        package let id: String
        package let name: String
        package let kind: String
        package let state: DeviceState
        package let reason: String?
        package let signals: [String]

        package init(
            id: String, name: String, kind: String, state: DeviceState, reason: String?,
            signals: [String]
        ) {
            self.id = id
            self.name = name
            self.kind = kind
            self.state = state
            self.reason = reason
            self.signals = signals
        }
    }

    /// The connection to the API.
    package struct API: Sendable, Hashable, Codable {
        package let state: APIState
        package let reason: String?
        package let endpoint: String?

        package init(state: APIState, reason: String?, endpoint: String?) {
            self.state = state
            self.reason = reason
            self.endpoint = endpoint
        }
    }

    /// Whether the station's clock is trusted.
    package struct Clock: Sendable, Hashable, Codable {
        /// `trusted` or `untrusted`.
        package let state: String

        package init(trusted: Bool) {
            state = trusted ? "trusted" : "untrusted"
        }
    }

    /// What is not yet delivered.
    package struct Outbox: Sendable, Hashable, Codable {
        /// Deliveries of scans that are still open.
        package let scans: Int
        /// Work jobs that are queued, and those that wait to be tried again.
        package let queued: Int
        package let waiting: Int
        /// Deliveries and jobs that were refused or failed again and again.
        package let attention: Int
        package let oldestAt: Timestamp?
        /// Those of the scans that another account made; nil where there are none.
        package let held: Int?
        /// The size of the database on disk.
        package let bytes: Int64

        package init(
            scans: Int, queued: Int, waiting: Int, attention: Int, oldestAt: Timestamp?,
            bytes: Int64, held: Int? = nil
        ) {
            self.scans = scans
            self.queued = queued
            self.waiting = waiting
            self.attention = attention
            self.oldestAt = oldestAt
            self.held = held
            self.bytes = bytes
        }
    }

    /// What is known without asking the API.
    package struct Cache: Sendable, Hashable, Codable {
        package let objects: Int
        /// The age of the newest entry.
        package let ageSeconds: Int64?

        package init(objects: Int, ageSeconds: Int64?) {
            self.objects = objects
            self.ageSeconds = ageSeconds
        }
    }

    /// What the event log holds.
    package struct Log: Sendable, Hashable, Codable {
        package let first: Int64
        package let last: Int64

        package init(first: Int64, last: Int64) {
            self.first = first
            self.last = last
        }
    }

    /// Whether events can be stored.
    package struct Store: Sendable, Hashable, Codable {
        /// `ok`, `full`, `readOnly`, `busy`, `damaged` or `failing`.
        package let state: String
        /// What failed, unless it is `ok`.
        package let reason: String?

        package init(state: String, reason: String?) {
            self.state = state
            self.reason = reason
        }
    }
}
