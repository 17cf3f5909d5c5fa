@testable import Station

/// A subscriber, the log and the hub as values, put through random interleavings.
///
/// It does what a connection does: live events are queued where there is room, the rest is read
/// from the log in pages; between reading a page and queueing it anything may happen.
struct SubscriptionSimulation {
    private static let types = ["scan", "resolution", "departure", "api"]
    private static let refillBelow = Subscription.queueLimit / 2
    /// What events look like on the wire, shared by all of a size: only their length matters here.
    private static let lines = [100, 2_000, 20_000, 70_000].map { [UInt8](repeating: 0, count: $0) }

    /// An event that was handed to the client.
    struct Handed: Equatable {
        let seq: Int64?
        let number: Int
    }

    private var random: SeededRandom
    private let filter: EventFilter
    private(set) var log: [Hub.Line] = []
    /// What each event of the log is about: the number it got when it happened.
    private(set) var numbers: [Int64: Int] = [:]
    private var last: Int64 = 0
    private var happened = 0
    /// Events that were published without a seq and are not stored yet.
    private var deferred: [(type: String, number: Int)] = []
    private var isStoring = true
    private var subscription: Subscription
    private var queue: [(bytes: Int, handed: Handed)] = []
    private var queued = 0
    private var page: [Hub.Line]?
    private(set) var received: [Handed] = []
    /// The most bytes that ever waited.
    private(set) var mostQueued = 0

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let wanted = Self.types.filter { _ in random.happens(0.6) }
        filter = EventFilter(types: random.happens(0.3) ? nil : wanted, readers: nil)
        self.random = random
        subscription = Subscription(filter: filter, from: 0)
        for _ in 0..<Int.random(in: 0...300, using: &self.random) { store(publishing: false) }
        subscription = Subscription(
            filter: filter, from: Int64.random(in: 0...last, using: &self.random))
        start = subscription.cursor
    }

    /// The seq after which the subscription began.
    private(set) var start: Int64 = 0

    /// Events after the start that pass the filter, as the log has them.
    var wanted: [Handed] {
        log.filter { ($0.seq ?? 0) > start && passes($0.type) }
            .map { Handed(seq: $0.seq, number: numbers[$0.seq ?? 0] ?? -1) }
    }

    private func passes(_ type: String) -> Bool {
        filter.passes(type: type, readerID: nil, readerName: nil)
    }

    /// Does so many random things, then lets the client read everything.
    mutating func run(steps: Int, withOutages: Bool) {
        for _ in 0..<steps {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45: publish()
            case 45..<70: drain(Int.random(in: 1...300_000, using: &random))
            case 70..<80: beginReading()
            case 80..<98: endReading()
            default: if withOutages { changeStoring() }
            }
        }
        if !isStoring { changeStoring() }
        // One more event, so that whoever missed something is told to look into the log.
        store(publishing: true)
        while page != nil || !isUpToDate || !queue.isEmpty {
            drain(.max)
            endReading()
            beginReading()
        }
    }

    private var isUpToDate: Bool { subscription.isLive && subscription.cursor >= last }

    // MARK: The station

    private mutating func publish() {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            if isStoring { store(publishing: true) } else { publishUnstored() }
        }
    }

    private mutating func store(publishing: Bool) {
        happened += 1
        append(Self.types.randomElement(using: &random) ?? "scan", number: happened)
        guard publishing, let line = log.last else { return }
        if subscription.takes(line, queued: queued) { enqueue(line, number: happened) }
    }

    private mutating func append(_ type: String, number: Int) {
        last += 1
        log.append(line(last, type))
        numbers[last] = number
    }

    private mutating func line(_ seq: Int64?, _ type: String) -> Hub.Line {
        let bytes = Self.lines.randomElement(using: &random) ?? []
        return Hub.Line(seq: seq, type: type, readerID: nil, readerName: nil, bytes: bytes)
    }

    private mutating func publishUnstored() {
        happened += 1
        let type = Self.types.randomElement(using: &random) ?? "scan"
        deferred.append((type, happened))
        let line = line(nil, type)
        if subscription.takes(line, queued: queued) { enqueue(line, number: happened) }
    }

    private mutating func changeStoring() {
        isStoring.toggle()
        guard isStoring else { return }
        for event in deferred { append(event.type, number: event.number) }
        deferred = []
    }

    // MARK: The connection

    private mutating func enqueue(_ line: Hub.Line, number: Int) {
        queue.append((line.bytes.count, Handed(seq: line.seq, number: number)))
        queued += line.bytes.count
        mostQueued = max(mostQueued, queued)
    }

    private mutating func drain(_ bytes: Int) {
        var left = bytes
        while let first = queue.first, first.bytes <= left {
            left -= first.bytes
            queued -= first.bytes
            received.append(queue.removeFirst().handed)
        }
        beginReading()
    }

    private mutating func beginReading() {
        guard page == nil, queued < Self.refillBelow, !subscription.isLive else { return }
        guard !subscription.caughtUp(with: last) else { return }
        let count = Int.random(in: 1...8, using: &random)
        page = Array(log.dropFirst(Int(subscription.cursor)).prefix(count))
    }

    private mutating func endReading() {
        guard let lines = page else { return }
        page = nil
        for line in lines where subscription.replays(line) {
            enqueue(line, number: numbers[line.seq ?? 0] ?? -1)
        }
        beginReading()
    }
}
