internal import Glibc
package import ReaderKit

/// What the command line says.
package struct PCSCSettings: Sendable, Hashable {
    /// Which readers to serve; empty means all.
    package let matches: [String]
    /// How long a tag may be away without having gone, in milliseconds.
    package let departureGrace: UInt64
    /// Whether the readers are told once and nothing else is done.
    package let listsOnly: Bool

    package init(matches: [String] = [], departureGrace: UInt64 = 300, listsOnly: Bool = false) {
        self.matches = matches
        self.departureGrace = departureGrace
        self.listsOnly = listsOnly
    }

    /// The options that take a value.
    package static let valued: Set<String> = ["match", "departure-grace"]

    /// The options that take none.
    package static let flags: Set<String> = ["list"]

    package static let help = """
        Usage: plings-pcsc [--match GLOB]... [--departure-grace MILLISECONDS] [--list]

        Reads NFC tags on all PC/SC readers and prints what it sees, one JSON object a line. Ends
        at the end of its input.

          --match GLOB                     serve only readers whose name, id or serial number
                                           matches, capitals and small letters told apart; may be
                                           given several times
          --departure-grace MILLISECONDS   how long a tag may be lifted without having gone
                                           (default 300, at most 60000)
          --list                           say which readers there are and what is wrong with
                                           each, read no tag, and end
          --version                        print the version
          --help                           print this
        """

    package init(_ options: CommandLineOptions) throws(UsageError) {
        let graces = options.all("departure-grace")
        let grace = try graces.last.map(Self.milliseconds) ?? 300
        self.init(
            matches: options.all("match"), departureGrace: grace,
            listsOnly: options.flags.contains("list"))
    }

    private static func milliseconds(_ text: String) throws(UsageError) -> UInt64 {
        guard let value = UInt64(text), value <= 60_000 else {
            throw UsageError("--departure-grace takes milliseconds from 0 to 60000, not “\(text)”")
        }
        return value
    }

    /// Whether a reader is to be served that is known by these texts.
    ///
    /// A glob that is the text itself matches too: PC/SC names have brackets in them.
    package func matches(_ texts: [String]) -> Bool {
        matches.isEmpty
            || matches.contains { glob in
                texts.contains { $0 == glob || fnmatch(glob, $0, 0) == 0 }
            }
    }
}
