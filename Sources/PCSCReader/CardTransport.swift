internal import NFCForum

/// What commands are sent through: a tag that is connected.
protocol APDUChannel: ~Copyable {
    /// Sends a command and waits for the answer.
    borrowing func transmit(_ command: [UInt8]) throws(PCSCError) -> [UInt8]
}

/// A tag's memory through a reader's READ BINARY, which remembers what the reader can take.
struct CardTransport<Channel: APDUChannel & ~Copyable>: TagTransport, ~Copyable {
    var channel: Channel
    private(set) var readLimit: Int

    /// - Parameters:
    ///   - channel: The tag.
    ///   - readLimit: The most bytes that the reader is known to give at a time.
    init(_ channel: consuming Channel, readLimit: Int) {
        self.channel = channel
        self.readLimit = readLimit
    }

    mutating func read(page: Int, count: Int) throws -> [UInt8] {
        let answer = try exchange(page, count)
        if answer.status.isSuccess { return answer.data }
        guard answer.status.isWrongLength, count > 4 else {
            throw Refusal(page: page, status: answer.status)
        }
        // 6C says which length is right; 67 only that this one is not.
        let length = answer.status.rightLength.map { max(4, $0 / 4 * 4) } ?? count / 8 * 4
        let second = try exchange(page, length)
        guard second.status.isSuccess else { throw Refusal(page: page, status: second.status) }
        readLimit = min(readLimit, length)
        return second.data
    }

    private borrowing func exchange(_ page: Int, _ count: Int) throws(PCSCError) -> APDUAnswer {
        try answer(to: ReaderCommand.read(page: page, count: count))
    }

    private borrowing func answer(to command: [UInt8]) throws(PCSCError) -> APDUAnswer {
        let bytes = try channel.transmit(command)
        // An answer without a status word is none: 6F 00, "no precise diagnosis".
        return APDUAnswer(bytes) ?? APDUAnswer(data: [], status: StatusWord(0x6F00))
    }

    /// The UID, or nil where the reader knows none for this kind of card.
    ///
    /// - Throws: `PCSCError`; `Refusal` where the reader failed to ask the tag.
    borrowing func uid() throws -> [UInt8]? {
        let answer = try answer(to: ReaderCommand.uid)
        if answer.status.isSuccess { return answer.data }
        // 63 00 is what some readers say to every failure; the tag may answer when selected anew.
        // An answer too short for a status word is no better.
        guard answer.status.value != 0x6300, answer.status.value != 0x6F00 else {
            throw Refusal(page: nil, status: answer.status)
        }
        return nil
    }
}

/// A command that the reader or the tag did not carry out.
struct Refusal: Error, CustomStringConvertible {
    /// The page that was to be read; nil for the UID.
    let page: Int?
    let status: StatusWord

    var description: String {
        let command = page.map { "reading page \($0)" } ?? "reading the UID"
        return "\(command) was answered by \(status)"
    }
}

/// What every reader is taken to give at first: what one READ of a Type 2 tag brings.
///
/// Source: NFC Forum, Type 2 Tag Operation 1.1, section 5.3.
let firstReadLimit = 16
