internal import NFCForum

extension FuzzTarget {
    /// The bytes of an NDEF message.
    static let ndef = FuzzTarget("ndef") { bytes in
        guard let message = try? NDEFMessage(bytes) else { return false }
        let kept = message.records.map { $0.type.count + $0.id.count + $0.payload.count }
        try demand(kept.reduce(0, +) <= bytes.count, "the records hold more than the message")
        try demand(
            message.records.allSatisfy { $0.format != .unchanged }, "a chunk was left by itself")
        for content in message.contents {
            // Latin-1 as UTF-8 takes two bytes for one; a prefix code stands for at most 26.
            try demand(
                content.text.utf8.count <= 3 * bytes.count + 32, "a text is longer than its record")
        }
        let chosen = message.chosen { $0.hasPrefix("https://s.plings.io/") }
        let first = message.contents.first { $0.text.hasPrefix("https://s.plings.io/") }
        try demand(first == nil || chosen == first, "a tag URL was passed over")
        try demand((chosen == nil) == message.contents.isEmpty, "contents, and none was chosen")
        return message.records.contains { $0.format == .wellKnown && $0.id.count >= 2 }
            && !message.contents.isEmpty
    }

    /// The memory of a Type 2 tag from its capability container on, or what a tag that answers
    /// whatever it likes answers.
    static let type2 = FuzzTarget("type2") { bytes in
        guard let mode = bytes.first else { return false }
        var tag = HostileMemory(
            bytes: Array(bytes.dropFirst()), isSteady: mode & 0x80 == 0,
            readLimit: 4 * (1 + Int(mode & 0x0F)))
        let outcome = try? Type2Reader.read(over: &tag)
        // 2,040 bytes are the most that a capability container can claim, at least 4 a read.
        try demand(tag.reads <= 8 + 2040 / 4, "\(tag.reads) reads")
        guard case .ndef(let message) = outcome else { return false }
        try demand(!message.isEmpty && message.count <= 2040, "a message of \(message.count) bytes")
        return mode & 0x80 == 0 && message.count > 254 && tag.blocksBefore == 2
    }
}

/// A Type 2 tag made of the fuzzer's bytes.
private struct HostileMemory: TagTransport {
    let bytes: [UInt8]
    /// Whether a page reads the same each time; otherwise each answer is the next of the bytes.
    let isSteady: Bool
    let readLimit: Int
    private(set) var reads = 0
    private var used = 0

    init(bytes: [UInt8], isSteady: Bool, readLimit: Int) {
        self.bytes = bytes
        self.isSteady = isSteady
        self.readLimit = readLimit
    }

    struct Ended: Error {}

    /// How many blocks of other types stand before the message, where they are short.
    var blocksBefore: Int {
        var rest = bytes.dropFirst(4)
        var count = 0
        while let type = rest.first, type != 0x03, let length = rest.dropFirst().first {
            rest = rest.dropFirst(2 + Int(length))
            count += 1
        }
        return count
    }

    mutating func read(page: Int, count: Int) throws -> [UInt8] {
        reads += 1
        guard isSteady else {
            let answer = bytes.dropFirst(used).prefix(
                1 + Int(bytes.dropFirst(used).first ?? 0) % 70)
            used += answer.count
            guard !answer.isEmpty else { throw Ended() }
            return Array(answer)
        }
        // Page 3 is the first; what lies behind the bytes is zero.
        return (0..<count).map { offset in
            let address = (page - 3) * 4 + offset
            return bytes.indices.contains(address) ? bytes[address] : 0
        }
    }
}
