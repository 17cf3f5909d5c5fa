internal import NFCForum

extension FuzzTarget {
    /// A Type 4 tag: one whose files hold the bytes, or one that answers whatever it likes.
    static let type4 = FuzzTarget("type4") { bytes in
        guard let mode = bytes.first else { return false }
        var card = HostileCard(mode: mode, bytes: bytes.dropFirst())
        let limit = 4096
        let outcome = try? Type4Reader.read(over: &card, messageLimit: limit)
        try demand(
            card.commands <= Type4Reader.commandLimit(messageLimit: limit),
            "\(card.commands) commands")
        try demand((15...256).contains(card.answerLimit), "a limit of \(card.answerLimit) bytes")
        guard case .ndef(let message) = outcome else { return false }
        try demand(!message.isEmpty && message.count <= limit, "\(message.count) bytes")
        return card.readsLengthAlone && message.count > 30
    }
}

/// A card made of the fuzzer's bytes.
private struct HostileCard: TagCommandTransport {
    var answerLimit = 256
    private(set) var commands = 0
    /// Whether more than the length at once was refused, and the length alone was given.
    private(set) var readsLengthAlone = false
    private let keepsFiles: Bool
    private let refusesBeyondTheEnd: Bool
    private var rest: ArraySlice<UInt8>
    private let container: [UInt8]
    private let file: [UInt8]
    private var selected: [UInt8] = []

    struct Ended: Error {}

    init(mode: UInt8, bytes: ArraySlice<UInt8>) {
        keepsFiles = mode & 0x80 == 0
        refusesBeyondTheEnd = mode & 0x40 != 0
        rest = bytes
        // The container's own first two bytes say how long it is; a card's may lie.
        container = Array(bytes.prefix(15 + Int(mode & 0x0F)))
        file = Array(bytes.dropFirst(15 + Int(mode & 0x0F)))
    }

    mutating func transmit(_ command: [UInt8]) throws -> [UInt8] {
        commands += 1
        return keepsFiles ? answer(to: command) : try next()
    }

    /// Whatever comes next, with a length in front.
    private mutating func next() throws -> [UInt8] {
        guard let count = rest.popFirst() else { throw Ended() }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    /// Source: NFC Forum, Type 4 Tag 1.1, SELECT and READ BINARY.
    private mutating func answer(to command: [UInt8]) -> [UInt8] {
        guard command.count >= 5 else { return [0x67, 0x00] }
        switch command[1] {
        case 0xA4:
            let isContainer = Array(command.suffix(2)) == [0xE1, 0x03]
            selected = isContainer ? container : file
            return [0x90, 0x00]
        case 0xB0:
            let offset = Int(command[2]) << 8 | Int(command[3])
            let count = command[4] == 0 ? 256 : Int(command[4])
            let data = selected.dropFirst(offset).prefix(count)
            guard data.count == count || !refusesBeyondTheEnd else { return [0x6B, 0x00] }
            if count == 2, offset == 0 { readsLengthAlone = true }
            return data + [0x90, 0x00]
        default: return [0x6D, 0x00]
        }
    }
}
