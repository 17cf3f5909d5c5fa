internal import LineProtocols
internal import Platform
internal import Scanning
internal import Storage

/// Dates events and gives them to the journal.
@LoopActor
final class EventRecorder {
    private let journal: Journal
    private var clockWasSynchronised = false

    init(journal: Journal) {
        self.journal = journal
    }

    /// Whether the clock can be believed: it was synchronised at some time in this boot.
    ///
    /// The kernel withdraws its word hours after the last correction although the clock is still
    /// good, so what was seen once stays.
    var clockIsTrusted: Bool {
        if !clockWasSynchronised { clockWasSynchronised = Clocks.isSynchronised() }
        return clockWasSynchronised
    }

    /// This instant, by the system's clock and the boot's.
    func moment() -> Moment {
        Moment(
            at: Timestamp(milliseconds: Clocks.realMilliseconds()), bootID: Clocks.bootID,
            bootNanoseconds: Clocks.bootNanoseconds())
    }

    /// An instant of this boot, by both clocks.
    ///
    /// A time in the future, or longer ago than an hour, is no detection but a reader's mistake,
    /// and now is taken instead.
    func moment(atBoot bootNanoseconds: UInt64) -> Moment {
        let now = moment()
        let limit: UInt64 = 3_600_000_000_000
        guard bootNanoseconds <= now.bootNanoseconds,
            now.bootNanoseconds - bootNanoseconds < limit
        else { return now }
        let ago = Int64((now.bootNanoseconds - bootNanoseconds + 500_000) / 1_000_000)
        return Moment(
            at: now.at.advanced(byMilliseconds: -ago), bootID: now.bootID,
            bootNanoseconds: bootNanoseconds)
    }

    /// An event as the log takes it.
    func draft(_ event: Event, at time: Timestamp) -> EventDraft {
        Self.draft(TimedEvent(at: time, clockTrusted: clockIsTrusted, event: event))
    }

    /// An event as the log takes it, from any thread.
    nonisolated static func draft(_ event: TimedEvent) -> EventDraft {
        let body: [UInt8]
        do {
            body = try JSONLine.encode(event)
        } catch {
            // Only a number without a JSON form can fail, and locations are checked when read.
            preconditionFailure("an event that can't be written: \(error)")
        }
        return EventDraft(
            type: event.event.type, readerID: event.event.reader?.id,
            readerName: event.event.reader?.name, scan: event.event.scan, at: event.at, body: body)
    }

    /// Publishes something that happens now; the completion is called in the same step.
    func record(_ event: Event, completion: (@LoopActor () -> Void)? = nil) {
        let change = Change(events: [draft(event, at: moment().at)])
        guard let completion else { return journal.record(change) }
        journal.record(change) { _ in completion() }
    }
}
