internal import LineProtocols
internal import Platform
internal import ReaderKit

/// The readers that are there, each with its session; touched by the watch alone.
struct Roster {
    /// A reader in the list.
    private struct Entry {
        let session: ReaderSession
        var status: ReaderStatus
        /// Since when the driver has reported errors (CLOCK_MONOTONIC, nanoseconds).
        var failingSince: UInt64?
        var isFailureTold = false
        /// Since when the list has not had it (CLOCK_MONOTONIC, nanoseconds).
        var missingSince: UInt64?
        /// The list has it again: what bears its name now was plugged in since.
        var isReplaced = false

        mutating func looked(isListed: Bool, at now: UInt64) {
            isReplaced = isListed && missingSince != nil
            missingSince = missingSince ?? (isListed ? nil : now)
        }

        func isGone(at now: UInt64) -> Bool {
            isReplaced
                || missingSince.map { now - min(now, $0) >= Roster.missingPatience } ?? false
        }
    }

    private var entries: [Entry] = []
    /// Sessions of readers that have gone, until their threads end.
    private var ending: [ReaderSession] = []
    private let start: (ReaderName, _ number: Int) -> ReaderSession

    /// - Parameter start: Makes a session and starts its thread.
    init(start: @escaping (ReaderName, _ number: Int) -> ReaderSession) {
        self.start = start
    }

    // MARK: The list

    /// How long a reader may be missing from the list before it counts as unplugged.
    ///
    /// A pcscd that ends drops its readers first, and their tags have not gone for that.
    static let missingPatience: UInt64 = 400_000_000

    /// Takes the list of readers: new ones get a session, those that are gone lose theirs.
    ///
    /// - Parameters:
    ///   - names: The list.
    ///   - now: CLOCK_MONOTONIC in nanoseconds.
    /// - Returns: Whether anything changed.
    mutating func update(_ names: [String], at now: UInt64) -> Bool {
        let before = entries.count
        for index in entries.indices {
            let isListed = names.contains(entries[index].session.name.full)
            entries[index].looked(isListed: isListed, at: now)
        }
        let gone = entries.filter { $0.isGone(at: now) }
        for entry in gone { entry.session.end(PCSCReason.unplugged) }
        ending += gone.map(\.session)
        ending.removeAll(where: \.isFinished)
        entries.removeAll { entry in
            // A thread that was given up and came back, or lost its context, is replaced.
            entry.isGone(at: now)
                || (entry.session.isFinished && entry.session.phase != .ignored)
        }
        let kept = entries.count
        for name in names where isFree(name) { add(ReaderName(name)) }
        return kept != before || entries.count != kept
    }

    /// Whether a reader has just vanished from the list.
    var isOneMissing: Bool { entries.contains { $0.missingSince != nil } }

    /// Whether a reader has no session, nor one that is about to say its last words.
    private func isFree(_ name: String) -> Bool {
        !entries.contains { $0.session.name.full == name }
            && !ending.contains { $0.name.full == name && !$0.isHanging }
    }

    private mutating func add(_ name: ReaderName) {
        let alike = entries.map(\.session).filter { $0.name.isLike(name) }.map(\.number)
        let number = (1...).first { !alike.contains($0) } ?? 1
        let session = start(name, number)
        entries.append(Entry(session: session, status: ReaderStatus(name: name.full)))
    }

    /// pcscd is gone, and nobody sees the readers any longer.
    mutating func interruptAll(_ reason: String) {
        for entry in entries { entry.session.interrupt(reason) }
        ending += entries.map(\.session)
        entries = []
    }

    /// Whether a reader is still to get its session, or a session its end.
    var isUnsettled: Bool {
        !ending.allSatisfy { $0.isHanging || $0.isFinished }
            || entries.contains { $0.session.phase == .starting }
    }

    /// Why no reader is served; nil inside where one is, nil outside where that is not known yet.
    var trouble: String?? {
        // A reader's own last words go before the service's.
        guard !isUnsettled else { return nil }
        let phases = entries.map(\.session.phase)
        if phases.contains(.served) { return .some(nil) }
        return phases.isEmpty ? PCSCReason.noReader : PCSCReason.noMatch
    }

    // MARK: The slots

    /// The slots to look at now.
    ///
    /// A mute tag's reader is left out while its session looks after the tag: see
    /// `ReaderStatus.holdsMuteTag`.
    func watched() -> (statuses: [ReaderStatus], isOneSetAside: Bool) {
        let served = entries.filter { $0.session.phase != .ignored && $0.missingSince == nil }
        let watched = served.filter {
            !$0.status.holdsMuteTag || !$0.session.looksAfterMuteTag
        }
        return (watched.map(\.status), watched.count != served.count)
    }

    /// Hands what was seen to the sessions; see `Glimpse.between` for the times.
    mutating func saw(_ statuses: [ReaderStatus], at time: UInt64, lastSeen: UInt64) {
        for status in statuses {
            guard let index = entries.firstIndex(where: { $0.status.name == status.name })
            else { continue }
            let before = entries[index].status
            entries[index].session.post(
                Glimpse.between(before, status, at: time, lastSeen: lastSeen),
                isFirstLook: before.slot == nil)
            entries[index].status = status
        }
    }

    /// Whether a slot can't be seen: its reader may have gone.
    var isOneUnavailable: Bool {
        entries.contains { $0.status.slot?.isUnavailable == true }
    }

    /// How long a driver's errors go on before they are told, in nanoseconds.
    ///
    /// A reader that is pulled out has some, too.
    private static let driverPatience: UInt64 = 1_000_000_000

    /// Tells the sessions of drivers that fail, or work again.
    mutating func checkDrivers(at now: UInt64) {
        for index in entries.indices {
            let isFailing = entries[index].status.slot?.isUnavailable == true
            let since = isFailing ? entries[index].failingSince ?? now : nil
            entries[index].failingSince = since
            let isTold = since.map { now - $0 >= Self.driverPatience } ?? false
            if isTold != entries[index].isFailureTold {
                entries[index].isFailureTold = isTold
                entries[index].session.post([.driverFailed(isTold)])
            }
        }
    }

    // MARK: Threads that hang

    private var sessions: [ReaderSession] { entries.map(\.session) + ending }

    /// When the first of the calls that go on now has taken too long (CLOCK_MONOTONIC).
    func firstOverdue(after patience: UInt64) -> UInt64? {
        sessions.compactMap(\.busySince).min().map { $0 + patience }
    }

    /// Gives up the threads that have been in one call for longer than that.
    ///
    /// - Returns: How many of all threads hang.
    func giveUp(after patience: UInt64, at now: UInt64, _ reason: String) -> Int {
        for session in sessions {
            guard let since = session.busySince, now - min(now, since) >= patience else { continue }
            session.giveUp(reason)
        }
        return sessions.filter(\.isHanging).count
    }
}

extension ReaderName {
    /// Whether nothing but pcscd's numbers tells two readers apart.
    func isLike(_ other: ReaderName) -> Bool {
        base == other.base && serial == other.serial && slot == other.slot
    }
}
