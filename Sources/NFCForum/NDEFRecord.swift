/// One record of an NDEF message, its chunks joined.
///
/// Source: NFC Forum, NDEF 1.0, section 2.3 and 3.2.
package struct NDEFRecord: Sendable, Hashable {
    package let format: TypeNameFormat
    package let type: [UInt8]
    /// The record's identifier, empty where it has none.
    package let id: [UInt8]
    package let payload: [UInt8]

    package init(
        format: TypeNameFormat, type: [UInt8], id: [UInt8] = [], payload: [UInt8] = []
    ) {
        self.format = format
        self.type = type
        self.id = id
        self.payload = payload
    }

    /// How the type field is to be read.
    ///
    /// Source: NDEF 1.0, section 3.2.6, table 1.
    package enum TypeNameFormat: UInt8, Sendable {
        case empty = 0
        case wellKnown = 1
        case media = 2
        case absoluteURI = 3
        case external = 4
        case unknown = 5
        /// A chunk after the first; never the format of a joined record.
        case unchanged = 6
        case reserved = 7
    }
}

/// A whole NDEF message.
package struct NDEFMessage: Sendable, Hashable {
    package let records: [NDEFRecord]

    package init(records: [NDEFRecord]) {
        self.records = records
    }

    /// Whether the message says nothing: no record, or empty records alone.
    package var isBlank: Bool {
        records.allSatisfy { $0.format == .empty }
    }
}

/// Why bytes are no NDEF message.
package struct MalformedNDEF: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where the record begins that is wrong, in bytes from the start of the message.
    package let offset: Int
    package let reason: Reason

    package init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// What is wrong with the record.
    package enum Reason: String, Sendable, CaseIterable {
        case cutInHeader = "it ends inside a record's header"
        case cutInRecord = "a record is longer than the rest of the message"
        case noBegin = "the first record does not begin the message"
        case secondBegin = "a later record begins the message again"
        case noEnd = "no record ends the message"
        case emptyWithContents = "an empty record has contents"
        case typeNotAllowed = "a record of unknown type names a type"
        case chunkWithoutStart = "a chunk continues no record"
        case chunkInterrupted = "a record begins inside a chunked one"
        case chunkWithType = "a chunk after the first has a type or an identifier"
        case chunkAtEnd = "the message ends before the last chunk"
    }

    package var description: String {
        "NDEF message, byte \(offset): \(reason.rawValue)"
    }
}
