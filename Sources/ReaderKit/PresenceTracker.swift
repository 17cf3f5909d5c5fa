/// Which tag is on one device, told from glimpses of it.
///
/// A tag that is lifted for less than the grace time has not gone. A tag is announced once it was
/// read, so that a presence has one arrival, however many attempts that took. One that went before
/// it could be read is announced as unreadable when it has not come back within the grace.
///
/// All times are CLOCK_BOOTTIME in nanoseconds. Calls come in the order of their times, and
/// whenever `deadline` has passed, `passed(_:)` is due.
package struct PresenceTracker: Sendable {
    /// What is to be told.
    package enum Action: Sendable, Hashable {
        case arrive(TagReport, detected: UInt64)
        /// The tag announced last has gone; it was last seen then.
        case depart(lastSeen: UInt64)
    }

    private struct Presence {
        let detected: UInt64
        /// What was announced, or what is known of a tag that has not been announced yet.
        var report: TagReport?
        var isAnnounced = false
        /// When the tag was last seen, while it is away.
        var away: UInt64?
        /// When something came back after the tag was away.
        var returned: UInt64?
    }

    private let grace: UInt64
    private var presence: Presence?

    /// - Parameter grace: How long a tag may be away without having gone, in nanoseconds.
    package init(grace: UInt64) {
        self.grace = grace
    }

    /// When `passed(_:)` is due next.
    package var deadline: UInt64? {
        guard let presence, presence.returned == nil else { return nil }
        return presence.away.map { $0 &+ grace }
    }

    /// A tag is there that was not a moment ago; it is about to be read.
    package mutating func detected(at time: UInt64) -> [Action] {
        let actions = passed(time)
        if presence == nil {
            presence = Presence(detected: time)
        } else if presence?.away != nil {
            presence?.returned = time
        }
        return actions
    }

    /// The tag that is there has been read, or can't be.
    package mutating func read(_ report: TagReport, at time: UInt64) -> [Action] {
        guard let before = presence else { return [] }
        if before.isAnnounced, let known = before.report, report.continues(known) {
            presence?.away = nil
            presence?.returned = nil
            return []
        }
        var actions: [Action] = []
        var detected = before.detected
        if before.isAnnounced || before.report.map(report.isOther(than:)) == true {
            actions = end(before, lastSeen: before.away ?? time)
            detected = before.returned ?? time
        }
        presence = Presence(detected: detected, report: report, isAnnounced: true)
        return actions + [.arrive(report, detected: detected)]
    }

    /// The tag went while it was being read.
    ///
    /// - Parameters:
    ///   - report: What is known of it, as unreadable.
    ///   - time: When it was last seen.
    /// - Returns: What is to be told.
    package mutating func pulled(_ report: TagReport, at time: UInt64) -> [Action] {
        guard let before = presence else { return [] }
        var actions: [Action] = []
        if before.report.map(report.isOther(than:)) == true {
            actions = end(before, lastSeen: before.away ?? time)
            presence = Presence(detected: before.returned ?? time, report: report)
        } else if !before.isAnnounced && (report.uid != nil || before.report?.uid == nil) {
            presence?.report = report
        }
        leave(at: time)
        return actions
    }

    /// The tag is no longer there.
    ///
    /// - Parameter time: When it was last seen.
    /// - Returns: What is to be told: nothing before the grace has passed.
    package mutating func lost(at time: UInt64) -> [Action] {
        guard let before = presence else { return [] }
        if before.away == nil || before.returned != nil { leave(at: time) }
        return []
    }

    /// Time has passed: a tag that stayed away longer than the grace has gone.
    package mutating func passed(_ now: UInt64) -> [Action] {
        guard let before = presence, before.returned == nil, let away = before.away,
            now >= away &+ grace
        else { return [] }
        presence = nil
        return end(before, lastSeen: away)
    }

    /// The device has gone, and the tag on it with it: at once, without grace.
    package mutating func ended(at time: UInt64) -> [Action] {
        guard let before = presence else { return [] }
        presence = nil
        return end(before, lastSeen: before.returned == nil ? before.away ?? time : time)
    }

    /// Nobody can look any longer, and the device may still be there with the tag on it.
    ///
    /// What was announced stays so without a word: the tag may show again.
    package mutating func interrupted(at time: UInt64) -> [Action] {
        guard let before = presence, !before.isAnnounced else {
            presence = nil
            return []
        }
        return ended(at: time)
    }

    /// Reading the tag was given up although it is still there.
    ///
    /// - Parameter reason: Why, for people.
    /// - Returns: Its arrival, unless it was told before.
    package mutating func abandoned(_ reason: String) -> [Action] {
        guard let before = presence, !before.isAnnounced else { return [] }
        let report = before.report?.unreadable(reason) ?? .gone(reason)
        presence = Presence(detected: before.detected, report: report, isAnnounced: true)
        return [.arrive(report, detected: before.detected)]
    }

    private mutating func leave(at time: UInt64) {
        presence?.away = time
        presence?.returned = nil
    }

    private func end(_ presence: Presence, lastSeen: UInt64) -> [Action] {
        let departure = Action.depart(lastSeen: lastSeen)
        if presence.isAnnounced { return [departure] }
        let report = presence.report ?? .gone(Self.neverRead)
        return [.arrive(report, detected: presence.detected), departure]
    }

    /// Why a tag is unreadable that went before an attempt to read it had ended.
    package static let neverRead = "taken away before it was read"
}
