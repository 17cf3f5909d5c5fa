internal import Platform
internal import Scanning
internal import ServiceManager
internal import Storage

/// What the journal does while nothing can be stored, and how it comes out of that.
extension Journal {
    /// How soon storing is tried again.
    private enum RetryAfter {
        /// Another program's lock is mostly short.
        static let lock = Duration.milliseconds(250)
        static let others = Duration.seconds(2)
    }

    /// The scans to be delivered that wait in memory.
    var deferredDeliveries: Int { deferred.deliveryCount }

    /// Whether old events can be deleted now, which is possible on a full disk too.
    var canPrune: Bool {
        switch failure {
        case nil, .full: true
        default: false
        }
    }

    // MARK: Publishing without storing

    func fail(_ error: StorageError) {
        failure = error
        hasToldOverflow = false
        log.error("nothing can be stored", ["state": error.word, "cause": error.description])
        onFailureChange(true)
        if case .closed = error { return }
        // What is damaged is not better later: it is set aside at once.
        retryLater(after: error.word == "damaged" ? .zero : Self.patience(after: error))
    }

    private static func patience(after error: StorageError) -> Duration {
        if case .busy = error { return RetryAfter.lock }
        return RetryAfter.others
    }

    /// Publishes changes that wait in memory from now on.
    ///
    /// Orders are refused, and what ends deliveries is stored on a full disk too.
    func holdBack(_ group: [Entry]) async {
        guard let failure else { return }
        for entry in group {
            if entry.isOrder {
                entry.completion?(.refused(failure))
            } else if await !storesEnding(entry, despite: failure) {
                let change = await answered(entry.change)
                publishUnstored(change)
                keep(change)
                entry.completion?(.deferred(failure, published: change.events.count))
            }
        }
        hub.flush()
    }

    private func storesEnding(_ entry: Entry, despite failure: StorageError) async -> Bool {
        guard case .full = failure, entry.change.endsDelivery, !isRecovering,
            let committed = try? await store.commit([entry.change])
        else { return false }
        publish(committed, of: [entry])
        return true
    }

    private func publishUnstored(_ change: Change) {
        for event in change.events { hub.publishUnstored(event) }
    }

    private func keep(_ change: Change) {
        guard deferred.append(change) else { return }
        lost += 1
        guard !hasToldOverflow else { return }
        hasToldOverflow = true
        log.error(
            "the memory for what can't be stored is full: the oldest is given up",
            ["limit": "\(DeferredChanges.limit)"])
    }

    /// Publishes a change that can't be stored by its own fault, and forgets it.
    func leaveOut(_ entry: Entry, _ error: StorageError) async {
        guard !entry.isOrder else {
            entry.completion?(.refused(error))
            return
        }
        let change = await answered(entry.change)
        giveUp(change, error)
        publishUnstored(change)
        hub.flush()
        entry.completion?(.leftOut(error, published: change.events.count))
    }

    private func giveUp(_ change: Change, _ error: StorageError) {
        lost += 1
        let scan = change.delivery?.id ?? change.events.lazy.compactMap(\.scan).first
        log.error(
            "one change can't be stored and is left out",
            ["scan": scan ?? "none", "cause": error.description])
    }

    /// The change with its answer, as it is published now and will be stored later.
    ///
    /// The cache can mostly be read where nothing can be written.
    private func answered(_ change: Change) async -> Change {
        guard let question = change.answer else { return change }
        // A store that looks through its file answers nobody for a while.
        let entry =
            isRecovering
            ? nil : try? await store.cached(question.key, account: question.account)
        var change = change
        change.events += question.respond(entry)
        change.answer = nil
        return change
    }

    // MARK: Storing again

    private func retryLater(after delay: Duration) {
        LoopActor.after(delay) { [weak self] in
            Task { await self?.retry() }
        }
    }

    private func retry() async {
        guard failure != nil, !isRecovering else { return }
        var isExclusive = false
        do throws(StorageError) {
            let opened = try await recover()
            // Nothing else is stored until all that waits is.
            while isCommitting { await settle() }
            isCommitting = true
            isExclusive = true
            if let opened { await reopened(opened) }
            try await storeDeferred()
            storesAgain()
        } catch {
            note(error)
        }
        // Whatever was recorded meanwhile is published, and whoever waits goes on.
        if isExclusive { await commitAll() }
    }

    /// Lets the store do what helps; meanwhile what happens goes on being published.
    private func recover() async throws(StorageError) -> Opened? {
        isRecovering = true
        defer { isRecovering = false }
        return try await store.recover(
            now: Timestamp(milliseconds: Clocks.realMilliseconds()))
    }

    private func note(_ error: StorageError) {
        if error.word != failure?.word {
            log.error("still nothing can be stored", ["state": error.word, "cause": "\(error)"])
        }
        failure = error
        if case .closed = error { return }
        retryLater(after: Self.patience(after: error))
    }

    private func storesAgain() {
        failure = nil
        log.info("storing works again", ["givenUp": "\(lost)"])
        onFailureChange(false)
    }

    private func reopened(_ opened: Opened) async {
        if let range = try? await store.range() {
            hub.reopened(log: store.log, range)
        }
        await onReopened(opened)
    }

    /// Stores what waits in memory, in its order; without any, proves that storing works.
    private func storeDeferred() async throws(StorageError) {
        if deferred.isEmpty { try await store.prove() }
        while !deferred.isEmpty {
            let group = deferred.first(Self.groupLimit)
            do throws(StorageError) {
                account(try await store.commit(group, waitingForLocks: false))
            } catch {
                guard error.concernsOneChange else { throw error }
                try await storeEach(of: group)
                continue
            }
            deferred.removeFirst(group.count)
        }
    }

    private func storeEach(of group: [Change]) async throws(StorageError) {
        for change in group {
            do throws(StorageError) {
                account(try await store.commit([change], waitingForLocks: false))
            } catch {
                guard error.concernsOneChange else { throw error }
                giveUp(change, error)
            }
            deferred.removeFirst(1)
        }
    }

    private func account(_ committed: [Committed]) {
        for event in committed.flatMap({ $0.events }) { hub.account(event) }
    }

    // MARK: The end

    /// Stores what can still be stored before the station ends; what can't is lost, and told.
    func finish() async {
        await settle()
        if failure != nil, !deferred.isEmpty {
            isCommitting = true
            // What is damaged is left to the next start, which has time for it.
            do throws(StorageError) {
                try await storeDeferred()
                storesAgain()
            } catch {
                failure = error
            }
            await commitAll()
        }
        await settle()
        tellLost()
    }

    /// Gives up what still waits in memory.
    func tellLost() {
        guard !deferred.isEmpty else { return }
        lost += deferred.count
        log.error(
            "what could not be stored is lost: the station ends", ["count": "\(deferred.count)"])
        deferred = DeferredChanges()
    }
}
