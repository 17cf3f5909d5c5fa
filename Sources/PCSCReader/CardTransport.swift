internal import NFCForum

/// What commands are sent through: a tag that is connected.
protocol APDUChannel: ~Copyable {
    /// Sends a command and waits for the answer.
    borrowing func transmit(_ command: [UInt8]) throws(PCSCError) -> [UInt8]

    /// Keeps other programs' commands from the tag until the connection ends.
    borrowing func keepToOurselves() throws(PCSCError)
}

/// A tag through a reader, and what this reader turns out to give at a time.
///
/// A read takes at most two exchanges, any other command one.
struct CardTransport<Channel: APDUChannel & ~Copyable>: TagTransport, TagCommandTransport,
    ~Copyable
{
    var channel: Channel
    private(set) var limits: ReadLimits
    /// Whether the last command asked for contents, of which there may have been too many.
    private(set) var hasAskedForContents = false

    /// - Parameters:
    ///   - channel: The tag.
    ///   - limits: What is known of the reader.
    init(_ channel: consuming Channel, limits: ReadLimits) {
        self.channel = channel
        self.limits = limits
    }

    var readLimit: Int { limits.most }

    var answerLimit: Int {
        get { limits.answer }
        set { limits.answer = newValue }
    }

    mutating func read(page: Int, count: Int) throws -> [UInt8] {
        hasAskedForContents = true
        let count = max(count, limits.least)
        let answer = try exchange(page, count)
        if answer.status.isSuccess { return answer.data }
        guard let length = rightLength(instead: count, answer.status) else {
            throw Refusal(page: page, status: answer.status)
        }
        let second = try exchange(page, length)
        guard second.status.isSuccess else { throw Refusal(page: page, status: second.status) }
        limits.gave(length, insteadOf: count)
        return second.data
    }

    /// The length that a reader wants which has refused another: 6C says which one, 67 only that
    /// this one is not it.
    private func rightLength(instead count: Int, _ status: StatusWord) -> Int? {
        if let right = status.rightLength {
            let length = min(max(4, right / 4 * 4), ReadLimits().most)
            return length == count ? nil : length
        }
        return status.isWrongLength && count > 4 ? count / 8 * 4 : nil
    }

    mutating func transmit(_ command: [UInt8]) throws -> [UInt8] {
        hasAskedForContents = command.dropFirst().first == ReaderCommand.readBinary
        return try channel.transmit(command)
    }

    private borrowing func exchange(_ page: Int, _ count: Int) throws(PCSCError) -> APDUAnswer {
        try answer(to: ReaderCommand.read(page: page, count: count))
    }

    private borrowing func answer(to command: [UInt8]) throws(PCSCError) -> APDUAnswer {
        APDUAnswer(whole: try channel.transmit(command))
    }

    /// The UID, or nil where the reader knows none for this kind of card.
    ///
    /// - Throws: `PCSCError`; `Refusal` where the reader failed to ask the tag.
    borrowing func uid() throws -> [UInt8]? {
        let answer = try answer(to: ReaderCommand.uid)
        if answer.status.isSuccess { return answer.data }
        // What some readers say to every failure: the tag may answer when selected anew.
        guard !answer.status.isExchangeFailure else {
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
