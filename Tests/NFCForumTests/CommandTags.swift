import NFCForum
import Scanning
import Testing

/// A tag that knows exactly which commands will come and fails on any other.
struct ScriptedCommands: TagCommandTransport {
    struct Unexpected: Error, Equatable {
        let command: String
    }

    var answerLimit: Int
    private(set) var rest: [(command: String, answer: String)]

    /// - Parameters:
    ///   - script: A command and its answer in turn, in hexadecimal.
    ///   - answerLimit: The most bytes that the reader gives.
    init(_ script: [(String, String)], answerLimit: Int = 256) {
        rest = script.map { (command: $0.0, answer: $0.1) }
        self.answerLimit = answerLimit
    }

    mutating func transmit(_ command: [UInt8]) throws -> [UInt8] {
        guard let next = rest.first, bytes(next.command) == command else {
            throw Unexpected(command: Hex.encode(command))
        }
        rest.removeFirst()
        return bytes(next.answer)
    }
}

/// A Type 4 Tag made of a capability container and an NDEF file, which counts the commands.
///
/// It refuses a read of more bytes than its container or its reader allows with 67 00.
struct FileTag: TagCommandTransport {
    let container: [UInt8]
    let file: [UInt8]
    /// The most bytes that the reader gives in one answer.
    var readerLimit = 256
    /// Whether what is read has to be fetched with GET RESPONSE.
    var keepsAnswers = false
    var answerLimit = 256
    private(set) var commands: [String] = []
    private var selected: [UInt8]?
    private var kept: [UInt8] = []

    /// A tag with a file of some size that begins with a message and its length.
    init(message: [UInt8], size: Int? = nil, maximumRead: Int = 255, isExtended: Bool = false) {
        let length = isExtended ? 4 : 2
        let size = size ?? max(256, message.count + length)
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(value >> (8 * $0) & 0xFF) }
        }
        file =
            number(message.count, length) + message
            + [UInt8](repeating: 0, count: max(0, size - length - message.count))
        let control =
            [isExtended ? 6 : 4, isExtended ? 8 : 6, 0xE1, 0x04] + number(size, length) + [0, 0]
        container =
            number(7 + control.count, 2) + [isExtended ? 0x30 : 0x20]
            + number(maximumRead, 2) + [0x00, 0x34] + control
    }

    private var maximumRead: Int { Int(container[3]) << 8 | Int(container[4]) }

    mutating func transmit(_ command: [UInt8]) throws -> [UInt8] {
        commands.append(Hex.encode(command))
        switch (command[1], command[2]) {
        case (0xA4, 0x04):
            return [0x90, 0x00]
        case (0xA4, _):
            selected = command[5...] == [0xE1, 0x03] ? container : file
            return [0x90, 0x00]
        case (0xC0, _):
            defer { kept = [] }
            return kept + [0x90, 0x00]
        default:
            return read(command)
        }
    }

    private mutating func read(_ command: [UInt8]) -> [UInt8] {
        let count = command[4] == 0 ? 256 : Int(command[4])
        let offset = Int(command[2]) << 8 | Int(command[3])
        guard count <= maximumRead, count <= readerLimit else { return [0x67, 0x00] }
        guard let selected, offset < selected.count else { return [0x6B, 0x00] }
        let data = Array(selected[offset...].prefix(count))
        guard keepsAnswers else { return data + [0x90, 0x00] }
        kept = data
        return [0x61, UInt8(data.count & 0xFF)]
    }
}
