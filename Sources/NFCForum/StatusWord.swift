/// The two bytes that end an answer.
///
/// Source: ISO/IEC 7816-4, section 5.6; PC/SC 2.01, part 3, section 3.2.2.
package struct StatusWord: Sendable, Hashable, CustomStringConvertible {
    package let value: UInt16

    package init(_ value: UInt16) {
        self.value = value
    }

    /// Whether the command was carried out: 90 00 and nothing else.
    package var isSuccess: Bool { value == 0x9000 }

    /// 67 00, or 6C with the length that would have been right.
    package var isWrongLength: Bool { value == 0x6700 || value >> 8 == 0x6C }

    /// The length that 6C xx asks for; 00 stands for 256.
    package var rightLength: Int? { value >> 8 == 0x6C ? Self.length(value) : nil }

    /// How many bytes more 61 xx says there are; 00 stands for 256.
    var remainingLength: Int? { value >> 8 == 0x61 ? Self.length(value) : nil }

    /// 69 82: the tag wants a key first.
    var isProtected: Bool { value == 0x6982 }

    /// What readers say where the tag gave no answer of its own: 63 00 an ACR122U to every failure,
    /// 64 00 and 6F 00 others.
    package var isExchangeFailure: Bool { [0x6300, 0x6400, 0x6F00].contains(value) }

    private static func length(_ value: UInt16) -> Int {
        value & 0xFF == 0 ? 256 : Int(value & 0xFF)
    }

    package var description: String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// An answer to a command: data and status word.
package struct APDUAnswer: Sendable, Hashable {
    package let data: [UInt8]
    package let status: StatusWord

    package init(data: [UInt8], status: StatusWord) {
        self.data = data
        self.status = status
    }

    /// Reads an answer, or nil where it is shorter than a status word.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 2 else { return nil }
        data = Array(bytes.dropLast(2))
        status = StatusWord(UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1]))
    }

    /// Reads an answer; one without a status word counts as 6F 00, "no precise diagnosis".
    package init(whole bytes: [UInt8]) {
        self = APDUAnswer(bytes) ?? APDUAnswer(data: [], status: StatusWord(0x6F00))
    }
}
