internal import Glibc
package import Platform
internal import Synchronization

/// A program under test: its output and errors gathered by threads, its end awaited with a bound.
package final class RunningProgram: Sendable {
    private let child: ChildProcess
    private let gathered = Mutex(Gathered())
    private let ended = Mutex<ChildProcess.Ending?>(nil)

    private struct Gathered {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var openStreams = 2
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - environment: Variables that are added to ours.
    package init(_ arguments: [String], environment: [String: String] = [:]) {
        var variables = ProcessEnvironment.current
        for (name, value) in environment { variables[name] = value }
        do {
            child = try ChildProcess(
                arguments, environment: variables.map { "\($0.key)=\($0.value)" })
        } catch {
            fatalError("\(error)")
        }
        Threads.start(name: "output") { [self] in gather(child.output) { $0.output += $1 } }
        Threads.start(name: "errors") { [self] in gather(child.errors) { $0.errors += $1 } }
    }

    private func gather(
        _ stream: borrowing Descriptor, _ add: @Sendable (inout Gathered, ArraySlice<UInt8>) -> Void
    ) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case .bytes(let count) = buffer.withUnsafeMutableBytes({ stream.read(into: $0) }) {
            gathered.withLock { add(&$0, buffer[..<count]) }
        }
        gathered.withLock { $0.openStreams -= 1 }
    }

    package var pid: Int32 { child.pid }

    /// What it has written to its standard output.
    package var output: String { gathered.withLock { String(decoding: $0.output, as: UTF8.self) } }

    /// What it has written to its standard error.
    package var errors: String { gathered.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    /// Writes to its standard input.
    package func write(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { child.input.write($0) }
    }

    package func closeInput() {
        child.closeInput()
    }

    package func signal(_ number: Int32) {
        if ended.withLock({ $0 == nil }) { child.signal(number) }
    }

    /// Waits for its end and for all that it wrote.
    ///
    /// - Returns: How it ended, or nil where it still runs after the time.
    @discardableResult
    package func wait(seconds: Double = 20) -> ChildProcess.Ending? {
        var awaited = pollfd(fd: child.ending.number, events: Int16(POLLIN), revents: 0)
        guard poll(&awaited, 1, Int32(seconds * 1000)) == 1 else { return nil }
        _ = Poll.until(seconds: 5) { gathered.withLock { $0.openStreams == 0 } }
        return ended.withLock { ended in
            if ended == nil { ended = child.reap() }
            return ended
        }
    }

    /// Ends it with SIGKILL if it still runs.
    package func kill() {
        signal(SIGKILL)
        wait()
    }
}

/// Waiting for what an outside process does.
package enum Poll {
    /// Asks every few milliseconds until the answer is true or the time is over.
    ///
    /// - Returns: Whether it became true.
    package static func until(seconds: Double = 20, _ isTrue: () -> Bool) -> Bool {
        let end = Clocks.monotonicNanoseconds() + UInt64(seconds * 1e9)
        while Clocks.monotonicNanoseconds() < end {
            if isTrue() { return true }
            usleep(3000)
        }
        return isTrue()
    }
}
