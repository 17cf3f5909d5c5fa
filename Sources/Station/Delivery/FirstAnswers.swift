internal import Platform
internal import Scanning

/// The scans whose first answer is still to come, each with the time it has left.
///
/// Only scans that wait for the API are here, for at most the station's patience.
@LoopActor
final class FirstAnswers {
    private struct Waiting {
        let answer: FirstAnswer
        let timer: TimerID
    }

    /// How long a scan waits for the API; those that wait already keep the time they were given.
    var patience: Duration
    private let give: @LoopActor (FirstAnswer) -> Void
    private var waiting: [String: Waiting] = [:]

    /// Makes an empty list.
    ///
    /// - Parameters:
    ///   - patience: How long a scan waits for the API.
    ///   - give: Publishes the best answer there is without the API.
    init(patience: Duration, give: @escaping @LoopActor (FirstAnswer) -> Void) {
        self.patience = patience
        self.give = give
    }

    /// The API is to answer a scan first.
    func expect(_ answer: FirstAnswer) {
        let scan = answer.scan
        let timer = LoopActor.after(patience) { [weak self] in
            self?.settle(scan, .waiting)
        }
        waiting[scan] = Waiting(answer: answer, timer: timer)
    }

    /// The API has answered a scan.
    ///
    /// - Returns: Whether that is the first answer.
    func apiAnswered(_ scan: String) -> Bool {
        guard let entry = waiting.removeValue(forKey: scan) else { return false }
        LoopActor.loop.cancel(entry.timer)
        return true
    }

    /// The API can't be asked now: all that wait for it are answered without it.
    func apiUnavailable(_ reason: ResolutionEvent.OfflineReason) {
        for scan in waiting.keys { settle(scan, reason) }
    }

    /// Answers one scan without the API.
    func settle(_ scan: String, _ reason: ResolutionEvent.OfflineReason) {
        guard let entry = waiting.removeValue(forKey: scan) else { return }
        LoopActor.loop.cancel(entry.timer)
        let answer = entry.answer
        give(
            FirstAnswer(
                scan: answer.scan, reader: answer.reader, identifier: answer.identifier,
                mode: .offline(reason)))
    }
}
