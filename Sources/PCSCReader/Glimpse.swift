/// What the watch over all readers saw of one slot.
///
/// Times are CLOCK_BOOTTIME in nanoseconds.
package enum Glimpse: Sendable, Hashable {
    /// A tag is there that was not before, with its answer to reset (empty where it is mute).
    case came(at: UInt64, atr: [UInt8])
    /// The tag is not there any more.
    case left(at: UInt64)
    /// The tag is still there, but has stopped to answer at all.
    case turnedMute(at: UInt64)
    /// The driver reports errors in place of the slot's state, or no longer does.
    case driverFailed(Bool)

    /// What happened between two looks at a slot.
    ///
    /// A wait returns within milliseconds of the first change, so what happened twice during one
    /// wait happened quickly: the tag was away for no time worth the name, unless the process
    /// stood still meanwhile.
    ///
    /// - Parameters:
    ///   - before: The look before.
    ///   - after: The look now.
    ///   - time: When the wait returned.
    ///   - lastSeen: When a tag that went was last seen: `time`, or the look before where the
    ///     process stood still since then.
    /// - Returns: What to tell the reader's session, in order.
    package static func between(
        _ before: ReaderStatus, _ after: ReaderStatus, at time: UInt64, lastSeen: UInt64
    ) -> [Glimpse] {
        guard let new = after.slot else { return [] }
        let came = Glimpse.came(at: time, atr: after.atr)
        let moved = counts(before.slot, new)
        switch (before.slot?.isVisible ?? false, new.isVisible) {
        case (false, true):
            return [came]
        case (true, false):
            return [.left(at: lastSeen)]
        case (true, true):
            if moved != 0 { return [.left(at: lastSeen), came] }
            return after.holdsMuteTag && !before.holdsMuteTag ? [.turnedMute(at: time)] : []
        case (false, false):
            // It came and went. A counter that went backwards is another reader's, plugged in
            // under the name of the one before.
            return (2...0x7FFF).contains(moved)
                ? [.came(at: time, atr: []), .left(at: time)] : []
        }
    }
}

/// How far the counter has moved; a slot that can't be seen has none.
private func counts(_ old: ReaderStatus.Slot?, _ new: ReaderStatus.Slot) -> UInt16 {
    guard let old, !old.isUnavailable, !new.isUnavailable else { return 0 }
    return new.counter &- old.counter
}

extension ReaderStatus.Slot {
    fileprivate var isVisible: Bool { isPresent && !isUnavailable }
}
