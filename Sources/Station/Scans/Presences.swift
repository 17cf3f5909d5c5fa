/// The tags that lie on the readers now, across restarts of readers and of the station.
///
/// A presence whose reader program, PC/SC service or station ended is kept until its device had
/// time to show it again: the same tag arriving on the same device continues it without a new scan;
/// otherwise it is lost. All times are CLOCK_BOOTTIME in nanoseconds.
struct Presences {
    /// How long a presence that nobody looks at is kept, and again from when its device is ready.
    static let keptFor: UInt64 = 5_000_000_000
    /// How long after a start a device may take to show itself.
    ///
    /// As long as a reader program may go without a sign of life. What lay on a device that does not
    /// come is lost with it.
    static let startPatience: UInt64 = 15_000_000_000

    /// One tag on one device.
    struct Presence: Equatable {
        let device: String
        /// The scan that it began; nil where the tag was not announced.
        let scan: String?
        let uid: String?
        let digest: String
        /// CLOCK_BOOTTIME at detection; 0 where it was detected in an earlier boot.
        let arrivedAt: UInt64
        /// The reader process and its name for the presence; nil while nobody looks.
        fileprivate var handle: Handle?
        /// When the tag was last known to be there, while no process looks.
        fileprivate var lastSeen: UInt64
        fileprivate var chance = Chance.none
    }

    fileprivate struct Handle: Equatable {
        let process: Int
        let token: String
    }

    /// How long a presence without a handle may still be continued.
    fileprivate enum Chance: Equatable {
        /// It is looked at.
        case none
        /// Its device is to be ready by then.
        case untilReady(by: UInt64)
        /// Its device is ready, and is to have shown it by then.
        case untilSeen(by: UInt64)

        var end: UInt64? {
            switch self {
            case .none: nil
            case .untilReady(let time), .untilSeen(let time): time
            }
        }
    }

    /// What an arrival means.
    enum Arrival: Equatable {
        case new
        case continues
    }

    private var open: [Presence] = []
    /// Devices on which something lies that its reader process has still to tell of.
    private var occupied: [String: Int] = [:]
    /// Devices that nobody looks at for the time being, since when.
    private var unwatched: [String: UInt64] = [:]
    /// Devices that were unwatched for a moment only, so that what is new on them came just now.
    private var resumed: Set<String> = []

    /// The presences that are open.
    var count: Int { open.count }

    /// Takes over what an earlier run of the station left; each waits for its device.
    mutating func restore(
        device: String, scan: String, uid: String?, digest: String, arrivedAt: UInt64,
        lastSeen: UInt64, now: UInt64
    ) {
        open.append(
            Presence(
                device: device, scan: scan, uid: uid, digest: digest, arrivedAt: arrivedAt,
                handle: nil, lastSeen: lastSeen,
                chance: .untilReady(by: now + Self.startPatience)))
    }

    // MARK: Devices

    /// A device can see tags now: what was on it before has a last chance to be seen.
    mutating func deviceReady(_ device: String, now: UInt64) {
        for index in open.indices where open[index].device == device {
            if case .untilReady = open[index].chance {
                open[index].chance = .untilSeen(by: now + Self.keptFor)
            }
        }
        guard let since = unwatched.removeValue(forKey: device) else { return }
        if now - min(now, since) < Self.keptFor {
            resumed.insert(device)
        } else {
            resumed.remove(device)
        }
    }

    /// Something lies on a device that will be told of once it was read: until then nothing that
    /// lay there before is given up.
    mutating func deviceOccupied(_ device: String, process: Int) {
        occupied[device] = process
    }

    /// Whether somebody looked at a device until a moment ago: a tag that is new on it came
    /// meanwhile, even if it was there before the program that looks now began to.
    func wasWatched(_ device: String) -> Bool { resumed.contains(device) }

    /// Ends all presences on a device that was unplugged.
    mutating func deviceGone(_ device: String) -> [Presence] {
        occupied[device] = nil
        unwatched[device] = nil
        resumed.remove(device)
        let gone = open.filter { $0.device == device && $0.handle != nil }
        open.removeAll { $0.device == device && $0.handle != nil }
        return gone
    }

    /// A reader process ended: what lay on its devices is kept for a while.
    ///
    /// - Parameters:
    ///   - process: The run of the reader program.
    ///   - devices: Those it looked at.
    ///   - lastSeen: Until when it looked.
    ///   - now: The time.
    mutating func processEnded(
        _ process: Int, devices: Set<String> = [], lastSeen: UInt64, now: UInt64
    ) {
        occupied = occupied.filter { $0.value != process }
        lose(lastSeen: lastSeen, now: now) { $0.handle?.process == process }
        for device in devices { unwatch(device, lastSeen: lastSeen, now: now) }
    }

    /// A reader process has lost its way to a device, which may be there still.
    mutating func deviceInterrupted(_ device: String, process: Int, now: UInt64) {
        if occupied[device] == process { occupied[device] = nil }
        lose(lastSeen: now, now: now) { $0.device == device && $0.handle?.process == process }
        unwatch(device, lastSeen: now, now: now)
    }

    private mutating func lose(
        lastSeen: UInt64, now: UInt64, _ isLost: (Presence) -> Bool
    ) {
        for index in open.indices where open[index].handle != nil && isLost(open[index]) {
            open[index].handle = nil
            open[index].lastSeen = lastSeen
            open[index].chance = .untilReady(by: now + Self.keptFor)
        }
    }

    private mutating func unwatch(_ device: String, lastSeen: UInt64, now: UInt64) {
        // Devices that do not come back are forgotten, however many there are over the years.
        for (other, since) in unwatched where now - min(now, since) >= Self.keptFor {
            guard other != device else { continue }
            unwatched[other] = nil
            resumed.remove(other)
        }
        if unwatched[device] == nil { unwatched[device] = lastSeen }
        // What its last process had no time to show has its chance anew with the next.
        for index in open.indices where open[index].device == device {
            if case .untilSeen = open[index].chance {
                open[index].chance = .untilReady(by: now + Self.keptFor)
            }
        }
    }

    // MARK: Tags

    /// Whether a tag that arrives was there already.
    ///
    /// The same UID and bytes say so. Where no bytes could be read, because the tag is being taken
    /// away just then, it is taken for the one that lay there unless its UID is another.
    ///
    /// - Parameters:
    ///   - device: Where it is.
    ///   - process: The run of the reader program.
    ///   - token: The program's name for the presence.
    ///   - uid: The tag's UID, where it is known and lasting.
    ///   - digest: Of the bytes; nil where none could be read.
    /// - Returns: Whether it is a new presence.
    mutating func arrive(
        device: String, process: Int, token: String, uid: String?, digest: String?
    ) -> Arrival {
        occupied[device] = nil
        let index = open.firstIndex {
            guard $0.device == device, $0.handle == nil else { return false }
            guard let digest else { return uid == nil || $0.uid == uid }
            return $0.uid == uid && $0.digest == digest
        }
        guard let index else { return .new }
        open[index].handle = Handle(process: process, token: token)
        open[index].chance = .none
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
                handle: Handle(process: process, token: token), lastSeen: arrivedAt))
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

    // MARK: Giving up

    /// Takes out what nobody has seen again in time.
    mutating func giveUp(now: UInt64) -> [Presence] {
        let all = open
        open = all.filter { !isOver($0, at: now) }
        return all.filter { isOver($0, at: now) }
    }

    /// When `giveUp` next has something to do.
    var nextGivenUp: UInt64? { open.compactMap(deadline).min() }

    private func isOver(_ presence: Presence, at now: UInt64) -> Bool {
        (deadline(of: presence) ?? .max) <= now
    }

    private func deadline(of presence: Presence) -> UInt64? {
        occupied[presence.device] == nil ? presence.chance.end : nil
    }
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
