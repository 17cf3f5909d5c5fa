internal import Scanning

/// What a client wants to be told.
package struct SubscribeParameters: Sendable, Hashable, Codable {
    package var types: [String]?
    /// Ids or names of readers.
    package var readers: [String]?
    package var since: Since?
    /// The log that a numeric `since` belongs to.
    package var log: String?
    /// Whether the reply is to say how the station fares.
    package var snapshot: Bool?

    package init(
        types: [String]? = nil, readers: [String]? = nil, since: Since? = nil, log: String? = nil,
        snapshot: Bool? = nil
    ) {
        self.types = types
        self.readers = readers
        self.since = since
        self.log = log
        self.snapshot = snapshot
    }

    /// Where a subscription begins.
    package enum Since: Sendable, Hashable, Codable {
        /// After this seq.
        case after(Int64)
        /// With the first event that the log still has.
        case start
        /// With the next event.
        case now

        package init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let seq = try? value.decode(Int64.self), seq >= 0 {
                self = .after(seq)
                return
            }
            switch try? value.decode(String.self) {
            case "start": self = .start
            case "now": self = .now
            default:
                throw DecodingError.wrongValue(
                    "must be a seq, \"start\" or \"now\"", at: decoder.codingPath)
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .after(let seq): try value.encode(seq)
            case .start: try value.encode("start")
            case .now: try value.encode("now")
            }
        }
    }
}

/// The reply to `subscribe`.
package struct SubscribeResult: Sendable, Hashable, Codable {
    /// The last seq that is accounted for; every event after it follows.
    package var from: Int64
    package var log: String
    package var gap: Gap?
    /// Words of the filters that this version does not know.
    package var ignored: [String]?
    /// How the station fared at exactly `from`; only where that is the last event.
    package var snapshot: Status?

    package init(
        from: Int64, log: String, gap: Gap? = nil, ignored: [String]? = nil,
        snapshot: Status? = nil
    ) {
        self.from = from
        self.log = log
        self.gap = gap
        self.ignored = ignored
        self.snapshot = snapshot
    }

    /// What was asked for and is not there.
    package struct Gap: Sendable, Hashable, Codable {
        package let requested: Int64
        package let first: Int64

        package init(requested: Int64, first: Int64) {
            self.requested = requested
            self.first = first
        }
    }
}

/// An empty object: the result of `unsubscribe`, the parameters of methods that take none.
package struct EmptyObject: Sendable, Hashable, Codable {
    package init() {}
}

/// What `scan.submit` takes.
package struct SubmitParameters: Sendable, Hashable, Codable {
    package let url: String

    package init(url: String) {
        self.url = url
    }
}
