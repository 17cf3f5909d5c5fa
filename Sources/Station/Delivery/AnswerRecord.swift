internal import LineProtocols
internal import PlingsAPI
internal import Scanning
internal import Storage

/// Makes the change that an API's answer to a delivered scan is.
struct AnswerRecord {
    let row: DeliveryRow
    let delivery: ScanDelivery
    /// Whether the answer is the first one that the scan gets.
    let isFirst: Bool
    let patience: Duration
    /// The longest that an answer may be kept.
    let cacheLimit: Duration
    let account: String?

    /// The API's resolution as it is published.
    func event(_ answer: ResolveAnswer, now: Moment) -> ResolutionEvent {
        var event = base(answer.resolution.outcome, now: now)
        event.take(answer.resolution)
        event.scanEvent = answer.scanEvent
        event.changed = changed(answer.resolution)
        return event
    }

    /// The resolution of a scan that the API refuses for good.
    func refusal(code: String, message: String, now: Moment) -> ResolutionEvent {
        var event = base(.error, now: now)
        event.error = AnswerError(code: code, message: message)
        event.changed = changed(Resolution(outcome: .error))
        return event
    }

    /// What becomes of the cached answer: what may not be served is not kept.
    func cacheChange(_ answer: ResolveAnswer, now: Moment) throws -> CacheChange {
        let key = delivery.identifier.identifier
        switch answer.resolution.outcome {
        case .knownObject, .unknownSpecific, .unknownGeneral:
            let limit = Int(cacheLimit.components.seconds)
            let entry = CacheEntry(
                key: key, account: account, resolution: try JSONLine.encode(answer.resolution),
                moment: now, ttlSeconds: max(0, min(answer.cacheTTL ?? limit, limit)))
            return .put(entry)
        case .duplicate, .error, .offline:
            return .remove(key: key)
        }
    }

    private func base(_ outcome: ResolutionEvent.Outcome, now: Moment) -> ResolutionEvent {
        var event = ResolutionEvent(
            scan: row.delivery.id, reader: delivery.reader, identifier: delivery.identifier,
            outcome: outcome, source: .api)
        event.late = isLate(now) ? true : nil
        return event
    }

    private func isLate(_ now: Moment) -> Bool {
        if earlier?.outcome == .offline { return true }
        guard row.delivery.moment.bootID == now.bootID else { return true }
        return now.seconds(since: row.delivery.moment) * 1e9 > Double(patience.nanoseconds)
    }

    /// Whether the answer differs from the cache's; nil where the cache did not answer.
    private func changed(_ resolution: Resolution) -> Bool? {
        guard let earlier, earlier.source == .cache else { return nil }
        var before = Resolution(outcome: earlier.outcome)
        before.object = earlier.object
        before.class = earlier.class
        before.candidates = earlier.candidates
        before.error = earlier.error
        var after = resolution
        // How long and where to is the API's advice to this request, not the thing's state.
        after.routing = nil
        return before != after
    }

    /// The first answer, as the log has it.
    private var earlier: ResolutionEvent? {
        guard !isFirst, let body = row.firstAnswer?.event?.body else { return nil }
        return try? JSONLine.decode(ResolutionEvent.self, from: body)
    }
}
