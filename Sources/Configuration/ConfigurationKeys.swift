/// The keys that exist, each described once.
package enum ConfigurationKeys {
    /// All sections in the order of the example file.
    package static let sections = [
        Station.section, Store.section, Socket.section, API.section, Location.section, Scan.section,
        Cache.section, Readers.section, Reader.section, Log.section,
    ]

    enum Station {
        static let section = ConfigurationSection("station", [id.description, name.description])

        static let id = ConfigurationKey<String?>(
            "id", .line("a string", maxLength: 255, example: "kiosk-3"),
            otherwise: "without it the host name", example: "\"kiosk-3\"",
            "What this station is called towards programs and the API.")

        static let name = ConfigurationKey<String?>(
            "name", .line("a string", maxLength: 255, example: "Entrance"),
            otherwise: "without it the station has none", example: "\"Entrance\"",
            "A name of this station for people.")
    }

    enum Store {
        static let section = ConfigurationSection(
            "store",
            [
                directory.description, retainEvents.description, retainCount.description,
                maxJobs.description,
            ])

        static let directory = ConfigurationKey<String?>(
            "directory", .path(),
            otherwise: "without it the service's state directory, such as /var/lib/plingsd",
            example: "\"/var/lib/plingsd\"",
            "The folder of the database, which holds events, deliveries and the cache.")

        static let retainEvents = ConfigurationKey(
            "retain_events", .duration(.seconds(1) ... .days(3650)), default: .days(30),
            "How long events are kept for programs that were away.")

        static let retainCount = ConfigurationKey(
            "retain_count", .integer(1000...1_000_000_000), default: 1_000_000, unit: "events",
            "How many events are kept at most; the oldest go first.")

        static let maxJobs = ConfigurationKey(
            "max_jobs", .integer(1...1_000_000_000), default: 1_000_000, unit: "jobs",
            "How many deliveries may wait before programs can submit no more; tags are always taken."
        )
    }

    enum Socket {
        static let section = ConfigurationSection(
            "socket",
            [path.description, mode.description, group.description, controlGroup.description])

        /// The longest path of a socket, in bytes.
        ///
        /// Source: unix(7), `sun_path` has 108 bytes, the last one NUL.
        static let maxPathLength = 107

        static let path = ConfigurationKey<String?>(
            "path", .path(maxLength: maxPathLength),
            otherwise: "without it plingsd.sock in the service's runtime directory, such as "
                + "/run/plingsd",
            example: "\"/run/plingsd/plingsd.sock\"",
            "Where programs of this machine connect.")

        static let mode = ConfigurationKey(
            "mode", .fileMode, default: 0o660,
            "Who may connect: the permission bits of the socket.")

        static let group = ConfigurationKey(
            "group", .line("a group", label: "group", maxLength: 255, example: "plings"),
            default: "plings",
            "The group of the socket, whose members may watch; a group named here must exist.")

        static let controlGroup = ConfigurationKey(
            "control_group", .line("a group", label: "group", maxLength: 255, example: "plings"),
            default: "plings",
            "The group whose members may also give orders; a group named here must exist.")
    }

    enum API {
        static let section = ConfigurationSection(
            "api",
            [
                endpoint.description, tokenFile.description, authURL.description,
                apiKeyFile.description, caFile.description, timeout.description,
                answerPatience.description, scansPerMinute.description,
                liveShare.description,
            ])

        static let endpoint = ConfigurationKey<String?>(
            "endpoint", .endpoint, otherwise: "without it the station works alone",
            example: "\"https://api.plings.io/graphql\"",
            "Where the Plings GraphQL API answers.")

        static let tokenFile = ConfigurationKey<String?>(
            "token_file", .path(), otherwise: "without it the API is not asked",
            example: "\"/etc/plingsd/token\"",
            "The file that holds the access token; the token itself never stands here.")

        static let authURL = ConfigurationKey<String?>(
            "auth_url", .authServer, otherwise: "without it a token file",
            example: "\"https://auth.plings.io\"",
            "The auth server (Supabase) where `plingsctl login` begins a session that renews itself."
        )

        static let apiKeyFile = ConfigurationKey<String?>(
            "api_key_file", .path(), otherwise: "without it none is sent",
            example: "\"/etc/plingsd/api-key\"",
            "The file that holds the key which the auth server wants in its apikey header: the "
                + "project's anon key.")

        static let caFile = ConfigurationKey<String?>(
            "ca_file", .path(), otherwise: "without it the system's authorities alone",
            example: "\"/etc/plingsd/ca.pem\"",
            "Further certificate authorities in PEM, for an API on a private server.")

        static let timeout = ConfigurationKey(
            "timeout", .duration(.seconds(1) ... .seconds(300)), default: .seconds(10),
            "How long one request may take before it counts as failed.")

        static let answerPatience = ConfigurationKey(
            "answer_patience", .duration(.zero ... .seconds(60)), default: .seconds(2),
            "How long a scan waits for the API before programs are told that it is not answering.")

        static let scansPerMinute = ConfigurationKey(
            "scans_per_minute", .integer(1...6000), default: 80, unit: "scans a minute",
            "How fast scans are delivered at most.")

        static let liveShare = ConfigurationKey(
            "live_share", .number(0...0.9), default: 0.25, unit: "share",
            "The part of them that is kept free for new scans while older ones are delivered.")
    }

    enum Location {
        static let section = ConfigurationSection(
            "location",
            [
                source.description, latitude.description, longitude.description,
                accuracy.description, consent.description,
            ])

        static let source = ConfigurationKey(
            "source", .word("location source"), default: LocationSource.none,
            "Where the station's location comes from: \"fixed\" takes the one written here.")

        static let latitude = ConfigurationKey<Double?>(
            "latitude", .number(-90...90), otherwise: "required when source is \"fixed\"",
            unit: "degrees north", example: "65.5841",
            "How far north the station stands (WGS 84).")

        static let longitude = ConfigurationKey<Double?>(
            "longitude", .number(-180...180), otherwise: "required when source is \"fixed\"",
            unit: "degrees east", example: "22.1547",
            "How far east the station stands (WGS 84).")

        static let accuracy = ConfigurationKey<Double?>(
            "accuracy", .number(0 ... .infinity), otherwise: "without it the accuracy is unknown",
            unit: "metres", example: "8",
            "How far the true place may be from the one written here.")

        static let consent = ConfigurationKey(
            "consent", .boolean, default: false,
            "Whether the location may go to the API; else it stays on this machine.")
    }

    enum Scan {
        static let section = ConfigurationSection(
            "scan",
            [
                hosts.description, announcePresent.description, departureGrace.description,
                flapLimit.description,
            ])

        static let hosts = ConfigurationKey(
            "hosts", .hostNames, default: ["s.plings.io"],
            "The host names whose tag addresses are Plings tags.")

        static let announcePresent = ConfigurationKey(
            "announce_present", .boolean, default: true,
            "Whether tags that already lie on a reader at the start are reported as scans.")

        static let departureGrace = ConfigurationKey(
            "departure_grace", .duration(.zero ... .seconds(10)), default: .milliseconds(300),
            "How long a tag may be out of sight before it counts as gone.")

        static let flapLimit = ConfigurationKey(
            "flap_limit", .integer(0...1000), default: 5, unit: "arrivals",
            "How often one tag may come to one reader within 3 seconds; from then on it is left out "
                + "until it has neither come nor gone for 3 seconds. 0 leaves nothing out.")
    }

    enum Cache {
        static let section = ConfigurationSection(
            "cache", [ttl.description, maxObjects.description])

        static let ttl = ConfigurationKey(
            "ttl", .duration(.zero ... .days(3650)), default: .seconds(86_400),
            "How long an answer of the API counts as fresh at most.")

        static let maxObjects = ConfigurationKey(
            "max_objects", .integer(0...10_000_000), default: 50_000, unit: "objects",
            "How many objects are kept for answering without the API.")
    }

    enum Readers {
        static let section = ConfigurationSection(
            "readers", [automatic.description, programs.description])

        static let automatic = ConfigurationKey(
            "automatic", .boolean, default: true,
            "Whether all PC/SC readers are used when no [[reader]] is listed.")

        static let programs = ConfigurationKey<String?>(
            "programs", .path(), otherwise: "without it only the places of the installation",
            example: "\"/usr/local/libexec/plingsd\"",
            "A folder in which reader programs are searched last.")
    }

    enum Reader {
        static let section = ConfigurationSection(
            "reader", isList: true,
            [kind.description, name.description, match.description, command.description])

        static let kind = ConfigurationKey<ReaderKind?>(
            "kind", .word("reader kind"), otherwise: "required", example: "\"pcsc\"",
            "How the reader is reached: through PC/SC, or by a program of its own.")

        static let name = ConfigurationKey<String?>(
            "name", .line("a string", maxLength: 255, example: "door"),
            otherwise: "without it the device's own name", example: "\"door\"",
            "A name for the reader, different from all others.")

        static let match = ConfigurationKey(
            "match", .line("a pattern", label: "pattern", maxLength: 255, example: "ACS ACR122U*"),
            default: "*", example: "\"ACS ACR122U*\"",
            "Which PC/SC readers are meant, by name, id or serial number; for kind \"pcsc\" only.")

        static let command = ConfigurationKey<[String]?>(
            "command", .command, otherwise: "required for kind \"exec\", and only there",
            example: "[\"/usr/local/bin/serial-reader\", \"/dev/ttyUSB0\"]",
            "The program that speaks the reader protocol, and its arguments; no shell is involved.")
    }

    enum Log {
        static let section = ConfigurationSection("log", [level.description])

        static let level = ConfigurationKey(
            "level", .word("log level"), default: LogLevel.info,
            "The least important messages that are still logged.")
    }
}

/// Where the station's location comes from, as it is written.
enum LocationSource: String, CaseIterable, Sendable {
    case fixed, none
}

/// How a reader is reached, as it is written.
enum ReaderKind: String, CaseIterable, Sendable {
    case pcsc, exec
}

/// The least important messages that are still logged.
package enum LogLevel: String, CaseIterable, Sendable {
    case debug, info, warning, error
}

extension Duration {
    /// Days of 24 hours.
    fileprivate static func days(_ count: Int64) -> Duration { .seconds(count * 86_400) }
}
