internal import LineProtocols
internal import Platform
internal import Storage

/// Hands each published event to whoever has subscribed.
@LoopActor
final class Hub {
    /// One event, encoded once for all who get it.
    struct Line {
        /// Nil while nothing can be stored.
        let seq: Int64?
        let type: String
        let readerID: String?
        let readerName: String?
        let bytes: [UInt8]
    }

    /// Somebody who gets events.
    @LoopActor
    protocol Receiver: AnyObject {
        func receive(_ line: Line)
        /// Called after a group of events, when what was received is to be written.
        func flush()
        /// Called when another log has begun, in which no place of the old one means anything.
        func logReplaced()
    }

    private var receivers: [ObjectIdentifier: any Receiver] = [:]
    /// The last seq that was published, and the first that the log has.
    private(set) var last: Int64
    private(set) var first: Int64
    /// The id of the log; nil until the store has said one.
    private var log: String?

    init(first: Int64, last: Int64, log: String? = nil) {
        self.first = first
        self.last = last
        self.log = log
    }

    /// How many receive events.
    var count: Int { receivers.count }

    func add(_ receiver: any Receiver) {
        receivers[ObjectIdentifier(receiver)] = receiver
    }

    func remove(_ receiver: any Receiver) {
        receivers[ObjectIdentifier(receiver)] = nil
    }

    /// Gives a stored event to the receivers; `flush` follows after the group.
    func publish(_ event: StoredEvent) {
        account(event)
        send(Line(event))
    }

    /// Counts a stored event that was published before it could be stored.
    func account(_ event: StoredEvent) {
        last = event.seq
    }

    /// Gives out an event that could not be stored.
    func publishUnstored(_ event: EventDraft) {
        let bytes = StationLine.event(seq: nil, body: event.body)
        send(
            Line(
                seq: nil, type: event.type, readerID: event.readerID,
                readerName: event.readerName, bytes: bytes))
    }

    /// The log was pruned up to an event.
    func pruned(first: Int64) {
        self.first = first
    }

    /// The store was opened anew, which may have begun another log.
    func reopened(log: String, _ range: LogRange) {
        first = range.first
        last = range.last
        guard log != self.log else { return }
        self.log = log
        for receiver in receivers.values { receiver.logReplaced() }
    }

    /// Has the receivers write what they received.
    func flush() {
        for receiver in receivers.values { receiver.flush() }
    }

    private func send(_ line: Line) {
        for receiver in receivers.values { receiver.receive(line) }
    }
}

extension Hub.Line {
    /// The line of a stored event.
    init(_ event: StoredEvent) {
        self.init(
            seq: event.seq, type: event.type, readerID: event.readerID,
            readerName: event.readerName,
            bytes: StationLine.event(seq: event.seq, body: event.body))
    }
}
