import LineProtocols
import Testing

@Suite("cutting a stream into lines")
struct LineSplitterTests {
    private func lines(_ parts: [[UInt8]], limit: Int = LineSplitter.limit) -> [String] {
        var splitter = LineSplitter(limit: limit)
        return parts.flatMap { splitter.append($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static let text = Array("one\ntwo\r\n\n\r\nthr\ree\n four \nhalf".utf8)
    private static let expected = ["one", "two", "thr\ree", " four "]

    @Test("lines are the same wherever the stream is cut")
    func everyCut() {
        for first in 0...Self.text.count {
            for second in first...Self.text.count {
                let parts = [
                    Array(Self.text[..<first]), Array(Self.text[first..<second]),
                    Array(Self.text[second...]),
                ]
                #expect(lines(parts) == Self.expected)
            }
        }
    }

    @Test("lines are the same byte by byte")
    func byteByByte() {
        #expect(lines(Self.text.map { [$0] }) == Self.expected)
    }

    @Test("half a line at the end is kept, and is no line")
    func halfLine() {
        var splitter = LineSplitter()
        #expect(splitter.append(Self.text).count == 4)
        #expect(splitter.pendingBytes == 4)
        #expect(!splitter.overflowed)
    }

    @Test("empty lines are left out, with and without CR")
    func emptyLines() {
        #expect(lines([Array("\n\r\n\n\n".utf8)]) == [])
    }

    @Test("only the last CR before the LF is dropped")
    func severalCRs() {
        #expect(lines([Array("a\r\r\n".utf8)]) == ["a\r"])
    }

    /// A line of so many bytes and what ends it.
    private func line(_ count: Int, _ end: String) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "a"), count: count) + Array(end.utf8)
    }

    private static let ends: [String] = ["\n", "\r\n"]

    @Test("a line of 65,536 bytes is taken, one of 65,537 ends the stream", arguments: ends)
    func limit(end: String) {
        var splitter = LineSplitter()
        #expect(splitter.append(line(65_536, end) + line(1, "\n")).map(\.count) == [65_536, 1])
        #expect(!splitter.overflowed)
        #expect(
            splitter.append(line(2, "\n") + line(65_537, end) + line(1, "\n")).map(\.count) == [2])
        #expect(splitter.overflowed)
        #expect(splitter.append(line(1, "\n")).isEmpty)
        #expect(splitter.pendingBytes == 0)
    }

    @Test("the limit holds wherever the stream is cut", arguments: ends)
    func limitAtEveryCut(end: String) {
        for (count, fits) in [(8, true), (9, false)] {
            let bytes = line(count, end) + line(3, "\n")
            for cut in 0...bytes.count {
                var splitter = LineSplitter(limit: 8)
                var taken = splitter.append(bytes[..<cut])
                taken += splitter.append(bytes[cut...])
                #expect(taken.map(\.count) == (fits ? [8, 3] : []))
                #expect(splitter.overflowed == !fits)
            }
        }
    }

    @Test("a line without end is given up before its LF, and not kept")
    func endless() {
        var splitter = LineSplitter()
        var held = 0
        for _ in 0..<100 {
            #expect(splitter.append(line(1000, "")).isEmpty)
            held = max(held, splitter.pendingBytes)
        }
        #expect(splitter.overflowed)
        #expect(splitter.pendingBytes == 0)
        #expect(held <= 65_537)
    }
}
