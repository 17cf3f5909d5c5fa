internal import Storage

/// What waits in memory while nothing can be stored, in the order in which it happened.
///
/// Scans with a delivery have room of their own, so that departures and states of the API never
/// push one out. Whatever is full gives up its oldest.
struct DeferredChanges {
    /// The most deliveries, and the most other changes, that wait.
    static let limit = 10_000

    private struct Item {
        let number: UInt64
        let change: Change
    }

    private var deliveries = Ring<Item>()
    private var others = Ring<Item>()
    private var last: UInt64 = 0

    var count: Int { deliveries.count + others.count }
    var isEmpty: Bool { count == 0 }
    /// How many of them are scans to be delivered.
    var deliveryCount: Int { deliveries.count }

    /// Takes a change behind all others.
    ///
    /// - Returns: Whether another had to be given up for it.
    mutating func append(_ change: Change) -> Bool {
        last += 1
        let item = Item(number: last, change: change)
        if change.delivery == nil {
            others.append(item)
            return others.keep(Self.limit)
        }
        deliveries.append(item)
        return deliveries.keep(Self.limit)
    }

    /// The oldest changes, at most so many.
    func first(_ count: Int) -> [Change] {
        var rest = self
        var found: [Change] = []
        while found.count < count, let change = rest.popFirst() { found.append(change) }
        return found
    }

    /// Takes out the oldest changes.
    mutating func removeFirst(_ count: Int) {
        for _ in 0..<count { _ = popFirst() }
    }

    private mutating func popFirst() -> Change? {
        guard let delivery = deliveries.first else { return others.popFirst()?.change }
        guard let other = others.first, other.number < delivery.number else {
            return deliveries.popFirst()?.change
        }
        return others.popFirst()?.change
    }
}

/// A queue whose first element goes without moving the rest.
private struct Ring<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var first: Element? { head < elements.count ? elements[head] : nil }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        elements[head] = nil
        head += 1
        if head >= 1024, 2 * head >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Drops the first element where there are more than so many.
    mutating func keep(_ limit: Int) -> Bool {
        count > limit && popFirst() != nil
    }
}
