internal import Platform
internal import ReaderKit

/// The thread of one reader, with a context of its own: it reads the tags that the watch sees.
///
/// Around every call that may hang it says so, and the watch looks at how long that lasts.
struct ReaderThread: Sendable {
    let session: ReaderSession
    let settings: PCSCSettings
    let ids: DeviceIDs

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
            serve(context)
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

    private func serve(_ context: borrowing PCSCContext) {
        var readLimit = firstReadLimit
        while true {
            switch session.nextTask() {
            case .tell(let messages): session.send(messages)
            case .attempt(let attempt): make(attempt, context, &readLimit)
            case .finish(let messages): return session.send(messages)
            }
        }
    }

    private func make(
        _ attempt: Attempt, _ context: borrowing PCSCContext, _ readLimit: inout Int
    ) {
        session.setBusy(true)
        defer { session.setBusy(false) }
        do {
            let card = try context.connect(to: session.name.full)
            let atr = attempt.atr.isEmpty ? try card.answerToReset() : attempt.atr
            var transport = CardTransport(
                card, readLimit: min(readLimit, attempt.readLimit ?? readLimit))
            let outcome = transport.readTag(atr: atr)
            if case .read = outcome { readLimit = transport.readLimit }
            if case .failed = outcome { transport.channel.resetsAtEnd = true }
            // Told before the connection's end, which takes another exchange with pcscd.
            tell(outcome)
        } catch {
            tell(.failed(Attempt.Failure(error)))
        }
    }

    private func tell(_ outcome: Attempt.Outcome) {
        session.setBusy(false)
        if case .failed(let failure) = outcome, failure.trouble == .service {
            session.end(ServiceTrouble.notRunning)
        }
        session.attempted(outcome)
        session.setBusy(true)
    }
}

extension Attempt.Failure {
    fileprivate init(_ error: PCSCError) {
        let reason =
            error.code.trouble == .access ? ServiceTrouble.cardsRefused : "\(error)"
        self.init(error.code.trouble, reason: reason)
    }
}
