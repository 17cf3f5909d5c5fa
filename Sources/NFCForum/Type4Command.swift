/// The commands that reading a Type 4 Tag takes.
///
/// Source: NFC Forum, Type 4 Tag 1.1, and Type 4 Tag Operation 1.0 for mapping version 1; ISO/IEC
/// 7816-4, SELECT and READ BINARY.
enum Type4Command: Sendable, Hashable {
    case selectApplication(version: UInt8)
    /// Mapping version 1 asks for control information of the file, the later ones for none.
    case selectFile(UInt16, version: UInt8)
    case read(offset: Int, count: Int)

    /// The file that says where the NDEF file is.
    static let container: UInt16 = 0xE103

    var bytes: [UInt8] {
        switch self {
        case .selectApplication(let version):
            let name: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, version == 1 ? 0x00 : 0x01]
            return [0x00, 0xA4, 0x04, 0x00, UInt8(name.count)] + name + [0x00]
        case .selectFile(let id, let version):
            return [0x00, 0xA4, 0x00, version == 1 ? 0x00 : 0x0C, 0x02]
                + [UInt8(id >> 8), UInt8(id & 0xFF)]
        case .read(let offset, let count):
            // 256 is written as 00.
            return [0x00, 0xB0, UInt8(offset >> 8 & 0x7F), UInt8(offset & 0xFF)]
                + [UInt8(count & 0xFF)]
        }
    }

    /// How many bytes of a file it asks for.
    var count: Int {
        if case .read(_, let count) = self { count } else { 0 }
    }

    /// Whether the command ends with the length of the answer that it asks for.
    var asksForData: Bool {
        if case .selectFile = self { false } else { true }
    }
}

/// One command and what may be needed until its whole answer is there.
///
/// The tag may say that another length is the right one, or keep the rest of its answer to be
/// fetched: each command takes at most `limit` exchanges.
///
/// Source: ISO/IEC 7816-4, section 5.6, 61 xx and 6C xx, and GET RESPONSE.
struct CommandExchange: Sendable {
    static let limit = 5

    let command: Type4Command
    /// What is to be sent now.
    private(set) var bytes: [UInt8]
    private var data: [UInt8] = []
    private var exchanges = 0

    init(_ command: Type4Command) {
        self.command = command
        bytes = command.bytes
    }

    /// Takes the answer to what was sent.
    ///
    /// - Returns: The whole answer, or nil where `bytes` are to be sent first.
    mutating func take(_ answer: APDUAnswer) -> APDUAnswer? {
        exchanges += 1
        data += answer.data
        if let rest = answer.status.remainingLength {
            // What a selected application says of itself is not needed.
            guard case .read = command, exchanges < Self.limit else { return whole(0x9000) }
            bytes = [0x00, 0xC0, 0x00, 0x00, UInt8(rest & 0xFF)]
            return nil
        }
        if let right = answer.status.rightLength, command.asksForData, exchanges < Self.limit {
            bytes[bytes.count - 1] = UInt8(right & 0xFF)
            return nil
        }
        return whole(answer.status.value)
    }

    private func whole(_ status: UInt16) -> APDUAnswer {
        APDUAnswer(data: data, status: StatusWord(status))
    }
}
