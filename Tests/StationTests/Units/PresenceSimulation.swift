@testable import Station

/// Tags on two devices while programs, services and the station end and come back, in a random
/// sequence, and beside it a simple model of what is to be told.
///
/// The model knows of each device the tags that were seen on it: after a short gap they are no news,
/// any other is a scan, and after a long gap everything is.
struct PresenceSimulation {
    private static let devices = ["usb-1", "usb-2"]
    private static let tags = ["04a1", "04a2", "04a3"]
    private static let second: UInt64 = 1_000_000_000

    private struct Row {
        let device: String
        let uid: String
        let arrivedAt: UInt64
    }

    private var random: SeededRandom
    private var now = 1_000 * PresenceSimulation.second
    private var presences = Presences()
    private var process = 1
    private var lastName = 0
    private var lying: [String: String] = [:]
    private var tokens: [String: String] = [:]
    /// What the store has of the tags, by scan.
    private var store: [String: Row] = [:]
    /// The model: what was seen on each device, and until when that counts.
    private var seen: [String: [String: UInt64]] = [:]
    /// The devices with a tag that takes its time to be read.
    private var busy: Set<String> = []

    /// The tags that were told, by device, and those that were to be.
    private(set) var told: [String: [String]] = [:]
    private(set) var expected: [String: [String]] = [:]
    /// Scans whose departure was told when there was none open.
    private(set) var wrongDepartures: [String] = []
    private(set) var steps: [String] = []

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    /// What is still open, which is nothing at the end.
    var open: Int { presences.count + store.count }

    mutating func run(steps count: Int) {
        for _ in 0..<count {
            pass(upTo: 2 * Self.second)
            let device = Self.devices.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                gap("process", Self.devices) { $0.presences.processEnded($0.process, at: $0.now) }
            case 1: gap("station", Self.devices, upTo: 14) { $0.restartStation() }
            case 2:
                gap("service", [device]) {
                    $0.presences.deviceInterrupted(device, process: $0.process, now: $0.now)
                }
            case 3, 4: put(device)
            default: lift(device)
            }
        }
        for device in Self.devices { lift(device) }
        pass(60 * Self.second)
    }

    // MARK: Tags

    private mutating func put(_ device: String) {
        guard lying[device] == nil else { return }
        lying[device] = Self.tags.randomElement(using: &random)
        steps.append("put \(lying[device] ?? "") on \(device)")
        arrive(device)
    }

    private mutating func lift(_ device: String) {
        guard lying.removeValue(forKey: device) != nil else { return }
        steps.append("lift from \(device)")
        guard let token = tokens.removeValue(forKey: device) else { return }
        for (uid, end) in seen[device] ?? [:] where end == .max { seen[device]?[uid] = nil }
        if let presence = presences.depart(process: process, token: token) { depart(presence) }
    }

    private mutating func arrive(_ device: String) {
        guard let uid = lying[device] else { return }
        forget(device)
        if seen[device]?[uid] == nil { expected[device, default: []].append(uid) }
        seen[device, default: [:]][uid] = .max
        busy.remove(device)
        let token = name("t")
        tokens[device] = token
        let arrival = presences.arrive(
            device: device, process: process, token: token, uid: uid, digest: "d")
        guard arrival == .new else { return }
        let scan = name("s")
        presences.begin(
            device: device, process: process, token: token, scan: scan, uid: uid, digest: "d",
            arrivedAt: now)
        store[scan] = Row(device: device, uid: uid, arrivedAt: now)
        told[device, default: []].append(uid)
    }

    private mutating func depart(_ presence: Presences.Presence) {
        let scan = presence.scan ?? ""
        if store.removeValue(forKey: scan) == nil { wrongDepartures.append(scan) }
    }

    private mutating func name(_ kind: String) -> String {
        lastName += 1
        return "\(kind)\(lastName)"
    }

    // MARK: Gaps

    private mutating func gap(
        _ kind: String, _ devices: [String], upTo limit: UInt64 = 4,
        _ end: (inout PresenceSimulation) -> Void
    ) {
        let isLong = random.happens(0.2)
        steps.append("\(isLong ? "long" : "short") gap: \(kind) \(devices)")
        for device in devices {
            tokens[device] = nil
            forget(device)
            busy.remove(device)
        }
        end(&self)
        for device in devices where random.happens(0.4) {
            lying[device] = random.happens(0.5) ? nil : Self.tags.randomElement(using: &random)
        }
        // Others may die before they could look.
        for _ in 0..<Int.random(in: 0..<3, using: &random) where !isLong && limit == 4 {
            pass(upTo: 4 * Self.second)
            for device in devices { presences.deviceReady(device, now: now) }
            pass(upTo: 4 * Self.second)
            end(&self)
        }
        if isLong {
            pass(40 * Self.second)
            for device in devices { seen[device] = nil }
        } else {
            pass(upTo: limit * Self.second)
        }
        if kind != "service" { process += 1 }
        look(at: devices)
    }

    private mutating func look(at devices: [String]) {
        let isSlow = random.happens(0.2)
        for device in devices {
            presences.deviceReady(device, now: now)
            seen[device] = seen[device]?.mapValues { _ in now + Presences.keptFor }
            if lying[device] != nil, isSlow {
                presences.deviceOccupied(device, process: process)
                busy.insert(device)
            }
        }
        pass(upTo: (isSlow ? 20 : 4) * Self.second)
        for device in devices where lying[device] != nil { arrive(device) }
    }

    private mutating func forget(_ device: String) {
        guard !busy.contains(device) else { return }
        seen[device] = seen[device]?.filter { $0.value > now }
    }

    private mutating func restartStation() {
        presences = Presences()
        for (scan, row) in store {
            presences.restore(
                device: row.device, scan: scan, uid: row.uid, digest: "d",
                arrivedAt: row.arrivedAt, lastSeen: row.arrivedAt, now: now)
        }
    }

    // MARK: Time

    private mutating func pass(upTo limit: UInt64) {
        pass(UInt64.random(in: 0..<limit, using: &random))
    }

    private mutating func pass(_ duration: UInt64) {
        let end = now + duration
        while let next = presences.nextGivenUp, next <= end {
            now = max(now, next)
            for presence in presences.giveUp(now: now) { depart(presence) }
        }
        now = end
    }
}

extension Presences {
    /// A process that looked at both devices ends.
    fileprivate mutating func processEnded(_ process: Int, at now: UInt64) {
        processEnded(process, devices: ["usb-1", "usb-2"], lastSeen: now, now: now)
    }
}
