extension NDEFMessage {
    /// Reads the bytes of a whole message.
    ///
    /// What it keeps is never more than the bytes it was given, whatever lengths they claim. Bytes
    /// after the record that ends the message are ignored: some writers leave padding there.
    ///
    /// - Parameter bytes: The message. No bytes at all are a message without records.
    /// - Throws: `MalformedNDEF` with the offset of the record that is wrong.
    package init(_ bytes: [UInt8]) throws(MalformedNDEF) {
        var parser = NDEFParser(bytes)
        var records: [NDEFRecord] = []
        if !bytes.isEmpty {
            while let record = try parser.next() { records.append(record) }
        }
        self.init(records: records)
    }
}

/// Walks the records of one message.
private struct NDEFParser {
    private let bytes: [UInt8]
    private var offset = 0
    private var ended = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next record with all its chunks, or nil after the one that ends the message.
    mutating func next() throws(MalformedNDEF) -> NDEFRecord? {
        guard !ended else { return nil }
        let first = try piece()
        try checkFirst(first)
        var payload = Array(first.payload)
        var last = first
        while last.header.isChunk {
            if last.header.endsMessage { throw failure(last, .chunkAtEnd) }
            last = try continuation()
            payload += last.payload
        }
        ended = last.header.endsMessage
        return NDEFRecord(
            format: first.header.format, type: Array(first.type), id: Array(first.id),
            payload: payload)
    }

    private func checkFirst(_ piece: Piece) throws(MalformedNDEF) {
        let header = piece.header
        if piece.start == 0 && !header.beginsMessage { throw failure(piece, .noBegin) }
        if piece.start != 0 && header.beginsMessage { throw failure(piece, .secondBegin) }
        switch header.format {
        case .unchanged:
            throw failure(piece, .chunkWithoutStart)
        case .empty where header.length != 0:
            throw failure(piece, .emptyWithContents)
        case .unknown where header.typeLength != 0:
            throw failure(piece, .typeNotAllowed)
        default:
            break
        }
    }

    private mutating func continuation() throws(MalformedNDEF) -> Piece {
        let piece = try piece()
        let header = piece.header
        if header.beginsMessage { throw failure(piece, .secondBegin) }
        if header.format != .unchanged { throw failure(piece, .chunkInterrupted) }
        if header.typeLength != 0 || header.idLength != 0 { throw failure(piece, .chunkWithType) }
        return piece
    }

    private func failure(_ piece: Piece, _ reason: MalformedNDEF.Reason) -> MalformedNDEF {
        MalformedNDEF(offset: piece.start, reason: reason)
    }

    /// One record as it stands, chunk or whole.
    private struct Piece {
        let start: Int
        let header: RecordHeader
        let type: ArraySlice<UInt8>
        let id: ArraySlice<UInt8>
        let payload: ArraySlice<UInt8>
    }

    private mutating func piece() throws(MalformedNDEF) -> Piece {
        let start = offset
        guard start < bytes.count else { throw MalformedNDEF(offset: start, reason: .noEnd) }
        guard let header = RecordHeader(bytes[start...]) else {
            throw MalformedNDEF(offset: start, reason: .cutInHeader)
        }
        let body = bytes[(start + header.size)...]
        guard header.length <= body.count else {
            throw MalformedNDEF(offset: start, reason: .cutInRecord)
        }
        offset = body.startIndex + header.length
        let rest = body.dropFirst(header.typeLength)
        return Piece(
            start: start, header: header, type: body.prefix(header.typeLength),
            id: rest.prefix(header.idLength),
            payload: rest.dropFirst(header.idLength).prefix(header.payloadLength))
    }
}

/// The flags and lengths in front of a record.
///
/// Source: NDEF 1.0, section 3.2, figure 3.
private struct RecordHeader {
    let beginsMessage: Bool
    let endsMessage: Bool
    let isChunk: Bool
    let format: NDEFRecord.TypeNameFormat
    let typeLength: Int
    let payloadLength: Int
    let idLength: Int
    /// The header's own length.
    let size: Int

    /// The length of what follows the header; four bytes and two more can't overflow.
    var length: Int { typeLength + idLength + payloadLength }

    /// Reads a header, or nil where the bytes end inside it.
    init?(_ bytes: ArraySlice<UInt8>) {
        var fields = bytes.makeIterator()
        guard let flags = fields.next(), let typeLength = fields.next() else { return nil }
        let isShort = flags & 0x10 != 0
        var payloadLength = 0
        for _ in 0..<(isShort ? 1 : 4) {
            guard let byte = fields.next() else { return nil }
            payloadLength = payloadLength << 8 | Int(byte)
        }
        let hasID = flags & 0x08 != 0
        var idLength: UInt8 = 0
        if hasID {
            guard let byte = fields.next() else { return nil }
            idLength = byte
        }
        beginsMessage = flags & 0x80 != 0
        endsMessage = flags & 0x40 != 0
        isChunk = flags & 0x20 != 0
        format = NDEFRecord.TypeNameFormat(rawValue: flags & 7) ?? .reserved
        self.typeLength = Int(typeLength)
        self.payloadLength = payloadLength
        self.idLength = Int(idLength)
        size = 2 + (isShort ? 1 : 4) + (hasID ? 1 : 0)
    }
}
