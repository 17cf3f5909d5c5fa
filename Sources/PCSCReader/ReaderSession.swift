internal import LineProtocols
internal import Platform
internal import ReaderKit
internal import Scanning

/// One reader: what the watch over all readers and the reader's own thread share.
///
/// The watch puts in what it sees; the thread takes it out, reads tags, and tells. Where the thread
/// hangs in a call, the watch gives it up and tells in its place.
final class ReaderSession: Sendable {
    let name: ReaderName
    /// Which of the readers of this name it is, from 1.
    let number: Int
    private let output: ReaderOutput
    private let monitor: Monitor<State>

    /// What the thread is to do next.
    enum Task {
        case tell([ReaderMessage])
        case attempt(Attempt)
        case finish([ReaderMessage])
    }

    private struct State: Sendable {
        var tags: TagSession
        var identity: Identity?
        var mail: [Glimpse] = []
        /// Why the reader can't be used any longer.
        var end: End?
        /// Since when the thread is in a call into libpcsclite, on the monotonic clock.
        var busySince: UInt64?
        var isGivenUp = false
        var isIgnored = false
        var isFinished = false
        /// When the first look at the reader found a tag on it.
        var foundAt: UInt64?
    }

    private struct End: Sendable {
        let reason: String
        /// Whether the reader may still be there, and the tag on it.
        let isInterruption: Bool
    }

    private struct Identity: Sendable {
        let id: String
        var reporter: PresenceReporter

        init(_ id: String) {
            self.id = id
            reporter = PresenceReporter(device: id)
        }
    }

    init(name: ReaderName, number: Int, grace: UInt64, output: ReaderOutput) {
        self.name = name
        self.number = number
        self.output = output
        monitor = Monitor(State(tags: TagSession(grace: grace)))
    }

    // MARK: For the watch

    /// How many glimpses wait while the thread is busy.
    ///
    /// Beyond it the oldest coming and going is forgotten: it is long past, and which tag lies there
    /// now still shows.
    private static let mailLimit = 64

    /// Puts in what was seen, and whether that was the first look at the reader.
    func post(_ glimpses: [Glimpse], isFirstLook: Bool = false) {
        guard !glimpses.isEmpty else { return }
        let messages = monitor.update { state -> [ReaderMessage] in
            if state.isGivenUp { return seenWhileHanging(glimpses, &state) }
            if isFirstLook, case .came(let time, _)? = glimpses.first { state.foundAt = time }
            state.mail += glimpses
            while state.mail.count > Self.mailLimit { state.mail.removeFirst(2) }
            return []
        }
        send(messages)
    }

    /// The tag that made the thread hang may be taken away without an end to that.
    private func seenWhileHanging(
        _ glimpses: [Glimpse], _ state: inout State
    ) -> [ReaderMessage] {
        for case .left(let time) in glimpses { return told(state.tags.ended(at: time), &state) }
        return []
    }

    /// Ends the session: the reader was unplugged.
    func end(_ reason: String) {
        end(End(reason: reason, isInterruption: false))
    }

    /// Ends the session because pcscd is gone: the reader may be there still, and its tag.
    func interrupt(_ reason: String) {
        end(End(reason: reason, isInterruption: true))
    }

    private func end(_ end: End) {
        let messages = monitor.update { state -> [ReaderMessage] in
            guard state.end == nil else { return [] }
            state.end = end
            // A thread that hangs tells nothing.
            return state.isGivenUp ? lastWords(end, &state) : []
        }
        send(messages)
    }

    /// Whether the thread has ended, so that another may serve the same reader.
    var isFinished: Bool { monitor.look { $0.isFinished } }

    /// How far the thread has come.
    enum Phase {
        /// It has not found out yet which device it is.
        case starting
        case served
        /// Not a reader that is to be served.
        case ignored
    }

    var phase: Phase {
        monitor.look { state in
            state.isIgnored ? .ignored : state.identity == nil ? .starting : .served
        }
    }

    /// Whether the watch may leave the reader alone for the mute tag on it.
    var looksAfterMuteTag: Bool {
        monitor.look { state in
            !state.isFinished && (!state.mail.isEmpty || state.tags.looksAfterMuteTag)
        }
    }

    /// Since when the thread is in one and the same call (CLOCK_MONOTONIC, nanoseconds).
    var busySince: UInt64? { monitor.look { $0.isGivenUp ? nil : $0.busySince } }

    /// Gives the thread up, which hangs in a call, and tells what it can't tell any more.
    func giveUp(_ reason: String) {
        let messages = monitor.update { state in
            state.isGivenUp = true
            let fallback = Identity(name.deviceID(serial: name.serial, number: number))
            state.identity = state.identity ?? fallback
            return told(state.tags.abandoned(reason), &state) + [device(.degraded, reason, state)]
        }
        send(messages)
    }

    /// Whether the thread was given up, and has not come back.
    var isHanging: Bool { monitor.look { $0.isGivenUp && !$0.isFinished } }

    // MARK: For the thread

    /// Introduces the device.
    func introduce(id: String) {
        let messages = monitor.update { state in
            guard !state.isGivenUp else { return [ReaderMessage]() }
            state.identity = Identity(id)
            return [device(.ready, nil, state)]
        }
        send(messages)
    }

    /// The reader is not to be served.
    func ignore() {
        monitor.update { $0.isIgnored = true }
    }

    /// The next thing to do; blocks until there is one.
    func nextTask() -> Task {
        monitor.wait { state in
            let now = Clocks.bootNanoseconds()
            if state.isGivenUp {
                // The call has come back after all: whoever looks next sees what is there now.
                let effects = state.end == nil ? state.tags.ended(at: now) : []
                return .ready(.finish(told(effects, &state)))
            }
            if !state.mail.isEmpty {
                let glimpse = state.mail.removeFirst()
                let notice = occupied(glimpse, state)
                return .ready(.tell(notice + told(state.tags.saw(glimpse), &state)))
            }
            if let end = state.end { return .ready(.finish(lastWords(end, &state))) }
            let overdue = state.tags.passed(now)
            if !overdue.isEmpty { return .ready(.tell(told(overdue, &state))) }
            switch state.tags.next(at: now) {
            case .attempt(let attempt): return .ready(.attempt(attempt))
            case .wait(let until): return .wait(until: until)
            }
        }
    }

    /// The thread enters a call that may hang, or has come out of it.
    func setBusy(_ isBusy: Bool) {
        monitor.update { $0.busySince = isBusy ? Clocks.monotonicNanoseconds() : nil }
    }

    /// Tells how an attempt ended.
    func attempted(_ outcome: Attempt.Outcome) {
        let messages = monitor.update { state in
            guard !state.isGivenUp else { return [ReaderMessage]() }
            let effects = state.tags.attempted(outcome, at: Clocks.bootNanoseconds())
            return told(effects, &state)
        }
        send(messages)
    }

    /// The thread's last act.
    func finish() {
        monitor.update { $0.isFinished = true }
    }

    func send(_ messages: [ReaderMessage]) {
        for message in messages { output.send(message) }
    }

    // MARK: Messages

    private func lastWords(_ end: End, _ state: inout State) -> [ReaderMessage] {
        let now = Clocks.bootNanoseconds()
        let effects =
            end.isInterruption ? state.tags.interrupted(at: now) : state.tags.ended(at: now)
        return told(effects, &state) + [
            device(.disconnected, end.reason, state) {
                $0.interrupted = end.isInterruption ? true : nil
            }
        ]
    }

    /// The news that the first look has found a tag, which may take its time to be read.
    private func occupied(_ glimpse: Glimpse, _ state: State) -> [ReaderMessage] {
        guard case .came(let time, _) = glimpse, time == state.foundAt else { return [] }
        return [device(.ready, nil, state) { $0.occupied = true }]
    }

    private func told(
        _ effects: [TagSession.Effect], _ state: inout State
    ) -> [ReaderMessage] {
        effects.flatMap { effect -> [ReaderMessage] in
            switch effect {
            case .tell(let action):
                (state.identity?.reporter.messages(for: [action]) ?? []).map {
                    $0.markingPresent(foundAt: state.foundAt)
                }
            case .device(let condition, let reason): [device(condition, reason, state)]
            }
        }
    }

    private func device(
        _ condition: DeviceState, _ reason: String?, _ state: State,
        _ more: (inout ReaderMessage.Device) -> Void = { _ in }
    ) -> ReaderMessage {
        var message = ReaderMessage.Device(
            id: state.identity?.id ?? "", name: name.full, state: condition, reason: reason)
        more(&message)
        return .device(message)
    }
}

extension ReaderMessage {
    /// Says of a tag that it was there already, if the first look at its reader found it.
    fileprivate func markingPresent(foundAt time: UInt64?) -> ReaderMessage {
        guard case .arrive(var arrival) = self, arrival.bootNanoseconds == time else { return self }
        arrival.present = true
        return .arrive(arrival)
    }
}
