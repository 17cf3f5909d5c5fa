internal import Configuration
internal import Platform
internal import Scanning
internal import Storage

/// Deletes what is old from the store, now and then.
@LoopActor
final class Pruning {
    private static let every = Duration.seconds(600)
    /// How soon the next part is deleted where one is left: others get at the store in between.
    private static let untilNextPart = Duration.milliseconds(200)
    /// The most events that are deleted at once.
    private static let part = 500

    /// What is kept.
    struct Settings {
        let age: Duration
        /// The most events.
        let count: Int
    }

    private let journal: Journal
    private let recorder: EventRecorder
    var settings: Settings

    init(journal: Journal, recorder: EventRecorder, settings: Settings) {
        self.journal = journal
        self.recorder = recorder
        self.settings = settings
    }

    /// Begins once the start is over.
    func start() {
        later(after: .seconds(5))
    }

    private func later(after delay: Duration) {
        LoopActor.after(delay) { [weak self] in
            Task { await self?.now() }
        }
    }

    private func now() async {
        let isUnfinished = await once()
        later(after: isUnfinished ? Self.untilNextPart : Self.every)
    }

    /// Deletes a part of what is old; on a full disk too, where it makes room.
    ///
    /// - Returns: Whether there may be more to delete.
    @discardableResult
    func once() async -> Bool {
        guard journal.canPrune else { return false }
        let limit = recorder.moment().at.advanced(
            byMilliseconds: -Int64(settings.age.components.seconds) * 1000)
        let isUnfinished = try? await journal.store.prune(
            olderThan: limit, keep: settings.count, chunk: Self.part)
        if let range = try? await journal.store.range() { journal.hub.pruned(first: range.first) }
        return isUnfinished ?? false
    }
}

extension Pruning.Settings {
    init(_ configuration: StationConfiguration) {
        self.init(
            age: configuration.store.retainEvents, count: configuration.store.retainCount)
    }
}
