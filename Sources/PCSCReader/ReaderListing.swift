internal import Glibc
internal import LineProtocols
internal import Platform
internal import ReaderKit
internal import Scanning

/// One look at all readers, for `--list`: each is told as a `device` with its state and the reason,
/// and the program ends.
///
/// Reads no tag and is in nobody's way: a reader is connected to without its tag, and let go at
/// once. Ends within 4 s, or what the first answer of a pcscd that hangs takes.
struct ReaderListing {
    private enum Limit {
        /// For all connections together, each on a thread of its own.
        static let connecting: UInt64 = 3_000_000_000
        /// Between two tries at a pcscd that closes the connection, in microseconds.
        static let pause: UInt32 = 100_000
    }

    private static let silent = "a call into pcscd has not come back for 3 s"

    private let settings: PCSCSettings
    private let output: ReaderOutput
    private let ids = DeviceIDs()

    init(settings: PCSCSettings, output: ReaderOutput) {
        self.settings = settings
        self.output = output
    }

    /// What is known of one reader.
    private struct Condition {
        var state = DeviceState.ready
        var reason: String?
        /// The serial number that the driver alone knows.
        var serial: String?
    }

    /// Looks once and ends the process.
    func run() -> Never {
        let trouble = listed()
        var service = ServiceState()
        if let trouble, let message = service.message(trouble) { output.send(message) }
        ReaderProcess.stop()
    }

    /// Tells of the readers.
    ///
    /// - Returns: Why none is told; nil where one is.
    private func listed() -> String? {
        var refusals = 0
        while true {
            do throws(PCSCError) {
                let context = try PCSCContext()
                return tell(try conditions(context))
            } catch {
                let isHungUp = error.code.trouble.isAboutService && ServiceSocket.isListening
                refusals = isHungUp ? refusals + 1 : 0
                let reason = PCSCReason.reason(for: error, refusals: refusals)
                if let reason { return reason }
                usleep(Limit.pause)
            }
        }
    }

    private func tell(_ conditions: [(ReaderName, Condition)]) -> String? {
        guard !conditions.isEmpty else { return PCSCReason.noReader }
        var isOneTold = false
        for (name, condition) in conditions {
            let serial = name.serial ?? condition.serial
            let id = ids.claim(from: 1) { name.deviceID(serial: serial, number: $0) }
            guard settings.matches([name.full, id] + (serial.map { [$0] } ?? [])) else { continue }
            isOneTold = true
            output.send(
                .device(
                    .init(
                        id: id, name: name.full, state: condition.state, reason: condition.reason)))
        }
        return isOneTold ? nil : PCSCReason.noMatch
    }

    private func conditions(
        _ context: borrowing PCSCContext
    ) throws(PCSCError) -> [(ReaderName, Condition)] {
        let names = try context.readers()
        var statuses = names.map { ReaderStatus(name: $0) }
        var list = ReaderListState()
        _ = try context.waitForChange(of: &statuses, list: &list, milliseconds: 0)
        let found = Self.connectAll(names)
        return statuses.map { status in
            var condition =
                found[status.name] ?? Condition(state: .degraded, reason: Self.silent)
            if condition.reason == nil, status.slot?.isUnavailable == true {
                (condition.state, condition.reason) = (.degraded, PCSCReason.driver)
            }
            return (ReaderName(status.name), condition)
        }
    }

    /// Connects to all readers at the same time; one that hangs is missing in the result.
    private static func connectAll(_ names: [String]) -> [String: Condition] {
        let found = Monitor<[String: Condition]>([:])
        for name in names {
            Threads.start(name: "reader") {
                let condition = condition(of: name)
                found.update { $0[name] = condition }
            }
        }
        let end = Clocks.bootNanoseconds() + Limit.connecting
        return found.wait { found in
            let isOver = found.count == names.count || Clocks.bootNanoseconds() >= end
            return isOver ? .ready(found) : .wait(until: end)
        }
    }

    private static func condition(of name: String) -> Condition {
        do throws(PCSCError) {
            return Condition(serial: try serial(of: name, PCSCContext()))
        } catch {
            return condition(after: error)
        }
    }

    /// Connects to a reader and asks its driver for the serial number.
    private static func serial(
        of name: String, _ context: borrowing PCSCContext
    ) throws(PCSCError) -> String? {
        let reader = try context.connectDirectly(to: name)
        let serial = try? reader.serialNumber()
        return serial.flatMap(ReaderName.usableSerial)
    }

    private static func condition(after error: PCSCError) -> Condition {
        switch error.code.trouble {
        case .held: Condition(state: .degraded, reason: PCSCReason.held)
        case .access: Condition(state: .degraded, reason: PCSCReason.tagsRefused)
        case .service: Condition(state: .degraded, reason: PCSCReason.hungUp)
        case .reader: Condition(state: .disconnected, reason: PCSCReason.unplugged)
        case .tagGone, .mute, .reset, .exchange:
            Condition(state: .degraded, reason: "\(error)")
        }
    }
}
