internal import Configuration
internal import LineProtocols
internal import Platform
internal import Scanning
internal import Storage

extension Station {
    /// How the station fares.
    func status() async -> Status {
        await status(readers: { self.readers }, api: { self.forwarder.state })
    }

    /// Begins a client's subscription; with a snapshot where it wants one.
    ///
    /// The snapshot and the place where the subscription begins are taken in one step, in which
    /// the store, the hub and what was published agree.
    func subscribe(
        _ client: ClientConnection, _ parameters: SubscribeParameters
    ) async -> SubscribeResult {
        guard parameters.snapshot == true else {
            return client.subscribe(parameters, knownReaders: readerWords)
        }
        return await journal.whileStill {
            let snapshot = await status(
                readers: { self.knownReaders }, api: { self.forwarder.toldState })
            return client.subscribe(parameters, knownReaders: readerWords, snapshot: snapshot)
        }
    }

    /// The ids and names that a filter of readers may have.
    private var readerWords: Set<String> {
        var words: Set = [ReaderReference.manual.id]
        words.formUnion(configuration.readerEntries.compactMap(\.name))
        for reader in readers { words.formUnion([reader.id, reader.name]) }
        return words
    }

    /// The store is asked first; all else is then read in one step.
    private func status(
        readers: () -> [Status.Reader], api: () -> APIEvent
    ) async -> Status {
        // A store that looks through its file answers nobody for a while.
        let isRecovering = journal.isRecovering
        let counts = isRecovering ? nil : try? await store.outboxCounts()
        let cache = isRecovering ? nil : try? await store.cacheSummary()
        let held = isRecovering ? nil : try? await store.countOfOthers(than: forwarder.account)
        let now = recorder.moment()
        let api = api()
        return Status(
            station: name, version: ProductVersion.current, uptimeSeconds: uptimeSeconds,
            account: forwarder.account, readers: readers(), location: pipeline.location.event,
            api: Status.API(
                state: api.state, reason: api.reason, endpoint: configuration.api.endpoint),
            clock: Status.Clock(trusted: recorder.clockIsTrusted),
            outbox: Status.Outbox(
                scans: (counts?.scans ?? 0) + journal.deferredDeliveries, queued: 0, waiting: 0,
                attention: counts?.attention ?? 0, oldestAt: counts?.oldest?.at,
                bytes: counts?.bytes ?? 0, held: held.flatMap { $0 > 0 ? $0 : nil }),
            cache: Status.Cache(
                objects: cache?.objects ?? 0,
                ageSeconds: cache?.newest.map { Int64(now.seconds(since: $0)) }),
            log: Status.Log(first: hub.first, last: hub.last), counters: counters,
            store: Status.Store(
                state: journal.failure?.word ?? "ok", reason: journal.failure?.description))
    }

    private var uptimeSeconds: Int64 {
        Int64((Clocks.bootNanoseconds() - startedAt) / 1_000_000_000)
    }

    private var counters: [String: Int64] {
        [
            "scans": pipeline.scans, "recognised": pipeline.recognised,
            "suppressed": pipeline.suppressed, "delivered": forwarder.delivered,
            "lost": Int64(journal.lost),
            "unstored": Int64(journal.deferred.count),
        ]
    }

    /// What is measured, as OpenMetrics text.
    func metrics() async -> String {
        StationMetrics(
            status: await status(), scans: pipeline.counters, deliveries: forwarder.counters,
            connections: server?.count ?? 0, subscribers: hub.count, now: recorder.moment().at
        ).text
    }
}
