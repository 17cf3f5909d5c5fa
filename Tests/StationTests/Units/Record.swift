/// A record of an NDEF message, as tests write it.
struct Record: Sendable {
    /// The type name format.
    ///
    /// Source: NDEF 1.0, section 3.2.6.
    let format: UInt8
    let type: [UInt8]
    let payload: [UInt8]

    static func uri(_ text: String) -> Record {
        Record(format: 1, type: Array("U".utf8), payload: [0] + Array(text.utf8))
    }

    static func text(_ text: String) -> Record {
        Record(format: 1, type: Array("T".utf8), payload: [2] + Array("en\(text)".utf8))
    }

    static func poster(_ text: String) -> Record {
        Record(format: 1, type: Array("Sp".utf8), payload: message([.uri(text), .text("title")]))
    }

    static func external(_ type: String, _ text: String) -> Record {
        Record(format: 4, type: Array(type.utf8), payload: Array(text.utf8))
    }

    /// The bytes of a message.
    static func message(_ records: [Record]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, record) in records.enumerated() {
            let begins: UInt8 = index == 0 ? 0x80 : 0
            let ends: UInt8 = index == records.count - 1 ? 0x40 : 0
            bytes.append(begins | ends | 0x10 | record.format)
            bytes += [UInt8(record.type.count), UInt8(record.payload.count)]
            bytes += record.type + record.payload
        }
        return bytes
    }
}
