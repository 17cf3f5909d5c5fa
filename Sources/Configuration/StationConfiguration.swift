/// What the operator has set, complete with defaults and checked.
package struct StationConfiguration: Sendable, Equatable {
    package var station: Station
    package var store: Store
    package var socket: Socket
    package var api: API
    package var location: Location
    package var scan: Scan
    package var cache: Cache
    package var readers: Readers

    /// The readers listed, in the order of the file.
    package var readerEntries: [ReaderEntry]

    package var log: Log

    /// What the station is called.
    package struct Station: Sendable, Equatable {
        /// The id towards programs and the API; nil means the host name.
        package var id: String?

        /// The name for people.
        package var name: String?
    }

    /// Where things are kept, and how many.
    package struct Store: Sendable, Equatable {
        /// The folder of the database; nil means the service's state directory.
        package var directory: String?

        /// How long events are kept.
        package var retainEvents: Duration

        /// How many events are kept at most.
        package var retainCount: Int

        /// How many deliveries and orders may wait.
        package var maxJobs: Int
    }

    /// The socket that programs connect to.
    package struct Socket: Sendable, Equatable {
        /// The socket's path; nil means the service's runtime directory.
        package var path: String?

        /// The permission bits.
        package var mode: UInt32

        /// The group whose members may watch.
        package var group: Group

        /// The group whose members may also give orders.
        package var controlGroup: Group

        /// A group of the system by its name.
        package struct Group: Sendable, Equatable {
            /// The group's name.
            package var name: String

            /// Whether the operator named it: then it must exist, while a missing default group
            /// is only worth a warning.
            package var isConfigured: Bool
        }
    }

    /// The Plings API and how it is asked.
    package struct API: Sendable, Equatable {
        /// The URL of the API; nil means that the station works alone.
        package var endpoint: String?

        /// The file that holds the access token.
        package var tokenFile: String?

        /// The URL of the auth server at which the station logs in, in place of a token file.
        package var authURL: String?

        /// The file that holds the key which the auth server wants.
        package var apiKeyFile: String?

        /// Further certificate authorities, in PEM.
        package var caFile: String?

        /// How long one request may take.
        package var timeout: Duration

        /// How long a scan waits for the API before programs get a first answer.
        package var answerPatience: Duration

        /// The most scans delivered in a minute.
        package var scansPerMinute: Int

        /// The part of `scansPerMinute` kept free for new scans, 0 to 0.9.
        package var liveShare: Double
    }

    /// The station's own location.
    package struct Location: Sendable, Equatable {
        /// Where the location comes from.
        package var source: Source

        /// Whether the location may go to the API.
        package var consent: Bool

        /// Where a location comes from.
        package enum Source: Sendable, Equatable {
            /// The station has no location.
            case none

            /// The station stands still.
            case fixed(Position)
        }

        /// A place on the earth, WGS 84.
        package struct Position: Sendable, Equatable {
            /// Degrees north, -90 to 90.
            package var latitude: Double

            /// Degrees east, -180 to 180.
            package var longitude: Double

            /// Metres; nil when unknown.
            package var accuracy: Double?

            /// A place.
            ///
            /// - Parameters:
            ///   - latitude: Degrees north.
            ///   - longitude: Degrees east.
            ///   - accuracy: Metres; nil when unknown.
            package init(latitude: Double, longitude: Double, accuracy: Double? = nil) {
                self.latitude = latitude
                self.longitude = longitude
                self.accuracy = accuracy
            }
        }
    }

    /// What counts as a scan.
    package struct Scan: Sendable, Equatable {
        /// The host names of Plings tags, lower case, at least one.
        package var hosts: [String]

        /// Whether tags that already lie on a reader at the start are reported.
        package var announcePresent: Bool

        /// How long a tag may be out of sight before it counts as gone.
        package var departureGrace: Duration

        /// How often one tag may come within three seconds before it is left out; 0 for any number.
        package var flapLimit: Int
    }

    /// The cache of the API's answers.
    package struct Cache: Sendable, Equatable {
        /// How long an answer counts as fresh at most.
        package var ttl: Duration

        /// How many objects are kept.
        package var maxObjects: Int
    }

    /// Readers in general.
    package struct Readers: Sendable, Equatable {
        /// Whether all PC/SC readers are used when none is listed.
        package var automatic: Bool

        /// A folder in which reader programs are searched last.
        package var programs: String?
    }

    /// A reader that is listed.
    package struct ReaderEntry: Sendable, Equatable {
        /// How the reader is reached.
        package var kind: Kind

        /// The operator's name for it.
        package var name: String?

        /// A listed reader.
        ///
        /// - Parameters:
        ///   - kind: How it is reached.
        ///   - name: The operator's name for it.
        package init(kind: Kind, name: String? = nil) {
            self.kind = kind
            self.name = name
        }

        /// How a reader is reached.
        package enum Kind: Sendable, Equatable {
            /// Through PC/SC; the glob says which devices, by name, id or serial number.
            case pcsc(match: String)

            /// By a program that speaks the reader protocol: the program, as a path or as the bare
            /// name of an installed one, and its arguments.
            case exec(command: [String])
        }
    }

    /// What is logged.
    package struct Log: Sendable, Equatable {
        /// The least important messages that are still logged.
        package var level: LogLevel
    }
}
