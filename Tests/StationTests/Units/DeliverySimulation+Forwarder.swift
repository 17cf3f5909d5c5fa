import Scanning

@testable import Station
@testable import Storage

/// The part of the simulation that stands for the forwarder, its store and the API.
extension DeliverySimulation {
    // MARK: The store

    private func oldestQueued(of key: String) -> Int? {
        scans.indices.first { scans[$0].state == .queued && scans[$0].key == key }
    }

    mutating func lookedUp(_ key: String) {
        guard let number = oldestQueued(of: key) else {
            log.ended()
            lane.ended(.nothing(due: nil), scan: nil, identifier: key, wasBacklog: false)
            return turn()
        }
        send(number, wasBacklog: false)
    }

    mutating func lookedUpBacklog(_ excluded: Set<String>) {
        var seen = excluded
        let heads = scans.indices.filter { number in
            scans[number].state == .queued && seen.insert(scans[number].key).inserted
        }
        let now = time.now
        guard let number = heads.first(where: { scans[$0].heldUntil ?? 0 <= now }) else {
            log.ended()
            let due = heads.compactMap { scans[$0].heldUntil }.min()
            lane.ended(.nothing(due: due), scan: nil, identifier: nil, wasBacklog: true)
            return turn()
        }
        guard lane.foundBacklog(identifier: scans[number].key, now: now) else {
            log.ended()
            return turn()
        }
        send(number, wasBacklog: true)
    }

    private mutating func send(_ number: Int, wasBacklog: Bool) {
        log.sent(number, key: scans[number].key, at: time.now, wasBacklog: wasBacklog)
        time.after(milliseconds(400), .answered(number, wasBacklog: wasBacklog))
    }

    // MARK: The API

    private enum Answer {
        case fine, accident, pause, badToken, unreachable
    }

    private mutating func answer(to number: Int) -> Answer {
        guard isNetworkUp else { return .unreachable }
        guard isTokenGood else { return .badToken }
        if scans[number].isPoison || random.happens(weather.accident) { return .accident }
        return random.happens(weather.pause) ? .pause : .fine
    }

    mutating func answered(_ number: Int, _ wasBacklog: Bool) {
        log.answered(number, key: scans[number].key)
        let ending = outcome(answer(to: number), number)
        lane.ended(
            ending, scan: "\(number)", identifier: scans[number].key, wasBacklog: wasBacklog)
        turn()
    }

    private mutating func outcome(_ answer: Answer, _ number: Int) -> ScanLane.Ending {
        let now = time.now
        let jitter = Double.random(in: 0...1, using: &random)
        let waiting = lane.isWaiting
        switch answer {
        case .fine:
            scans[number].state = .delivered
            log.delivered(number, key: scans[number].key)
            proven(by: "\(number)")
            return .done
        case .accident: lane.withHealth { $0.doubted(now: now) }
        case .pause:
            let after: Duration? = weather.namesPause ? .seconds(7) : nil
            lane.limited(now: now, retryAfter: after, jitter: jitter)
            log.paused(until: lane.health.pausedUntil)
            return .failed
        case .badToken: lane.withHealth { $0.unauthorised(reason: "HTTP 401", now: now) }
        case .unreachable:
            lane.withHealth {
                $0.failed(reason: "gone", now: now, jitter: jitter, waiting: waiting)
            }
        }
        guard answer != .badToken else { return .failed }
        let failure = FailureLedger.Failure(
            row: scans[number].row, error: "failed", moment: Sample.moment(0))
        for settled in ledger.failed(failure) { commit(settled, counted: false) }
        return .failed
    }

    mutating func probed() {
        let now = time.now
        log.ended()
        if !isNetworkUp {
            let jitter = Double.random(in: 0...1, using: &random)
            let waiting = lane.isWaiting
            lane.withHealth {
                $0.failed(reason: "gone", now: now, jitter: jitter, waiting: waiting)
            }
        } else if !isTokenGood {
            lane.withHealth { $0.unauthorised(reason: "HTTP 401", now: now) }
        } else {
            proven(by: nil)
        }
        lane.probeEnded()
        turn()
    }

    private mutating func proven(by id: String?) {
        lane.withHealth { $0.answered() }
        for failure in ledger.proven(by: id) { commit(failure, counted: true) }
    }

    // MARK: Failures

    private mutating func commit(_ failure: FailureLedger.Failure, counted: Bool) {
        unsettled += 1
        time.after(milliseconds(5), .settled(failure, counted: counted))
    }

    mutating func settle(_ failure: FailureLedger.Failure, _ counted: Bool) {
        unsettled -= 1
        guard let number = Int(failure.row.delivery.id), scans[number].state == .queued else {
            return
        }
        let moment = moment(time.now)
        let before = scans[number].row.failures
        if counted {
            switch FailureLedger.verdict(on: before, at: moment) {
            case .counted(let hold): scans[number].heldUntil = time.now + hold
            case .repeatedlyFailing: scans[number].state = .attention
            }
        }
        scans[number].row = DeliveryRow(
            delivery: failure.row.delivery, ordinal: failure.row.ordinal,
            failures: before.adding(counted: counted, at: moment),
            heldUntilBootNanoseconds: nil, error: failure.error, firstAnswer: nil)
        lane.backlogChanged()
        turn()
    }
}
