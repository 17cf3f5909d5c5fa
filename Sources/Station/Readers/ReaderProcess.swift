internal import LineProtocols
internal import Platform

/// One run of a reader program: its lines in, its ending noticed, its stopping bounded.
@LoopActor
final class ReaderProcess {
    /// How long a program may go without a sign of life.
    static let silenceLimit = Duration.seconds(15)
    /// How long it may take to end after its input was closed, and after SIGTERM; together less than
    /// the station waits for it when it stops.
    private static let endLimit = Duration.milliseconds(500)
    private static let termLimit = Duration.milliseconds(200)

    /// What a run tells.
    enum Report {
        case message(ReaderMessage)
        /// A line on the program's stderr.
        case complaint(String)
        /// A line that is JSON and was left out, with what is wrong with it.
        case leftOut(MemberFault)
        /// It broke the protocol or fell silent, and is being ended.
        case failed(String)
        /// It has ended, and all it wrote was read.
        case ended(ChildProcess.Ending)
    }

    let number: Int
    var pid: Int32 { child.pid }
    private let child: ChildProcess
    private let report: @LoopActor (ReaderProcess, Report) -> Void
    /// Whether the station has more to store than it should take on.
    private let isCongested: @LoopActor () -> Bool
    private var output = LineSplitter()
    private var errors = LineSplitter(limit: 4096)
    private var watches: [Stream: EventLoop.WatchID] = [:]
    private var lastSign = Clocks.monotonicNanoseconds()
    private var introduced = false
    private var hasFailed = false
    private var isSilent = false
    private var isEnding = false

    private enum Stream { case output, errors, ending }

    /// Starts the program.
    ///
    /// - Throws: `SystemError` naming it.
    init(
        number: Int, command: [String], isCongested: @escaping @LoopActor () -> Bool,
        report: @escaping @LoopActor (ReaderProcess, Report) -> Void
    ) throws(SystemError) {
        self.number = number
        self.report = report
        self.isCongested = isCongested
        child = try ChildProcess(command)
        try child.output.setNonBlocking()
        try child.errors.setNonBlocking()
        try begin()
    }

    private func begin() throws(SystemError) {
        try watchOutput()
        watches[.errors] = try LoopActor.watch(child.errors.number, for: .readable) {
            [weak self] _ in self?.readErrors()
        }
        watches[.ending] = try LoopActor.watch(child.ending.number, for: .readable) {
            [weak self] _ in self?.ended()
        }
        watchSilence(for: Self.silenceLimit)
    }

    private func watchOutput() throws(SystemError) {
        watches[.output] = try LoopActor.watch(child.output.number, for: .readable) {
            [weak self] _ in self?.readUnlessCongested()
        }
    }

    /// Until when it is known to have looked at its devices (CLOCK_BOOTTIME, nanoseconds): until
    /// now, unless it has fallen silent.
    var lastLook: UInt64 {
        let now = Clocks.bootNanoseconds()
        guard isSilent else { return now }
        let silent = Clocks.monotonicNanoseconds() - lastSign
        return now - min(now, silent)
    }

    // MARK: Ending it

    /// Asks the program to end, and sees to it that it does.
    func stop() {
        guard !isEnding else { return }
        isEnding = true
        child.closeInput()
        LoopActor.after(Self.endLimit) { [weak self] in
            guard let self, isRunning else { return }
            child.signal(15)
            LoopActor.after(Self.termLimit) { [weak self] in self?.kill() }
        }
    }

    /// Ends the program at once.
    func kill() {
        if isRunning { child.signal(9) }
    }

    private var isRunning: Bool { watches[.ending] != nil }

    /// Ends a program that does not keep to the protocol.
    func fail(_ reason: String) {
        guard isRunning, !isEnding else { return }
        isEnding = true
        hasFailed = true
        report(self, .failed(reason))
        kill()
    }

    private func ended() {
        guard let ending = child.reap() else { return }
        // What it wrote before its end counts; a grandchild may hold the pipe open, so no waiting.
        readOutput(buffers: Self.lastBuffers)
        readErrors()
        for watch in watches.values { LoopActor.loop.unwatch(watch) }
        watches = [:]
        report(self, .ended(ending))
    }

    private func unwatch(_ stream: Stream) {
        if let watch = watches.removeValue(forKey: stream) { LoopActor.loop.unwatch(watch) }
    }

    // MARK: Reading

    /// How long a program that tells more than can be stored is not listened to.
    private static let congestionPause = Duration.milliseconds(20)

    private func readUnlessCongested() {
        guard isCongested() else { return readOutput() }
        // What it writes meanwhile fills its pipe, and then it waits itself.
        unwatch(.output)
        LoopActor.after(Self.congestionPause) { [weak self] in
            guard let self, isRunning else { return }
            try? watchOutput()
        }
    }

    /// How many buffers of 16 KiB are read at once: one of a program that runs, so that a flood does
    /// not hold up the others; of one that has ended, more than its pipe can hold.
    private static let buffers = 1
    private static let lastBuffers = 16

    private func readOutput(buffers: Int = ReaderProcess.buffers) {
        let lines = Self.read(child.output, buffers, into: &output) { self.unwatch(.output) }
        for line in lines { take(line) }
        if output.overflowed { fail("a line of more than \(LineSplitter.limit) bytes") }
    }

    private func readErrors() {
        let lines = Self.read(child.errors, Self.buffers, into: &errors) { self.unwatch(.errors) }
        for line in lines { report(self, .complaint(String(decoding: line, as: UTF8.self))) }
        if errors.overflowed { errors = LineSplitter(limit: 4096) }
    }

    /// Reads what is there, at most so many buffers of it.
    private static func read(
        _ stream: borrowing Descriptor, _ buffers: Int, into splitter: inout LineSplitter,
        atEnd: () -> Void
    ) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        for _ in 0..<buffers {
            switch buffer.withUnsafeMutableBytes({ stream.read(into: $0) }) {
            case .bytes(let count): lines += splitter.append(buffer[..<count])
            case .wouldBlock: return lines
            case .end, .failed:
                atEnd()
                return lines
            }
        }
        return lines
    }

    private func take(_ line: [UInt8]) {
        guard !output.overflowed, !hasFailed else { return }
        let message: ReaderMessage
        do {
            message = try JSONLine.decode(ReaderMessage.self, from: line)
        } catch let error as JSONLine.Malformed {
            return fail(error.description)
        } catch let error as DecodingError {
            // A message of a later version, or one that lacks what it needs: the others count.
            return report(self, .leftOut(MemberFault(error)))
        } catch {
            return fail("the line can't be read")
        }
        guard introduced || isIntroduction(message) else {
            return fail("the first line does not introduce the reader")
        }
        lastSign = Clocks.monotonicNanoseconds()
        report(self, .message(message))
    }

    private func isIntroduction(_ message: ReaderMessage) -> Bool {
        guard case .reader(let introduction) = message else { return false }
        introduced = introduction.protocol == 1
        return introduced
    }

    // MARK: Silence

    /// Looks when the limit would be reached, not at every sign of life: that would only cost.
    private func watchSilence(for delay: Duration) {
        LoopActor.after(delay) { [weak self] in
            guard let self, isRunning else { return }
            let silent = Clocks.monotonicNanoseconds() - lastSign
            let limit = Self.silenceLimit.nanoseconds
            guard silent < limit else {
                isSilent = true
                return fail("no sign of life for 15 s")
            }
            watchSilence(for: .nanoseconds(Int64(limit - silent)))
        }
    }
}
