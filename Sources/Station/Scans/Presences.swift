/// The tags that lie on the readers now, across restarts of readers and of the station.
///
/// A presence whose reader program or station ended is kept for a while: the same tag arriving on
/// the same device continues it without a new scan; otherwise it is lost.
struct Presences {
    /// How long a presence without its reader program is kept, in nanoseconds.
    static let keptFor: UInt64 = 5_000_000_000

    /// One tag on one device.
    struct Presence: Equatable {
        let device: String
        /// The scan that it began; nil where the tag was not announced.
        let scan: String?
        let uid: String?
        let digest: String
        /// CLOCK_BOOTTIME at detection; 0 where it was detected in an earlier boot.
        let arrivedAt: UInt64
        /// The reader process and its name for the presence; nil once that process is gone.
        fileprivate var handle: Handle?
        /// When the tag was last known to be there, while no process looks.
        fileprivate var lastSeen: UInt64
        /// When it is given up; nil until its device is ready.
        fileprivate var givenUpAt: UInt64?
    }

    fileprivate struct Handle: Equatable {
        let process: Int
        let token: String
    }

    /// What an arrival means.
    enum Arrival: Equatable {
        case new
        case continues
    }

    private var open: [Presence] = []

    /// The presences that are open.
    var count: Int { open.count }

    /// Takes over what an earlier run of the station left; each waits for its device.
    mutating func restore(
        device: String, scan: String, uid: String?, digest: String, arrivedAt: UInt64,
        lastSeen: UInt64
    ) {
        open.append(
            Presence(
                device: device, scan: scan, uid: uid, digest: digest, arrivedAt: arrivedAt,
                handle: nil, lastSeen: lastSeen, givenUpAt: nil))
    }

    /// A device can see tags now: what was on it before has a last chance to be seen.
    mutating func deviceReady(_ device: String, now: UInt64) {
        for index in open.indices where open[index].device == device {
            if open[index].handle == nil && open[index].givenUpAt == nil {
                open[index].givenUpAt = now + Self.keptFor
            }
        }
    }

    /// Whether a tag that arrives was there already.
    ///
    /// The same UID and bytes say so. Where no bytes could be read, because the tag is being taken
    /// away just then, it is taken for the one that lay there unless its UID is another.
    ///
    /// - Parameters:
    ///   - device: Where it is.
    ///   - process: The run of the reader program.
    ///   - token: The program's name for the presence.
    ///   - uid: The tag's UID, where it is known.
    ///   - digest: Of the bytes; nil where none could be read.
    /// - Returns: Whether it is a new presence.
    mutating func arrive(
        device: String, process: Int, token: String, uid: String?, digest: String?
    ) -> Arrival {
        let index = open.firstIndex {
            guard $0.device == device, $0.handle == nil else { return false }
            guard let digest else { return uid == nil || $0.uid == uid }
            return $0.uid == uid && $0.digest == digest
        }
        guard let index else { return .new }
        open[index].handle = Handle(process: process, token: token)
        open[index].givenUpAt = nil
        return .continues
    }

    /// Opens a presence for an arrival that is new.
    mutating func begin(
        device: String, process: Int, token: String, scan: String?, uid: String?, digest: String,
        arrivedAt: UInt64
    ) {
        open.append(
            Presence(
                device: device, scan: scan, uid: uid, digest: digest, arrivedAt: arrivedAt,
                handle: Handle(process: process, token: token), lastSeen: arrivedAt,
                givenUpAt: nil))
    }

    /// Whether a process has named a presence so already.
    func isOpen(process: Int, token: String) -> Bool {
        open.contains { $0.handle == Handle(process: process, token: token) }
    }

    /// Whether the presence that a scan began is still open.
    func isOpen(scan: String) -> Bool { open.contains { $0.scan == scan } }

    /// Ends a presence; nil where there is none of that name.
    mutating func depart(process: Int, token: String) -> Presence? {
        let handle = Handle(process: process, token: token)
        guard let index = open.firstIndex(where: { $0.handle == handle }) else { return nil }
        return open.remove(at: index)
    }

    /// Ends all presences on a device that was unplugged.
    mutating func deviceGone(_ device: String) -> [Presence] {
        let gone = open.filter { $0.device == device && $0.handle != nil }
        open.removeAll { $0.device == device && $0.handle != nil }
        return gone
    }

    /// A reader process ended: its presences are kept for a while.
    mutating func processEnded(_ process: Int, now: UInt64) {
        for index in open.indices where open[index].handle?.process == process {
            open[index].handle = nil
            open[index].lastSeen = now
            open[index].givenUpAt = now + Self.keptFor
        }
    }

    /// Takes out what nobody has seen again in time.
    mutating func giveUp(now: UInt64) -> [Presence] {
        let lost = open.filter { ($0.givenUpAt ?? .max) <= now }
        open.removeAll { ($0.givenUpAt ?? .max) <= now }
        return lost
    }

    /// When `giveUp` next has something to do.
    var nextGivenUp: UInt64? { open.compactMap(\.givenUpAt).min() }
}

extension Presences.Presence {
    /// How long the tag was held, to the moment it was last seen.
    ///
    /// - Parameter lastSeen: CLOCK_BOOTTIME of that moment, or nil where only the station knows.
    /// - Returns: Milliseconds; 0 where the tag was detected in an earlier boot.
    func heldMilliseconds(until lastSeen: UInt64? = nil) -> Int64 {
        let end = lastSeen ?? self.lastSeen
        guard arrivedAt > 0, end > arrivedAt else { return 0 }
        return Int64((end - arrivedAt) / 1_000_000)
    }
}
