import Glibc
import LineProtocols
import Platform
import ReaderKit
import Scanning
import Synchronization
import Testing

@Suite("A reader program's lines")
struct ReaderOutputTests {
    /// Reads a pipe to its end on a thread of its own and gives the lines.
    private final class Reading: Sendable {
        private let lines = Mutex<[[UInt8]]?>(nil)

        init(_ descriptor: Int32) {
            Threads.start { [self] in
                let file = Descriptor(owning: descriptor)
                var splitter = LineSplitter()
                var all: [[UInt8]] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while case .bytes(let count) = buffer.withUnsafeMutableBytes({
                    file.read(into: $0)
                }) {
                    all += splitter.append(buffer.prefix(count))
                }
                lines.withLock { $0 = all }
            }
        }

        func all() async -> [[UInt8]] {
            while true {
                if let lines = lines.withLock({ $0 }) { return lines }
                await Task.yield()
            }
        }
    }

    private func openPipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    private func departure(_ token: String) -> ReaderMessage {
        .depart(.init(device: "x", token: token, bootNanoseconds: 1))
    }

    @Test(
        "lines of several threads are whole, also where the pipe is full", arguments: [true, false])
    func wholeLines(blocking: Bool) async throws {
        let pipe = openPipe()
        if !blocking { #expect(fcntl(pipe.write, F_SETFL, O_NONBLOCK) == 0) }
        let padding = String(repeating: "x", count: 9_000)
        let output = ReaderOutput(descriptor: pipe.write) {}
        let reading = Reading(pipe.read)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for index in 0..<25 {
                        output.send(self.departure("\(writer)-\(index)-\(padding)"))
                    }
                }
            }
        }
        close(pipe.write)
        var tokens: [String] = []
        for line in await reading.all() {
            let message = try JSONLine.decode(ReaderMessage.self, from: line)
            if case .depart(let departure) = message { tokens.append(departure.token) }
        }
        #expect(Set(tokens).count == 100)
    }

    @Test("a message over the limit of a line is left out")
    func overlongLine() async throws {
        let pipe = openPipe()
        let output = ReaderOutput(descriptor: pipe.write) {}
        let reading = Reading(pipe.read)
        output.send(departure(String(repeating: "x", count: 66_000)))
        output.send(.alive)
        close(pipe.write)
        #expect(await reading.all() == [Array("{\"alive\":{}}".utf8)])
    }

    @Test("when nobody reads any more, the program is told")
    func closedPipe() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = openPipe()
        close(pipe.read)
        let closed = Mutex(0)
        let output = ReaderOutput(descriptor: pipe.write) { closed.withLock { $0 += 1 } }
        output.send(.alive)
        #expect(closed.withLock { $0 } == 1)
        close(pipe.write)
    }
}

@Suite("Signs of life")
struct AliveScheduleTests {
    @Test("a loop that turns often says so every five seconds; one that stands still, never")
    func schedule() {
        var schedule = AliveSchedule(now: 0)
        let second: UInt64 = 1_000_000_000
        let turns = (1...24).map { $0 * second / 2 }
        let due = turns.filter { schedule.turned(at: $0) }
        #expect(due == [5 * second, 10 * second])
        #expect(schedule.remaining(at: 12 * second) == 3 * second)
        #expect(schedule.remaining(at: 16 * second) == 0)
        // After a long stillness one is due, not one for each that was missed.
        let late = [60, 61].map { schedule.turned(at: $0 * second) }
        #expect(late == [true, false])
    }
}

@Suite("A reader program's command line")
struct CommandLineOptionsTests {
    private func read(_ arguments: [String]) throws -> CommandLineOptions {
        try CommandLineOptions(arguments, valued: ["match", "grace"], flags: ["help"])
    }

    @Test("values follow their option or an equals sign, in order")
    func values() throws {
        let options = try read(["--match", "a", "--match=b=c", "--grace", "--help", "--help"])
        #expect(options.all("match") == ["a", "b=c"])
        #expect(options.all("grace") == ["--help"])
        #expect(options.flags == ["help"])
    }

    static let refused: [([String], String)] = [
        (["--match"], "--match needs a value"),
        (["x"], "unexpected argument “x”"),
        (["-h"], "unexpected argument “-h”"),
        (["--verbose"], "unknown option “--verbose”"),
        (["--help=yes"], "unknown option “--help=yes”"),
        (["--"], "unknown option “--”"),
    ]

    @Test("what makes no sense is refused with a sentence", arguments: refused)
    func refusal(arguments: [String], sentence: String) {
        #expect(throws: UsageError(sentence)) { try read(arguments) }
    }
}
