internal import LineProtocols
internal import Platform
internal import ReaderKit

/// The thread of one reader, with a context of its own: it reads the tags that the watch sees.
///
/// Around every call that may hang it says so, and the watch looks at how long that lasts.
struct ReaderThread: Sendable {
    let session: ReaderSession
    let settings: PCSCSettings
    let ids: DeviceIDs
    let experiences: ReadExperiences

    /// Starts the thread.
    func start() {
        Threads.start(name: "reader") {
            run()
            session.finish()
        }
    }

    private func run() {
        session.setBusy(true)
        do {
            let context = try PCSCContext()
            let serial = serialNumber(context)
            session.setBusy(false)
            // A serial number that the driver alone knows tells apart what the names don't.
            let isTold = session.name.serial == nil && serial != nil
            let id = ids.claim(from: isTold ? 1 : session.number) { number in
                session.name.deviceID(serial: serial, number: number)
            }
            defer { ids.release(id) }
            let texts = [session.name.full, id] + (serial.map { [$0] } ?? [])
            guard settings.matches(texts) else { return session.ignore() }
            session.introduce(id: id)
            var isOver = serve(context, id)
            while !isOver { isOver = serveAnew(id) }
        } catch {
            // The watch starts the session again as long as pcscd lists the reader.
            session.setBusy(false)
        }
    }

    /// The serial number in the name, which pcscd takes from USB, else the driver's.
    private func serialNumber(_ context: borrowing PCSCContext) -> String? {
        if let serial = session.name.serial { return serial }
        guard let reader = try? context.connectDirectly(to: session.name.full) else { return nil }
        return (try? reader.serialNumber()).flatMap(ReaderName.usableSerial)
    }

    /// Does what there is to do, with one context.
    ///
    /// - Returns: Whether the session is over; else pcscd has closed the context.
    private func serve(_ context: borrowing PCSCContext, _ device: String) -> Bool {
        while true {
            switch session.nextTask() {
            case .tell(let messages):
                session.send(messages)
            case .attempt(let attempt):
                let trouble = make(attempt, context, device)
                if trouble == .service || trouble == .access { return false }
            case .finish(let messages):
                session.send(messages)
                return true
            }
        }
    }

    /// Goes on with a new context, or without one for one task.
    private func serveAnew(_ device: String) -> Bool {
        session.setBusy(true)
        defer { session.setBusy(false) }
        do {
            let context = try PCSCContext()
            session.setBusy(false)
            return serve(context, device)
        } catch {
            session.setBusy(false)
            switch session.nextTask() {
            case .tell(let messages):
                session.send(messages)
            case .attempt:
                session.attempted(.failed(Attempt.Failure(error)))
            case .finish(let messages):
                session.send(messages)
                return true
            }
            return false
        }
    }

    /// Makes one attempt and tells how it ended.
    ///
    /// - Returns: What went wrong, if anything.
    private func make(
        _ attempt: Attempt, _ context: borrowing PCSCContext, _ device: String
    ) -> PCSCCode.Trouble? {
        session.setBusy(true)
        defer { session.setBusy(false) }
        do {
            let card = try context.connect(to: session.name.full)
            let atr = attempt.atr.isEmpty ? try card.answerToReset() : attempt.atr
            let known = experiences.limits(of: device)
            var transport = CardTransport(
                card, limits: attempt.isInSmallestPieces ? known.smallest : known)
            let outcome = transport.readTag(atr: atr)
            if case .read = outcome {
                experiences.read(
                    on: device, with: transport.limits,
                    inSmallestPieces: attempt.isInSmallestPieces)
            }
            if case .failed = outcome { transport.channel.resetsAtEnd = true }
            // Told before the connection's end, which takes another exchange with pcscd.
            return tell(outcome)
        } catch {
            return tell(.failed(Attempt.Failure(error)))
        }
    }

    private func tell(_ outcome: Attempt.Outcome) -> PCSCCode.Trouble? {
        session.setBusy(false)
        session.attempted(outcome)
        session.setBusy(true)
        if case .failed(let failure) = outcome { return failure.trouble }
        return nil
    }
}

extension Attempt.Failure {
    /// A tag that could not even be connected to.
    fileprivate init(_ error: PCSCError) {
        let reason =
            switch error.code.trouble {
            case .access: PCSCReason.tagsRefused
            case .service: PCSCReason.hungUp
            default: "\(error)"
            }
        self.init(error.code.trouble, reason: reason)
    }
}
