internal import LineProtocols
internal import Platform
internal import Scanning

/// `watch`: prints events as they come, over restarts of the daemon.
struct WatchCommand {
    private let options: WatchOptions
    private let path: String
    private let waiter: Waiter
    private let notices: Notices
    private var printer: EventPrinter
    /// The last event that was printed, or that needs no printing, and its log.
    private var cursor: Cursor?
    private var remaining: Int?

    private struct Cursor {
        var log: String
        var seq: Int64
    }

    /// A watch that has not begun.
    init(
        _ options: WatchOptions, path: String, waiter: Waiter, notices: Notices,
        printer: EventPrinter
    ) {
        self.options = options
        self.path = path
        self.waiter = waiter
        self.notices = notices
        self.printer = printer
        remaining = options.count
    }

    /// Watches until the wished number of events was printed.
    ///
    /// - Throws: `UsageError` where the station has none of the wished types;
    ///   `ConnectionError` where there is no station at first, or never one again;
    ///   `RequestError`; `Waiter.Interruption`; `SystemError` of the output.
    mutating func run() throws {
        var connection = try StationConnection(to: path, waiter: waiter)
        try subscribe(&connection)
        var backOff = BackOff(first: .milliseconds(200), cap: .seconds(2))
        while true {
            let start = Clocks.monotonicNanoseconds()
            do {
                return try follow(&connection)
            } catch let error as ConnectionError where error.isLoss {
                try printer.flush()
                say(error.isBye ? error.description : "plingsd is gone; waiting for it")
            }
            // A daemon that takes us and drops us at once must not be asked in a spin.
            if Deadline.hasPassed(backOff.cap, since: start) { backOff.succeeded() }
            connection = try reconnect(&backOff)
            say("connected again")
        }
    }

    /// Speaks to people; programs that read JSON get no remarks about the connection.
    private func say(_ sentence: String) {
        if !options.json { notices.say(sentence) }
    }

    // MARK: Subscribing

    /// Asks for everything after the cursor, or for what the person wished where there is none yet.
    private mutating func subscribe(_ connection: inout StationConnection) throws {
        var wish = options.subscription
        if let cursor {
            wish.since = .after(cursor.seq)
            wish.log = cursor.log
        }
        let reply = try connection.call("subscribe", wish)
        guard let result = try? JSONLine.decode(SubscribeResult.self, from: reply) else {
            throw ConnectionError.garbled(
                path: path, reason: "the reply to subscribe is incomplete")
        }
        if let gap = result.gap {
            notices.say(GapNotice.sentence(gap, askedLog: wish.log, log: result.log))
        }
        // Said once: after a restart the words are the same.
        if let ignored = result.ignored, !ignored.isEmpty, cursor == nil {
            let sentence = GapNotice.sentence(ignored: ignored)
            // Nothing would ever come, and a person would take that for a quiet station.
            if let types = wish.types, types.allSatisfy(ignored.contains) {
                throw UsageError(sentence, topic: "watch")
            }
            notices.say(sentence)
        }
        cursor = Cursor(log: result.log, seq: result.from)
    }

    // MARK: Events

    private mutating func follow(_ connection: inout StationConnection) throws {
        while true {
            while let notification = try connection.received() {
                switch notification {
                case .bye(let reason): throw ConnectionError.bye(reason: reason)
                case .event(let event):
                    try printer.print(event)
                    if let seq = event.seq { cursor?.seq = seq }
                    if isLast() { return try printer.flush() }
                }
            }
            try printer.flush()
            try connection.receive()
        }
    }

    /// Counts an event; true for the last one wished for.
    private mutating func isLast() -> Bool {
        guard let remaining else { return false }
        self.remaining = remaining - 1
        return remaining == 1
    }

    // MARK: Connecting again

    /// How often in a row a daemon that starts may refuse us before that counts.
    private static let refusals = 5

    private mutating func reconnect(_ backOff: inout BackOff) throws -> StationConnection {
        var denials = 0
        while true {
            // Nearly the whole bound: the clients of one machine are few.
            let pause = backOff.failed(fraction: Double.random(in: 0.8...1))
            _ = try waiter.wait(until: Deadline.after(pause))
            do {
                var connection = try StationConnection(to: path, waiter: waiter)
                try subscribe(&connection)
                return connection
            } catch let error as ConnectionError where error.mayPass {
                if case .denied = error { denials += 1 } else { denials = 0 }
                guard denials < Self.refusals else { throw error }
            }
        }
    }
}
