internal import LineProtocols
internal import Platform
internal import Scanning
internal import ServiceManager

/// Keeps one reader program running and knows its devices.
///
/// A program that dies, falls silent or breaks the protocol is started again, with back-off that
/// begins anew once it has run well for a while.
@LoopActor
final class ReaderSupervisor {
    /// After so many nanoseconds a run counts as well: as long as plings-pcsc takes to give up readers
    /// that hang, so that those which work are not away for longer each time.
    private static let wellAfter: UInt64 = 10_000_000_000
    /// How many devices, and how many tags at once, one program may have.
    private static let deviceLimit = 64
    private static let tagLimit = 256

    /// What a supervisor tells the station.
    enum Report {
        /// A device, or the program while it has none, is in another state.
        case state(ReaderEvent)
        case ready(device: String)
        /// Something lies on a device that the process has still to tell of.
        case occupied(device: String, process: Int)
        case arrived(ReaderMessage.Arrival, ReaderReference, process: Int)
        case departed(ReaderMessage.Departure, process: Int)
        /// A device was unplugged.
        case gone(device: String)
        /// The process has lost its way to a device, which may be there still.
        case interrupted(device: String, process: Int)
        /// The process is alive and looks at its devices.
        case looked
        /// The program has ended, which looked at these devices until then; it may come back.
        case processEnded(Int, devices: Set<String>, lastLook: UInt64)
    }

    private struct Device {
        /// As the program calls it.
        let ownName: String
        var reference: ReaderReference
        var state: DeviceState
        var reason: String?
        var signals: [String]
    }

    private(set) var plan: ReaderPlan
    private let log: Log
    private let report: @LoopActor (Report) -> Void
    private let nextNumber: @LoopActor () -> Int
    private let isCongested: @LoopActor () -> Bool
    private var process: ReaderProcess?
    /// The presences that the program has open, each with its device; what it may have is bounded.
    private var openTokens: [String: String] = [:]
    private var startedAt: UInt64 = 0
    private var complaints = ComplaintLimit()
    private var backOff = BackOff(first: .milliseconds(100), cap: .seconds(30))
    private var devices: [String: Device] = [:]
    /// The program's own trouble, shown while it keeps its devices from being seen.
    private var trouble: String?
    /// What the station ends the process for: its end then says nothing of the cause.
    private var fault: String?
    /// What was said of this run's lines, so that it is said once.
    private var remarks: Set<String> = []
    private static let remarkLimit = 16
    private var isStopped = false
    /// The process is being ended because another command is to run.
    private var isReplaced = false
    /// Why the program is not to run any more, where the station itself goes on.
    private var retirement: String?
    private var restartTimer: TimerID?
    private var onStopped: (@LoopActor () -> Void)?

    init(
        plan: ReaderPlan, log: Log, isCongested: @escaping @LoopActor () -> Bool = { false },
        nextNumber: @escaping @LoopActor () -> Int,
        report: @escaping @LoopActor (Report) -> Void
    ) {
        self.plan = plan
        self.log = log
        self.isCongested = isCongested
        self.nextNumber = nextNumber
        self.report = report
    }

    /// The process that runs now, for telling readers from clients.
    var pid: Int32? { process?.pid }

    /// The state of one of its devices; nil for any other.
    func state(of device: String) -> DeviceState? { devices[device]?.state }

    /// The devices for `status`, and the program itself while it has trouble or no device.
    var readers: [Status.Reader] {
        let list = shownDevices.map { device in
            Status.Reader(
                id: device.reference.id, name: device.reference.name, kind: plan.kind,
                state: device.state, reason: device.reason, signals: device.signals)
        }
        guard trouble != nil || list.isEmpty else { return list }
        let own = Status.Reader(
            id: programReference.id, name: plan.program, kind: plan.kind, state: .disconnected,
            reason: trouble ?? "no reader has been reported yet", signals: [])
        return [own] + list
    }

    /// The devices in the order of their ids.
    ///
    /// A program tells of what it goes through, such as pcscd, as a device by the name of its kind,
    /// which is of no interest while a real one works.
    private var shownDevices: [Device] {
        let isAnyThere = devices.contains { $0.key != plan.kind && $0.value.state != .disconnected }
        return devices.values.sorted { $0.reference.id < $1.reference.id }
            .filter { !isAnyThere || $0.reference.id != plan.kind }
    }

    private var programReference: ReaderReference {
        ReaderReference(id: plan.program, name: plan.program, kind: plan.kind)
    }

    // MARK: Running

    func start() {
        guard !isStopped, process == nil else { return }
        restartTimer = nil
        startedAt = Clocks.monotonicNanoseconds()
        do {
            openTokens = [:]
            remarks = []
            fault = nil
            process = try ReaderProcess(
                number: nextNumber(), command: plan.command, isCongested: isCongested
            ) {
                [weak self] process, happening in self?.take(happening, from: process)
            }
        } catch {
            // A missing program is missing until somebody installs it: the back-off's cap serves.
            let fault = ProgramFault.look(at: plan.command.first ?? "")
            restart(after: fault?.description ?? error.description)
        }
    }

    /// Ends the program; the completion is called when it has ended and its words were read.
    ///
    /// - Parameters:
    ///   - retirement: Why it is not to run any more, where the station itself goes on.
    ///   - completion: Called at the end.
    func stop(
        retirement: String? = nil, completion: @escaping @LoopActor () -> Void
    ) {
        isStopped = true
        self.retirement = retirement
        guard let process else {
            if let retirement { loseDevices(retirement) }
            return completion()
        }
        onStopped = completion
        process.stop()
    }

    /// Ends the program at once, for when nobody waits for it any longer.
    func kill() {
        process?.kill()
    }

    /// Takes another plan for the same reader: names at once, a command by a new run of the program.
    func change(to plan: ReaderPlan) {
        let before = self.plan
        self.plan = plan
        rename()
        guard plan.command != before.command, !isStopped else { return }
        // What kept the old command from running says nothing of the new one.
        backOff.succeeded()
        if let process {
            isReplaced = true
            process.stop()
        } else {
            if let restartTimer { LoopActor.loop.cancel(restartTimer) }
            start()
        }
    }

    /// Gives the devices the names that the plan has for them.
    private func rename() {
        for (id, device) in devices.sorted(by: { $0.key < $1.key }) {
            let reference = ReaderReference(
                id: id, name: plan.name(of: device.ownName, id: id), kind: plan.kind)
            guard reference != device.reference else { continue }
            devices[id]?.reference = reference
            report(
                .state(
                    ReaderEvent(reader: reference, state: device.state, reason: device.reason)))
        }
    }

    private func restart(after cause: String) {
        process = nil
        if Clocks.monotonicNanoseconds() - startedAt > Self.wellAfter { backOff.succeeded() }
        let delay = backOff.failed(fraction: 1)
        // A fault was told when it was found.
        if cause != trouble, cause != fault {
            log.warning(
                "a reader program has ended", ["reader": plan.program, "cause": cause])
        }
        loseDevices(cause)
        setTrouble(cause)
        restartTimer = LoopActor.after(delay) { [weak self] in self?.start() }
    }

    /// Nobody looks at the devices until the program is back and tells of them.
    private func loseDevices(_ cause: String) {
        for (id, device) in devices.sorted(by: { $0.key < $1.key })
        where device.state != .disconnected {
            devices[id]?.state = .disconnected
            devices[id]?.reason = cause
            report(
                .state(
                    ReaderEvent(
                        reader: device.reference, state: .disconnected, reason: cause)))
        }
    }

    private func setTrouble(_ cause: String?) {
        guard cause != trouble else { return }
        trouble = cause
        // A program that has devices is told of by them, which come back with it.
        guard let cause, devices.isEmpty else { return }
        report(
            .state(
                ReaderEvent(reader: programReference, state: .disconnected, reason: cause)))
    }

    private func take(_ happening: ReaderProcess.Report, from process: ReaderProcess) {
        switch happening {
        case .message(let message): take(message, from: process)
        case .complaint(let text): complained(text)
        case .leftOut(let fault):
            remark("a line of a reader program is left out", fault.description)
        case .failed(let cause):
            fault = cause
            guard cause != trouble else { return }
            log.warning("a reader program is replaced", ["reader": plan.program, "cause": cause])
        case .ended(let ending): ended(ending, process)
        }
    }

    private func complained(_ text: String) {
        switch complaints.take(now: Clocks.monotonicNanoseconds()) {
        case .leaveOut: break
        case .leaveOutFromNow:
            log.warning(
                "a reader program says too much: some of it is left out", ["reader": plan.program])
        case .log(let leftOut):
            if leftOut > 0 {
                log.warning(
                    "lines of a reader program were left out",
                    ["reader": plan.program, "count": "\(leftOut)"])
            }
            log.info("a reader program says", ["reader": plan.program, "text": text])
        }
    }

    /// Warns once for each cause and run, of so many causes at most.
    private func remark(_ message: StaticString, _ cause: String) {
        guard remarks.count < Self.remarkLimit, remarks.insert(cause).inserted else { return }
        log.warning(message, ["reader": plan.program, "cause": cause])
    }

    private func ended(_ ending: ChildProcess.Ending, _ process: ReaderProcess) {
        let watched = devices.filter { $0.value.state != .disconnected }.keys
        report(
            .processEnded(process.number, devices: Set(watched), lastLook: process.lastLook))
        self.process = nil
        guard !isStopped else {
            if let retirement { loseDevices(retirement) }
            onStopped?()
            return
        }
        guard !isReplaced else {
            isReplaced = false
            loseDevices("its settings have changed")
            return start()
        }
        restart(after: fault ?? ending.description)
    }

    // MARK: Its messages

    private func take(_ message: ReaderMessage, from process: ReaderProcess) {
        switch message {
        case .reader: break
        case .alive: report(.looked)
        case .device(let device):
            guard device.id.utf8.count <= DeviceBounds.id else {
                return complained("a device with an id of more than \(DeviceBounds.id) bytes")
            }
            guard makeRoom(for: device.id) else {
                return process.fail("more than \(Self.deviceLimit) devices")
            }
            // A program that is being ended has no news of what becomes of its devices.
            guard device.state != .disconnected || !isEnding else { return }
            take(device, from: process)
        case .arrive(let arrival):
            guard let device = devices[arrival.device] else { return unknown(arrival.device) }
            for member in arrival.notHexadecimal {
                remark("a member of an arrival is left out", "\(member) is no hexadecimal")
            }
            openTokens[arrival.token] = arrival.device
            guard openTokens.count <= Self.tagLimit else {
                return process.fail("more than \(Self.tagLimit) tags at once")
            }
            report(.arrived(arrival, device.reference, process: process.number))
        case .depart(let departure):
            openTokens[departure.token] = nil
            guard !isEnding else { return }
            report(.departed(departure, process: process.number))
        }
    }

    private var isEnding: Bool { isStopped || isReplaced }

    /// Whether a device is known or may be added; of those that are away one is forgotten for it.
    ///
    /// A program whose devices have other ids each time would else be refused for good.
    private func makeRoom(for id: String) -> Bool {
        guard devices[id] == nil, devices.count >= Self.deviceLimit else { return true }
        let away = devices.filter { $0.value.state == .disconnected }.keys
        guard let forgotten = away.min() else { return false }
        devices[forgotten] = nil
        return true
    }

    private func unknown(_ device: String) {
        complained("a tag on a device that was not announced: \(device)")
    }

    private func take(_ told: ReaderMessage.Device, from process: ReaderProcess) {
        let message = told.bounded
        let before = devices[message.id]
        let reference =
            before?.reference
            ?? ReaderReference(
                id: message.id, name: plan.name(of: message.name, id: message.id),
                kind: plan.kind)
        devices[message.id] = Device(
            ownName: message.name, reference: reference, state: message.state,
            reason: message.reason,
            signals: message.signals ?? [])
        setTrouble(nil)
        if before?.state != message.state || before?.reason != message.reason {
            report(
                .state(
                    ReaderEvent(
                        reader: reference, state: message.state, reason: message.reason)))
        }
        switch message.state {
        case .ready: report(.ready(device: message.id))
        case .disconnected:
            openTokens = openTokens.filter { $0.value != message.id }
            report(
                message.interrupted == true
                    ? .interrupted(device: message.id, process: process.number)
                    : .gone(device: message.id))
        case .connected, .degraded: break
        }
        if message.occupied == true {
            report(.occupied(device: message.id, process: process.number))
        }
    }
}
