import Glibc
import Platform
import Testing

@Suite("signals")
struct SignalTests {
    /// Blocks a signal in a thread, sends it there, and reads what the descriptor says.
    private func received(_ signal: Int32) async -> [Int32?] {
        await withCheckedContinuation { continuation in
            Threads.start(name: "signals") {
                Signals.block([signal])
                guard let descriptor = try? Signals.open([signal]) else {
                    return continuation.resume(returning: [])
                }
                let before = Signals.next(from: descriptor)
                pthread_kill(pthread_self(), signal)
                let first = Signals.next(from: descriptor)
                let after = Signals.next(from: descriptor)
                continuation.resume(returning: [before, first, after])
            }
        }
    }

    private static let signals: [Int32] = [SIGHUP, SIGTERM, SIGUSR1]

    @Test("a blocked signal ends nothing and is read once, without blocking", arguments: signals)
    func blocked(signal: Int32) async {
        #expect(await received(signal) == [nil, signal, nil])
    }

    @Test("a pipe that nobody reads is an error and ends nothing")
    func brokenPipe() throws {
        Signals.block([])
        let pipe = try Descriptor.pipe()
        pipe.read.replaceByNothing()
        #expect(pipe.write.write("x") == nil)
    }
}

@Suite("a descriptor")
struct DescriptorTests {
    @Test("a non-blocking one says when there is nothing, and when the end has come")
    func nonBlocking() throws {
        let pipe = try Descriptor.pipe()
        try pipe.read.setNonBlocking()
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(buffer.withUnsafeMutableBytes { pipe.read.read(into: $0) } == .wouldBlock)
        pipe.write.write("abc")
        #expect(buffer.withUnsafeMutableBytes { pipe.read.read(into: $0) } == .bytes(3))
        pipe.write.replaceByNothing()
        #expect(buffer.withUnsafeMutableBytes { pipe.read.read(into: $0) } == .end)
    }

    @Test("a full one takes nothing, and says so in place of blocking")
    func full() throws {
        let pipe = try Descriptor.pipe()
        try pipe.write.setNonBlocking()
        let block = [UInt8](repeating: 0, count: 65_536)
        var taken: [Int?] = []
        repeat {
            taken.append(block.withUnsafeBytes { pipe.write.write($0) })
        } while taken.last != 0 && taken.count < 100
        #expect(taken.last == 0)
        #expect(taken.count < 100)
    }

    @Test("it closes itself: the other end of its pipe sees that")
    func closesItself() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let reader = Descriptor(owning: ends[0])
        do {
            let writer = Descriptor(owning: ends[1])
            writer.write("last words")
        }
        #expect(reader.textToTheEnd() == "last words")
    }

    @Test("one that was given away stays open")
    func release() throws {
        let file = try Descriptor.open("/dev/null", O_RDONLY)
        let number = file.release()
        #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
        close(number)
    }

    @Test("a file that can't be opened is an error with its path")
    func missing() {
        do throws(SystemError) {
            _ = try Descriptor.open("/nowhere/file", O_RDONLY)
            Issue.record("it was opened")
        } catch {
            #expect(error == SystemError("open", "/nowhere/file", code: ENOENT))
        }
    }
}
