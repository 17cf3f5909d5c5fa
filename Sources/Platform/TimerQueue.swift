/// Names a timer of an event loop.
package struct TimerID: Sendable, Hashable {
    fileprivate let deadline: UInt64
    fileprivate let number: UInt64
}

/// Pending timers in the order they fall due.
///
/// A daemon has tens of them, so the order is kept by insertion into a sorted array.
struct TimerQueue {
    private var entries: [(id: TimerID, handler: () -> Void)] = []
    private var last: UInt64 = 0

    /// When the first timer falls due, in nanoseconds of the caller's clock.
    var next: UInt64? { entries.first?.id.deadline }

    mutating func add(at deadline: UInt64, _ handler: @escaping () -> Void) -> TimerID {
        last += 1
        let id = TimerID(deadline: deadline, number: last)
        entries.insert((id, handler), at: position(after: deadline))
        return id
    }

    mutating func remove(_ id: TimerID) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries.remove(at: index)
    }

    /// Takes out the first timer that is due.
    ///
    /// One at a time: a handler may add timers, and cancel one that is due as well.
    mutating func takeDue(now: UInt64) -> (() -> Void)? {
        guard let first = entries.first, first.id.deadline <= now else { return nil }
        return entries.removeFirst().handler
    }

    private func position(after deadline: UInt64) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id.deadline <= deadline { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
