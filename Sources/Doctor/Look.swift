internal import Platform

/// The time limits of all looks, and how they are kept.
///
/// First the configuration is read, then everything else is looked at side by side, each on a
/// thread of its own: so the whole takes at most `configuration` and the longest of the others.
enum LookLimit {
    /// Reading the configuration's file.
    static let configuration = Duration.seconds(2)
    /// Files of this machine: they may lie on a disk that does not answer.
    static let files = Duration.seconds(4)
    /// plingsd, while it looks through the database.
    static let database = Duration.seconds(5)
    /// The services, by systemctl and journalctl.
    static let services = Duration.seconds(5)
    /// Connecting to plingsd and the answer to `status`.
    static let station = Duration.seconds(4)
    /// plings-pcsc, which itself waits 3 s for readers that hang; where one is held, another 2 s
    /// go into looking for who holds it.
    static let readers = Duration.seconds(6)
    /// Looking for the programs that may hold a reader.
    static let holders = Duration.seconds(2)
    /// One question to the API, name and connection included.
    static let api = Duration.seconds(8)
    /// What a look is left beyond the limits of what it asks.
    static let grace = Duration.seconds(1)
}

/// What is found out on a thread of its own, and waited for with a bound.
struct Look<Facts: Sendable>: Sendable {
    private let found: Handover<Facts>
    private let deadline: UInt64

    /// Starts looking.
    ///
    /// - Parameters:
    ///   - limit: How long it may take from now on.
    ///   - body: Looks; may block. A thread that takes too long is left alone with it.
    /// - Throws: `SystemError` when the kernel has no descriptors left.
    init(
        within limit: Duration, _ body: @escaping @Sendable () -> Facts
    ) throws(SystemError) {
        let found = try Handover<Facts>()
        self.found = found
        deadline = Handover<Facts>.deadline(after: limit)
        Threads.start(name: "look") { found.give(body()) }
    }

    /// Waits for what was found.
    ///
    /// - Returns: Nil where the limit has passed.
    func facts() -> Facts? { found.take(until: deadline) }
}

/// What is told of a look itself.
package enum LookDiagnosis: String, Diagnosis {
    case timeout = "look-timeout"

    package var form: FindingForm {
        switch self {
        case .timeout:
            .problem(
                "looking at {what} took too long and was given up: a disk or a program does not "
                    + "answer", "sudo dmesg --level err,crit | tail")
        }
    }
}
