internal import Glibc
internal import LineProtocols
internal import Platform
internal import ReaderKit
internal import Scanning

/// Looks at all readers and their slots, on the main thread, which waits in one call for all of
/// them; reading tags is left to each reader's own thread, so that this one is never busy.
///
/// Timeouts, all in nanoseconds:
/// - the wait: until `alive` is due, 5 s. A change of the list of readers ends it at once, but for
///   one that falls between two waits (before pcsc-lite 2.3.1), so the list is read again after it;
/// - after a change of the list the next waits are short, since changes come in flocks;
/// - a call of a reader's thread: 10 s, many times what the slowest tag takes;
/// - pcscd away: tried again after 0.1 s, doubling to 1 s, so that one that is back within the
///   station's 5 s is found within them;
/// - a reader missing from the list: looked for again after 0.15 s, see `Roster.missingPatience`.
///
/// libpcsclite measures its waits on the system's clock. One that is set back during a wait makes
/// it longer; `alive` is then late, and the station starts the program anew.
struct ReaderWatch {
    private enum Limit {
        static let firstPause: UInt64 = 250_000_000
        static let call: UInt64 = 10_000_000_000
        static let hangingThreads = 3
        /// While a mute tag keeps its reader out of the wait.
        static let setAside: UInt64 = 500_000_000
        static let driver: UInt64 = 1_000_000_000
    }

    private let output: ReaderOutput
    private var roster: Roster
    private var service = ServiceState()
    private var alive = AliveSchedule(now: Clocks.monotonicNanoseconds())
    /// How often in a row pcscd refused us.
    private var refusals = 0
    private var reconnecting = BackOff(first: .milliseconds(100), cap: .seconds(1))
    /// How long the next wait may be after a change of the list.
    private var settling = Limit.firstPause
    private var lastListed: UInt64 = 0
    /// When the slots were looked at last (CLOCK_BOOTTIME).
    private var lastLook = Clocks.bootNanoseconds()
    private var standstill = Standstill()
    private var stoodStill = false

    init(settings: PCSCSettings, output: ReaderOutput) {
        self.output = output
        let ids = DeviceIDs()
        let experiences = ReadExperiences()
        roster = Roster { name, number in
            let session = ReaderSession(
                name: name, number: number, grace: settings.departureGrace * 1_000_000,
                output: output)
            ReaderThread(
                session: session, settings: settings, ids: ids, experiences: experiences
            ).start()
            return session
        }
    }

    /// Looks for ever; pcscd may come and go.
    mutating func run() -> Never {
        while true {
            do throws(PCSCError) {
                let context = try PCSCContext()
                connected()
                lost(looking(context))
            } catch {
                // Where the connection is closed early enough, the library takes it for none.
                let isHungUp = error.code.trouble.isAboutService && ServiceSocket.isListening
                refusals = isHungUp ? refusals + 1 : 0
                away(error, PCSCReason.reason(for: error, refusals: refusals))
            }
            turn()
        }
    }

    private mutating func connected() {
        if reconnecting.failures > 0 { Complaint.write("pcscd answers") }
        reconnecting.succeeded()
        refusals = 0
        // Whatever is wrong next is news.
        _ = service.message(nil)
    }

    /// pcscd has closed the connection, whatever the library calls that.
    private mutating func lost(_ error: PCSCError) {
        roster.interruptAll(PCSCReason.notRunning)
        away(error, PCSCReason.notRunning)
    }

    /// Waits before the next try.
    private mutating func away(_ error: PCSCError, _ reason: String?) {
        // The readers' own threads tell of their ends meanwhile, before the service's trouble.
        let pause = reconnecting.failed(fraction: 1)
        usleep(UInt32(pause / .microseconds(1)))
        guard let reason, let message = service.message(reason) else { return }
        output.send(message)
        Complaint.write("\(reason): \(error)")
    }

    /// Looks until a call fails, and gives its error.
    private mutating func looking(_ context: borrowing PCSCContext) -> PCSCError {
        do throws(PCSCError) {
            try watch(context)
        } catch {
            return error
        }
    }

    private mutating func watch(_ context: borrowing PCSCContext) throws(PCSCError) -> Never {
        var list = ReaderListState()
        var isListDue = true
        while true {
            if isListDue { try readList(context) }
            isListDue = try wait(context, &list)
            turn()
        }
    }

    private mutating func readList(_ context: borrowing PCSCContext) throws(PCSCError) {
        let names = try context.readers()
        lastListed = Clocks.monotonicNanoseconds()
        let hasChanged = roster.update(names, at: lastListed)
        settling = hasChanged ? Limit.firstPause : min(settling * 2, AliveSchedule.interval)
        if case .some(let trouble) = roster.trouble, let message = service.message(trouble) {
            output.send(message)
        }
    }

    /// Waits once.
    ///
    /// - Returns: Whether the list of readers is to be read again.
    private mutating func wait(
        _ context: borrowing PCSCContext, _ list: inout ReaderListState
    ) throws(PCSCError) -> Bool {
        var (statuses, isOneSetAside) = roster.watched()
        let bound = bound(isOneSetAside: isOneSetAside)
        let start = Clocks.bootNanoseconds()
        let hasChanged: Bool
        do throws(PCSCError) {
            hasChanged = try context.waitForChange(
                of: &statuses, list: &list, milliseconds: bound / 1_000_000 + 1)
        } catch {
            guard error.code == .unknownReader else { throw error }
            return true
        }
        if hasChanged { saw(statuses) } else { sawNothing(since: start) }
        let age = Clocks.monotonicNanoseconds() - lastListed
        return !hasChanged || list.hasChanged || roster.isOneUnavailable
            || roster.isOneMissing || age >= AliveSchedule.interval
    }

    private mutating func saw(_ statuses: [ReaderStatus]) {
        let now = Clocks.bootNanoseconds()
        let stoodStill = standstill.happened() || stoodStill
        roster.saw(statuses, at: now, lastSeen: stoodStill ? lastLook : now)
        lastLook = now
        self.stoodStill = false
    }

    /// A wait that ran out shows how things were when it began: what happened since then, perhaps
    /// while the process stood still, shows in the next.
    private mutating func sawNothing(since start: UInt64) {
        stoodStill = standstill.happened()
        lastLook = start
    }

    private func bound(isOneSetAside: Bool) -> UInt64 {
        let now = Clocks.monotonicNanoseconds()
        var bound = min(alive.remaining(at: now), settling)
        if isOneSetAside { bound = min(bound, Limit.setAside) }
        if roster.isOneUnavailable { bound = min(bound, Limit.driver) }
        if roster.isOneMissing { bound = min(bound, Roster.missingPatience) }
        if roster.isUnsettled { bound = min(bound, Limit.firstPause) }
        if let overdue = roster.firstOverdue(after: Limit.call) {
            bound = min(bound, overdue > now ? overdue - now : 0)
        }
        return bound
    }

    /// What is due whenever the loop has turned.
    private mutating func turn() {
        let now = Clocks.monotonicNanoseconds()
        roster.checkDrivers(at: now)
        let hanging = roster.giveUp(
            after: Limit.call, at: now, "a call into pcscd has not come back for 10 s")
        if hanging >= Limit.hangingThreads {
            Complaint.write("\(hanging) readers hang in calls into pcscd: giving up")
            ReaderProcess.stop(status: 1)
        }
        if alive.turned(at: now) { output.send(.alive) }
    }
}
