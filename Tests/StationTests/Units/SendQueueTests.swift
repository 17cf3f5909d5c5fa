import Testing

@testable import Station

@Suite("Lines that wait for a client")
struct SendQueueTests {
    private static func line(_ number: Int, length: Int) -> [UInt8] {
        let fill = Array(repeating: UInt8(ascii: "a") + UInt8(number % 26), count: length)
        return Array("\(number)".utf8) + fill + [UInt8(ascii: "\n")]
    }

    @Test("nothing to write is written at once")
    func empty() throws {
        let pair = try SocketPair()
        var queue = SendQueue()
        #expect(queue.isEmpty)
        let progress = queue.write(to: pair.station)
        #expect(progress == .empty)
        #expect(pair.read() == [])
    }

    @Test("lines arrive whole and in their order, also many at once")
    func inOrder() throws {
        let pair = try SocketPair()
        var queue = SendQueue()
        let lines = (0..<200).map { Self.line($0, length: 3) }
        for line in lines { queue.append(line) }
        #expect(queue.count == lines.joined().count)
        var received: [UInt8] = []
        while queue.write(to: pair.station) == .blocked { received += pair.read() }
        received += pair.read()
        #expect(received == Array(lines.joined()))
        #expect(queue.isEmpty)
        #expect(queue.count == 0)
    }

    @Test("a line far larger than the socket takes goes in pieces, and none lands inside it")
    func pieces() throws {
        let pair = try SocketPair()
        var queue = SendQueue()
        let long = Self.line(1, length: 300_000)
        let reply = Self.line(2, length: 10)
        queue.append(long)
        let first = queue.write(to: pair.station)
        #expect(first == .blocked)
        #expect(queue.count < long.count, "something was taken")
        queue.append(reply)
        var received = pair.read()
        while queue.write(to: pair.station) == .blocked { received += pair.read() }
        received += pair.read()
        #expect(received == long + reply)
    }

    @Test("writing to a client that does not read changes nothing")
    func blocked() throws {
        let pair = try SocketPair()
        var queue = SendQueue()
        queue.append(Self.line(1, length: 100_000))
        while queue.count == 100_002 { _ = queue.write(to: pair.station) }
        let waiting = queue.count
        for _ in 0..<3 {
            let progress = queue.write(to: pair.station)
            #expect(progress == .blocked)
            #expect(queue.count == waiting)
        }
    }

    @Test("a client that is gone breaks the connection, not the process")
    func broken() throws {
        let pair = try SocketPair()
        var queue = SendQueue()
        queue.append(Self.line(1, length: 10))
        pair.endClient()
        let progress = queue.write(to: pair.station)
        #expect(progress == .broken)
    }

    @Test("the last seq is that of the last line wholly written, and the rest can be dropped")
    func lastSeq() throws {
        let pair = try SocketPair()
        var queue = SendQueue()
        queue.append(Self.line(1, length: 10), seq: 7)
        queue.append(Self.line(2, length: 10))
        _ = queue.write(to: pair.station)
        #expect(queue.lastSeq == 7)
        queue.append(Self.line(3, length: 100_000), seq: 8)
        queue.append(Self.line(4, length: 10), seq: 9)
        _ = queue.write(to: pair.station)
        #expect(queue.lastSeq == 7)
        let begun = queue.count - 12
        queue.dropUnbegun()
        #expect(queue.count == begun)
        queue.append(Self.line(5, length: 10))
        var received = pair.read()
        while queue.write(to: pair.station) == .blocked { received += pair.read() }
        received += pair.read()
        #expect(queue.lastSeq == 8)
        #expect(received.suffix(12) == Self.line(5, length: 10))
        #expect(received.count == 2 * 12 + 100_002 + 12)
        queue.dropUnbegun()
        #expect(queue.isEmpty)
    }

    @Test("whatever the socket takes at a time, the bytes are the lines'", arguments: 0..<40)
    func random(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let pair = try SocketPair()
        var queue = SendQueue()
        var expected: [UInt8] = []
        var received: [UInt8] = []
        for number in 0..<400 {
            let longest = random.happens(0.05) ? 40_000 : 300
            let line = Self.line(number, length: Int.random(in: 0...longest, using: &random))
            queue.append(line)
            expected += line
            if random.happens(0.5) { _ = queue.write(to: pair.station) }
            if random.happens(0.5) {
                received += pair.read(Int.random(in: 1...5000, using: &random))
            }
            let taken = expected.count - queue.count
            #expect(received.count <= taken)
        }
        while queue.write(to: pair.station) == .blocked { received += pair.read() }
        received += pair.read()
        #expect(received == expected)
        #expect(queue.count == 0)
    }
}
