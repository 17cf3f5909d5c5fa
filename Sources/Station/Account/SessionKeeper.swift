internal import Platform
internal import PlingsAPI
internal import Scanning
internal import ServiceManager

/// Keeps the station's session with the auth server: the only one that renews and writes it.
///
/// One request to the auth server at a time, and a renewed session is on disk before its token is
/// used: a kill in between leaves the refresh token that the server has just replaced, for which
/// it gives the replacement once more.
@LoopActor
final class SessionKeeper {
    /// The longest sleep: the loop's timers stand still while the machine is suspended.
    private static let longestSleep: UInt64 = 60_000_000_000
    /// What a person must do.
    static let advice = "log in with: plingsctl login"

    let client: AuthClient
    let file: SessionFile
    let log: Log
    let server: String
    private var renewal = SessionRenewal()
    private(set) var session: Session?
    /// A session that the server has issued and the disk has not taken yet.
    private var unstored: Session?
    /// Counts logins and logouts: what a renewal brings after one is void.
    private var generation = 0
    private var wake: TimerID?
    /// How many renewals are under way: a void one may still be, beside the next.
    private var renewals = 0
    private var ended: Gate?
    private var isStopped = false
    private var told: Credential?
    private var complained: String?
    /// Why there is no session, where the file has one that can't be used.
    private var unusable: String?
    var isBusy = false
    /// Called whenever there is something else to show to the API.
    var onChange: @LoopActor (Credential) -> Void = { _ in }

    /// Makes a keeper; nothing is read or asked yet.
    ///
    /// - Parameters:
    ///   - client: The auth server.
    ///   - file: Where the session is kept.
    ///   - server: The server's address as configured: a session of another one is not sent to it.
    ///   - log: Where to tell what happens.
    init(client: AuthClient, file: SessionFile, server: String, log: Log) {
        self.client = client
        self.file = file
        self.server = server
        self.log = log
    }

    /// Goes on with the session that the file holds.
    func start() async {
        switch await file.read() {
        case .none: break
        case .unusable(let reason): unusable = reason
        case .session(let found) where found.server != server:
            unusable = "the session is another auth server's"
        case .session(let found): resume(found)
        }
        if let unusable {
            log.error("the session can't be used: log in again", ["cause": unusable])
        }
        turn()
    }

    /// Begins nothing any more, and lets a renewal that is under way end: its answer, once lost,
    /// would cost a request more after the restart.
    ///
    /// - Parameter limit: How long this waits for it.
    func stop(within limit: Duration = .zero) async {
        isStopped = true
        if let wake { LoopActor.loop.cancel(wake) }
        guard renewals > 0, limit > .zero else { return }
        let gate = Gate(count: 1)
        ended = gate
        LoopActor.after(limit) { gate.open() }
        await gate.wait()
    }

    private func resume(_ found: Session) {
        session = found
        let now = instant
        let isOfThisBoot =
            found.asked.bootID == now.bootID && found.asked.bootNanoseconds <= now.bootNanoseconds
        if isOfThisBoot {
            renewal.issued(
                lifetime: found.lifetime, asked: found.asked.bootNanoseconds, jitter: jitter)
        } else {
            let left = found.expiresAt.milliseconds - now.at.milliseconds
            renewal.found(
                lifetime: found.lifetime, left: .milliseconds(left), now: now.bootNanoseconds)
        }
    }

    var instant: Session.Instant {
        Session.Instant(
            at: Timestamp(milliseconds: Clocks.realMilliseconds()), bootID: Clocks.bootID,
            bootNanoseconds: Clocks.bootNanoseconds())
    }

    private var now: UInt64 { Clocks.bootNanoseconds() }
    private var jitter: Double { .random(in: 0...1) }

    // MARK: What happens

    /// The API refused the token.
    ///
    /// - Returns: Whether another one is being fetched.
    func tokenRefused() -> Bool {
        guard session != nil, renewal.refused(now: now) else { return false }
        turn()
        return true
    }

    /// A scan was made, which may be the moment to look whether the token is still good.
    func scanned() {
        guard session != nil else { return }
        renewal.scanned(now: now)
        turn()
    }

    /// Takes a session that is stored in place of the one before.
    func adopt(_ adopted: Session) {
        session = adopted
        unstored = nil
        unusable = nil
        renewal.issued(
            lifetime: adopted.lifetime, asked: adopted.asked.bootNanoseconds, jitter: jitter)
        turn()
    }

    /// Makes void whatever a renewal under way brings.
    func beginAnew() {
        generation += 1
        unstored = nil
    }

    /// Goes on with the session there is after `beginAnew` came to nothing.
    func resumeRenewing() {
        if session != nil { renewal.failed(.aborted, now: now, jitter: 1) }
        turn()
    }

    /// Forgets the session.
    func forget() {
        beginAnew()
        session = nil
        unusable = nil
        renewal.loggedOut()
        turn()
    }

    // MARK: Turning

    private func turn() {
        guard !isStopped else { return }
        let now = now
        if renewal.begins(now: now) {
            let generation = generation
            Task { await renew(generation) }
        }
        tell()
        complain()
        scheduleWake()
    }

    private func scheduleWake() {
        if let wake { LoopActor.loop.cancel(wake) }
        wake = nil
        let now = now
        guard let time = renewal.wakeTime(now: now) else { return }
        let delay = min(time > now ? time - now : 0, Self.longestSleep)
        wake = LoopActor.after(.nanoseconds(Int64(delay))) { [weak self] in self?.turn() }
    }

    private func tell() {
        let credential = credential
        guard credential != told else { return }
        told = credential
        onChange(credential)
    }

    private var credential: Credential {
        let account = session?.account
        switch (renewal.standing(now: now), session) {
        case (.loggedOut, _), (_, nil):
            return .missing(
                "\(unusable ?? "nobody is logged in"); \(Self.advice)", account: account)
        case (.good, let session?): return .token(session.access, account: account)
        case (.renewing, _): return .awaited(account: account)
        case (.unreachable(let reason), _): return .unreachable(reason, account: account)
        case (.blocked(let reason), _): return .missing(reason, account: account)
        case (.ended(let code), _):
            return .missing("the session has ended (\(code)); \(Self.advice)", account: account)
        }
    }

    /// Says once why the session can't be renewed, and once that it can be again.
    private func complain() {
        let complaint = session == nil ? nil : renewal.complaint
        guard complaint != complained else { return }
        defer { complained = complaint }
        guard let complaint else {
            if session != nil { log.info("the session is renewed again") }
            return
        }
        if case .ended = renewal.standing(now: .max) {
            log.error(
                "the session has ended and can't be renewed: log in again with plingsctl login",
                ["cause": complaint])
        } else {
            log.warning("the session can't be renewed now", ["cause": complaint])
        }
    }

    // MARK: Renewing

    private func renew(_ generation: Int) async {
        guard let before = session else { return }
        renewals += 1
        defer {
            renewals -= 1
            if renewals == 0 { ended?.open() }
        }
        do {
            let renewed = try await issued(before)
            guard generation == self.generation else { return }
            unstored = renewed
            try await file.write(renewed)
            guard generation == self.generation else { return await undo() }
            log.debug("the session is renewed", ["account": renewed.account ?? "unnamed"])
            adopt(renewed)
        } catch {
            guard generation == self.generation else { return }
            failed(error)
        }
    }

    /// The renewed session: the one that only waits for the disk, else a new one of the server's.
    private func issued(_ before: Session) async throws -> Session {
        if let unstored { return unstored }
        let asked = instant
        let issued = try await client.refresh(before.refreshToken)
        return Session(issued, from: server, renewing: before, asked: asked)
    }

    private func failed(_ error: any Error) {
        if let failure = error as? AuthFailure {
            renewal.failed(failure, now: now, jitter: jitter)
        } else {
            renewal.notStored(reason: "\(error)", now: now, jitter: jitter)
        }
        turn()
    }

    /// A login or logout came between: what is stored must be what it left.
    private func undo() async {
        do {
            if let session {
                try await file.write(session)
            } else {
                try await file.remove()
            }
        } catch {
            log.error("the session's file can't be brought up to date", ["cause": "\(error)"])
        }
    }
}
