/// What the watch over all readers saw of one slot.
///
/// Times are CLOCK_BOOTTIME in nanoseconds.
package enum Glimpse: Sendable, Hashable {
    /// A tag is there that was not before, with its answer to reset (empty where it is mute).
    case came(at: UInt64, atr: [UInt8])
    /// The tag is not there any more.
    case left(at: UInt64)
    /// The driver reports errors in place of the slot's state, or no longer does.
    case driverFailed(Bool)

    /// What happened between two looks at a slot.
    ///
    /// A wait returns within milliseconds of the first change, so what happened twice during one
    /// wait happened quickly: the tag was away for no time worth the name, unless the process
    /// stood still meanwhile.
    ///
    /// - Parameters:
    ///   - old: The look before; nil at the first.
    ///   - new: The look now.
    ///   - atr: The answer to reset now.
    ///   - time: When the wait returned.
    ///   - lastSeen: When a tag that lies there again was last seen before it went: `time`, or the
    ///     start of the wait where the process stood still during it.
    /// - Returns: What to tell the reader's session, in order.
    package static func between(
        _ old: ReaderStatus.Slot?, _ new: ReaderStatus.Slot, atr: [UInt8], at time: UInt64,
        lastSeen: UInt64
    ) -> [Glimpse] {
        let wasThere = old?.isVisible ?? false
        let moved = new.counter &- (old?.counter ?? new.counter)
        switch (wasThere, new.isVisible) {
        case (false, true):
            return [.came(at: time, atr: atr)]
        case (true, false):
            return [.left(at: time)]
        case (true, true):
            return moved == 0 ? [] : [.left(at: lastSeen), .came(at: time, atr: atr)]
        case (false, false):
            // It came and went. A counter that went backwards is another reader's, plugged in
            // under the name of the one before.
            let flashed = (2...0x7FFF).contains(moved) && !new.isUnavailable
            return flashed ? [.came(at: time, atr: []), .left(at: time)] : []
        }
    }
}

extension ReaderStatus.Slot {
    fileprivate var isVisible: Bool { isPresent && !isUnavailable }
}
