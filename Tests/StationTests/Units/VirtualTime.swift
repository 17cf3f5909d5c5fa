/// Things that happen at times of their own, without waiting for any of them.
struct VirtualTime<Happening> {
    private struct Entry {
        let time: UInt64
        let happening: Happening
    }

    /// Nanoseconds.
    private(set) var now: UInt64 = 0
    /// The last one comes first.
    private var entries: [Entry] = []

    /// Has something happen, after whatever was to happen at the same time.
    mutating func at(_ time: UInt64, _ happening: Happening) {
        let entry = Entry(time: max(time, now), happening: happening)
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].time > entry.time { low = middle + 1 } else { high = middle }
        }
        entries.insert(entry, at: low)
    }

    mutating func after(_ delay: UInt64, _ happening: Happening) {
        at(now + delay, happening)
    }

    /// Goes on to what happens next; nil where nothing will.
    mutating func next() -> Happening? {
        guard let entry = entries.popLast() else { return nil }
        now = entry.time
        return entry.happening
    }
}
