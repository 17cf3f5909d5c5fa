import Glibc
import LineProtocols
import Platform
import Synchronization

/// The lines that a program has written, collected by a thread as they come.
package final class VirtualLines: Sendable {
    private struct State {
        var lines: [String] = []
        var hasEnded = false
    }
    private let state = Mutex(State())

    /// Reads a descriptor to its end and closes it.
    init(reading descriptor: Int32) {
        Threads.start(name: "lines") { [self] in
            let file = Descriptor(owning: descriptor)
            var splitter = LineSplitter(limit: 1 << 20)
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case .bytes(let count) = buffer.withUnsafeMutableBytes({ file.read(into: $0) }) {
                let lines = splitter.append(buffer.prefix(count))
                let texts = lines.map { String(decoding: $0, as: UTF8.self) }
                state.withLock { $0.lines += texts }
            }
            state.withLock { $0.hasEnded = true }
        }
    }

    /// All lines so far.
    package var all: [String] { state.withLock { $0.lines } }

    /// Whether the program has closed the stream.
    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Waits until something is there, looking again and again.
    package static func poll<Result>(
        within limit: Duration, for body: () -> Result?
    ) async -> Result? {
        let clock = ContinuousClock()
        let end = clock.now + limit
        while true {
            if let result = body() { return result }
            guard clock.now < end else { return nil }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// The first line from an index on that fits, and the index behind it.
    package func first<Result>(
        from index: Int, within limit: Duration = .seconds(20), where fits: (String) -> Result?
    ) async -> (result: Result, next: Int)? {
        var index = index
        return await Self.poll(within: limit) {
            let lines = all
            while index < lines.count {
                index += 1
                if let result = fits(lines[index - 1]) { return (result, index) }
            }
            return nil
        }
    }
}
