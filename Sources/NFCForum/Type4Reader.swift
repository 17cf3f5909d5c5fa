/// Reads the NDEF message of a Type 4 Tag: ISO/IEC 14443-4, of type A or B.
///
/// A value: it says which command comes next and takes the answer. With a tag as it should be, that
/// is five commands where the message fits into one answer: the application, the container, its
/// contents, the NDEF file, and one read that brings the length and the message; and one more for
/// each further answer that the message fills. A container that names an Extended NDEF file takes
/// one more read, a tag of mapping version 1 one more selection.
///
/// Whatever a tag answers, there are never more than `commandLimit` commands. READ BINARY reaches
/// 32 KiB into a file, which is further than any message that is asked for: offsets beyond that,
/// for which mapping version 3 has a form of its own, are not needed.
///
/// Source: NFC Forum, Type 4 Tag 1.1, NDEF detection and NDEF read procedures.
package struct Type4Reader: Sendable {
    private enum Phase: Sendable {
        case application(version: UInt8)
        case containerFile(version: UInt8)
        case container(version: UInt8)
        case messageFile(Type4Container)
        case message(Type4Container)
        case ended(Outcome)
    }

    private let messageLimit: Int
    private var phase = Phase.application(version: 2)
    private var exchange = CommandExchange(.selectApplication(version: 2))
    /// What is known of the file that is selected, from its first byte on.
    private var file: [UInt8] = []
    /// Whether the message's length is asked for alone, since the tag has refused more.
    private var asksForLengthAlone = false
    private var commands = 0

    /// The most bytes that one answer may have, as far as the reader has shown.
    private(set) var answerLimit: Int

    /// - Parameters:
    ///   - messageLimit: The longest message that is of use, in bytes, at most 32,763.
    ///   - answerLimit: The most bytes that one answer may have.
    package init(messageLimit: Int, answerLimit: Int) {
        self.messageLimit = min(messageLimit, 0x7FFF - 4)
        self.answerLimit = min(max(answerLimit, Type4Container.minimumSize), 256)
    }

    /// The most commands that one tag takes, whatever it answers: a message may come in pieces as
    /// small as the smallest that a tag may give, each asked for twice.
    package static func commandLimit(messageLimit: Int) -> Int {
        48 + 2 * (messageLimit / Type4Container.minimumSize + 1)
    }

    /// A command to be sent, or what the tag holds.
    package var next: Step {
        if case .ended(let outcome) = phase { return .done(outcome) }
        return .transmit(exchange.bytes)
    }

    /// Takes the answer to the command.
    ///
    /// - Throws: `Type4Refusal` where the tag or the reader did not carry it out.
    package mutating func received(_ answer: [UInt8]) throws(Type4Refusal) {
        commands += 1
        guard commands < Self.commandLimit(messageLimit: messageLimit) else {
            throw Type4Refusal(exchange.command, .tooManyCommands)
        }
        guard let whole = exchange.take(APDUAnswer(whole: answer)) else { return }
        // More than was asked for is none of the file's.
        let data = Array(whole.data.prefix(exchange.command.count))
        try take(APDUAnswer(data: data, status: whole.status))
    }

    // MARK: What the answers mean

    private mutating func take(_ answer: APDUAnswer) throws(Type4Refusal) {
        switch phase {
        case .application(let version):
            try applicationSelected(answer.status, version)
        case .containerFile(let version):
            if try fileSelected(answer.status) {
                phase = .container(version: version)
                read(from: 0, count: Type4Container.minimumSize)
            }
        case .container(let version):
            try containerRead(answer, version)
        case .messageFile(let container):
            if try fileSelected(answer.status) {
                phase = .message(container)
                readMessage(container)
            }
        case .message(let container):
            try messageRead(answer, container)
        case .ended:
            break
        }
    }

    private mutating func applicationSelected(
        _ status: StatusWord, _ version: UInt8
    ) throws(Type4Refusal) {
        if status.isSuccess {
            phase = .containerFile(version: version)
            exchange = CommandExchange(.selectFile(Type4Command.container, version: version))
        } else if status.isExchangeFailure {
            throw Type4Refusal(exchange.command, .status(status))
        } else if version == 2 {
            phase = .application(version: 1)
            exchange = CommandExchange(.selectApplication(version: 1))
        } else {
            phase = .ended(.noApplication)
        }
    }

    /// Whether the file is there; where it is not, nothing was ever written.
    private mutating func fileSelected(_ status: StatusWord) throws(Type4Refusal) -> Bool {
        file = []
        if status.isSuccess { return true }
        if status.value == 0x6A82 {
            phase = .ended(.blank)
        } else {
            try refused(status)
        }
        return false
    }

    private mutating func refused(_ status: StatusWord) throws(Type4Refusal) {
        guard status.isProtected else { throw Type4Refusal(exchange.command, .status(status)) }
        phase = .ended(.protected)
    }

    private mutating func containerRead(
        _ answer: APDUAnswer, _ version: UInt8
    ) throws(Type4Refusal) {
        guard answer.isRead else { return try refused(answer.status) }
        let before = file.count
        file += answer.data
        do throws(Type4Container.Fault) {
            let container = try Type4Container(file)
            guard container.readAccess == 0 else { return phase = .ended(.protected) }
            phase = .messageFile(container)
            exchange = CommandExchange(.selectFile(container.file, version: version))
        } catch {
            switch error {
            case .tooShort(let needed) where before == 0 && file.count == 15:
                read(from: file.count, count: needed - file.count)
            case .tooShort: phase = .ended(.faulty(.container))
            case .empty: phase = .ended(.blank)
            case .version: phase = .ended(.unknownVersion)
            case .invalid(let fault): phase = .ended(.faulty(fault))
            }
        }
    }

    private mutating func messageRead(
        _ answer: APDUAnswer, _ container: Type4Container
    ) throws(Type4Refusal) {
        if answer.isRead {
            guard !answer.data.isEmpty else { throw Type4Refusal(exchange.command, .nothing) }
            file += answer.data
        } else if answer.status.value == 0x6700, let shorter = shorterRead {
            answerLimit = shorter
        } else if file.isEmpty, !asksForLengthAlone, !answer.status.isExchangeFailure,
            !answer.status.isProtected
        {
            // Some programs that play a tag know no read but the one for the length.
            asksForLengthAlone = true
        } else {
            return try refused(answer.status)
        }
        readMessage(container)
    }

    // MARK: What is asked for

    private mutating func readMessage(_ container: Type4Container) {
        var needed = container.fileSize
        if file.count >= container.lengthSize {
            let length = Type4Container.number(file.prefix(container.lengthSize))
            guard length > 0 else { return phase = .ended(.blank) }
            guard length <= container.fileSize - container.lengthSize else {
                return phase = .ended(.faulty(.lyingLength))
            }
            guard length <= messageLimit else { return phase = .ended(.tooLong) }
            needed = container.lengthSize + length
            guard file.count < needed else {
                let message = file[container.lengthSize..<needed]
                return phase = .ended(.ndef(Array(message)))
            }
        } else if asksForLengthAlone {
            needed = container.lengthSize
        }
        let most = min(container.maximumRead, answerLimit)
        read(from: file.count, count: min(needed - file.count, most))
    }

    private mutating func read(from offset: Int, count: Int) {
        exchange = CommandExchange(.read(offset: offset, count: count))
    }

    /// What a reader may give that has refused the last read for its length: one with a buffer of
    /// 256, 128, 64 or 32 bytes has room for two less, since the status word goes into it too.
    private var shorterRead: Int? {
        [254, 126, 62, 30, Type4Container.minimumSize].first { $0 < exchange.command.count }
    }
}

extension APDUAnswer {
    /// Whether a read brought what there was: all of it, or up to the end of the file (62 82).
    fileprivate var isRead: Bool { status.isSuccess || status.value == 0x6282 && !data.isEmpty }
}
