/// What one happening changes in the store; all of it is stored together, or none.
///
/// In this order: the delivery enters the outbox, the events the log, the cache is asked and its
/// answer follows the events, the presence changes, the outcome is noted, the cache changes.
package struct Change: Sendable {
    package var events: [EventDraft]
    package var answer: CacheQuestion?
    package var delivery: Delivery?
    package var presence: PresenceChange?
    package var outcome: DeliveryOutcome?
    package var cache: CacheChange?

    package init(
        events: [EventDraft] = [], answer: CacheQuestion? = nil, delivery: Delivery? = nil,
        presence: PresenceChange? = nil, outcome: DeliveryOutcome? = nil,
        cache: CacheChange? = nil
    ) {
        self.events = events
        self.answer = answer
        self.delivery = delivery
        self.presence = presence
        self.outcome = outcome
        self.cache = cache
    }

    /// Whether it ends a delivery: such a change may use the room that is kept for deleting.
    package var endsDelivery: Bool {
        switch outcome {
        case nil, .failed: false
        default: delivery == nil
        }
    }
}

/// What a change became.
package struct Committed: Sendable {
    /// Its events with their seq, those of the cache's answer last.
    package let events: [StoredEvent]
    /// What the question found in the cache.
    package let cached: CacheEntry?
}
