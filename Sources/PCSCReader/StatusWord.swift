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

    /// 67 00, or 6C with the length that would have been right (nil where it is not said).
    var isWrongLength: Bool { value == 0x6700 || value >> 8 == 0x6C }

    /// The length that 6C xx asks for.
    var rightLength: Int? { value >> 8 == 0x6C ? Int(value & 0xFF) : nil }

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
}

/// The commands that a reader itself answers for a contactless tag.
///
/// Source: PC/SC 2.01, part 3, sections 3.2.2.1.3 and 3.2.2.1.8.
package enum ReaderCommand {
    /// Get Data: the UID of the tag.
    package static let uid: [UInt8] = [0xFF, 0xCA, 0x00, 0x00, 0x00]

    /// Read Binary: so many bytes from a page on.
    package static func read(page: Int, count: Int) -> [UInt8] {
        [0xFF, 0xB0, UInt8(page >> 8 & 0xFF), UInt8(page & 0xFF), UInt8(count & 0xFF)]
    }
}
