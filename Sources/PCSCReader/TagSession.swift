internal import LineProtocols
package import ReaderKit
package import Scanning

/// Decides for one reader when to read the tag on it and what to tell; times are CLOCK_BOOTTIME
/// in nanoseconds.
///
/// One arrival a presence: attempts are repeated before it, and after it the tag is left alone
/// until it has gone. What happens during an attempt waits and is told with its own time.
package struct TagSession: Sendable {
    /// What is to be done.
    package enum Effect: Sendable, Hashable {
        case tell(PresenceTracker.Action)
        /// The device's state has changed.
        case device(DeviceState, reason: String?)
    }

    private struct TagOnReader {
        let atr: [UInt8]
        /// It has no answer to reset, or none any more.
        var isMute: Bool
        var policy = RetryPolicy()
        /// What is known of a tag that could not be read so far.
        var report: TagReport?
        var step: Step

        var isSettled: Bool {
            if case .settled = step { true } else { false }
        }
    }

    private enum Step {
        case attempt(at: UInt64, inSmallestPieces: Bool)
        /// A mute tag that was announced: the watch has set its reader aside, so it is looked at
        /// from here now and then.
        case look(at: UInt64)
        case settled
    }

    private enum Trouble: Hashable {
        case held, access, driver
    }

    private var tracker: PresenceTracker
    private var tag: TagOnReader?
    private var trouble: Trouble?

    /// - Parameter grace: How long a tag may be away without having gone.
    package init(grace: UInt64) {
        tracker = PresenceTracker(grace: grace)
    }

    /// What to do now.
    package enum Next: Sendable, Hashable {
        case attempt(Attempt)
        case wait(until: UInt64?)
    }

    package func next(at now: UInt64) -> Next {
        let due: UInt64
        var inSmallestPieces = false
        switch tag?.step {
        case .attempt(let time, let smallest): (due, inSmallestPieces) = (time, smallest)
        case .look(let time): due = time
        case .settled, nil: return .wait(until: tracker.deadline)
        }
        if due <= now {
            return .attempt(Attempt(atr: tag?.atr ?? [], inSmallestPieces: inSmallestPieces))
        }
        return .wait(until: min(due, tracker.deadline ?? due))
    }

    /// The watch has seen something.
    package mutating func saw(_ glimpse: Glimpse) -> [Effect] {
        switch glimpse {
        case .came(let time, let atr):
            tag = TagOnReader(
                atr: atr, isMute: atr.isEmpty,
                step: .attempt(at: time, inSmallestPieces: false))
            return tell(tracker.detected(at: time))
        case .left(let time):
            return left(at: time)
        case .turnedMute(let time):
            tag?.isMute = true
            if tag?.isSettled == true { tag?.step = .look(at: time &+ Self.lookPause) }
            return []
        case .driverFailed(true):
            return degraded(.driver, PCSCReason.driver)
        case .driverFailed(false):
            return trouble == .driver ? recovered() : []
        }
    }

    private mutating func left(at time: UInt64) -> [Effect] {
        defer { tag = nil }
        let effects = trouble == .held ? recovered() : []
        guard let tag, case .attempt = tag.step else {
            return tell(tracker.lost(at: time)) + effects
        }
        let report =
            tag.report?.unreadable("taken away while it was read")
            ?? .gone(PresenceTracker.neverRead)
        return tell(tracker.pulled(report, at: time)) + effects
    }

    /// An attempt has ended.
    package mutating func attempted(_ outcome: Attempt.Outcome, at now: UInt64) -> [Effect] {
        guard let tag else { return [] }
        switch outcome {
        case .read(let report):
            self.tag?.step = .settled
            self.tag?.isMute = false
            return tell(tracker.read(report, at: now)) + recovered()
        case .failed(let failure) where failure.trouble == .tagGone && tag.isMute:
            return left(at: now)
        case .failed(let failure):
            if case .look = tag.step {
                self.tag?.step = .look(at: now &+ Self.lookPause)
                return []
            }
            return failed(failure, at: now)
        }
    }

    private mutating func failed(_ failure: Attempt.Failure, at now: UInt64) -> [Effect] {
        guard var current = tag else { return [] }
        defer { tag = current }
        if failure.report.uid != nil || current.report?.uid == nil {
            current.report = failure.report
        }
        switch current.policy.failed(failure) {
        case .again(let pause, let inSmallestPieces):
            current.step = .attempt(at: now &+ pause, inSmallestPieces: inSmallestPieces)
            return current.policy.isHeldTooLong
                ? degraded(.held, "the tag is held by another program") : []
        case .giveUp:
            current.step = current.isMute ? .look(at: now &+ Self.lookPause) : .settled
            let effects = tell(tracker.read(current.report ?? failure.report, at: now))
            let isRefused = failure.trouble == .access || failure.trouble == .service
            return effects + (isRefused ? degraded(.access, failure.reason) : [])
        }
    }

    /// Between two looks at a mute tag.
    private static let lookPause: UInt64 = 500_000_000

    /// Time has passed.
    package mutating func passed(_ now: UInt64) -> [Effect] {
        tell(tracker.passed(now))
    }

    /// The reader is gone, or given up.
    package mutating func ended(at time: UInt64) -> [Effect] {
        tag = nil
        return tell(tracker.ended(at: time))
    }

    /// Nobody can look at the reader any longer, which may still be there with its tag.
    package mutating func interrupted(at time: UInt64) -> [Effect] {
        tag = nil
        return tell(tracker.interrupted(at: time))
    }

    /// The reader hangs with the tag on it.
    package mutating func abandoned(_ reason: String) -> [Effect] {
        tag = nil
        return tell(tracker.abandoned(reason))
    }

    /// Whether a mute tag is looked after here, so that the watch may leave the reader alone.
    package var looksAfterMuteTag: Bool {
        tag.map { $0.isMute && !$0.isSettled } ?? false
    }

    // MARK: The device's state

    private mutating func degraded(_ cause: Trouble, _ reason: String) -> [Effect] {
        guard trouble != cause else { return [] }
        trouble = cause
        return [.device(.degraded, reason: reason)]
    }

    private mutating func recovered() -> [Effect] {
        guard trouble != nil else { return [] }
        trouble = nil
        return [.device(.ready, reason: nil)]
    }

    private func tell(_ actions: [PresenceTracker.Action]) -> [Effect] {
        actions.map(Effect.tell)
    }
}
