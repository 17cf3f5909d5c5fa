import NFCForum
import Testing

/// A tag that knows exactly which reads will come and fails on any other.
struct ScriptedTag: TagTransport {
    struct Exchange: Sendable {
        let page: Int
        let count: Int
        let answer: [UInt8]

        init(_ page: Int, _ count: Int, _ answer: [UInt8]) {
            self.page = page
            self.count = count
            self.answer = answer
        }
    }

    struct Unexpected: Error, Equatable {
        let page: Int
        let count: Int
    }

    let readLimit: Int
    private(set) var rest: [Exchange]

    init(_ exchanges: [Exchange], readLimit: Int = 16) {
        rest = exchanges
        self.readLimit = readLimit
    }

    mutating func read(page: Int, count: Int) throws -> [UInt8] {
        guard let next = rest.first, next.page == page, next.count == count else {
            throw Unexpected(page: page, count: count)
        }
        rest.removeFirst()
        return next.answer
    }
}

/// A tag's memory from page 0 on, which counts the reads.
struct MemoryTag: TagTransport {
    struct PastTheEnd: Error {}

    let memory: [UInt8]
    let readLimit: Int
    private(set) var reads: [Range<Int>] = []

    init(_ memory: [UInt8], readLimit: Int = 16) {
        self.memory = memory
        self.readLimit = readLimit
    }

    /// A tag with these bytes from page 3 on, and zeros to the end of `pages`.
    init(from3 bytes: [UInt8], pages: Int = 45, readLimit: Int = 16) {
        let head: [UInt8] = [0x04, 0xA1, 0xB2, 0x9F, 0xC3, 0xD4, 0xE5, 0xF6, 0x04, 0x48, 0, 0]
        let memory = head + bytes
        let zeros = [UInt8](repeating: 0, count: max(0, pages * 4 - memory.count))
        self.init(memory + zeros, readLimit: readLimit)
    }

    mutating func read(page: Int, count: Int) throws -> [UInt8] {
        #expect(count > 0 && count <= readLimit && count.isMultiple(of: 4))
        let range = page * 4..<(page * 4 + count)
        guard range.upperBound <= memory.count else { throw PastTheEnd() }
        reads.append(range)
        return Array(memory[range])
    }
}
