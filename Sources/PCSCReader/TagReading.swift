internal import NFCForum
internal import ReaderKit

extension CardTransport where Channel: ~Copyable {
    /// Reads a tag, once: the UID and, where the tag's kind is known, what is on it.
    ///
    /// Blocks as long as the driver does.
    ///
    /// - Parameter atr: The tag's answer to reset.
    /// - Returns: What was found, or why it failed and what is known so far.
    mutating func readTag(atr: [UInt8]) -> Attempt.Outcome {
        let card = CardATR(atr)
        var uid: [UInt8]?
        do {
            uid = try self.uid()
            let contents = try contents(card.platform)
            return .read(
                TagReport(
                    technology: card.technology, kind: card.kind, uid: uid, contents: contents))
        } catch {
            return .failed(
                Attempt.Failure(error, card, uid: uid, isReadRefused: hasAskedForContents))
        }
    }

    private mutating func contents(_ platform: TagPlatform) throws -> TagReport.Contents {
        switch platform {
        case .type2: .init(try Type2Reader.read(over: &self))
        case .type4: .init(try readType4())
        default: .unsupported(platform.rawValue)
        }
    }

    /// Reads a Type 4 tag with nobody between.
    ///
    /// The tag remembers which file is selected: another program's command in between could make it
    /// give the bytes of another one. The memory of other tags is read at one place or another.
    private mutating func readType4() throws -> Type4Reader.Outcome {
        try channel.keepToOurselves()
        return try Type4Reader.read(over: &self, messageLimit: TagReport.messageLimit)
    }
}

extension TagReport.Contents {
    fileprivate init(_ outcome: Type2Reader.Outcome) {
        switch outcome {
        case .ndef(let message): self = .ndef(message)
        case .blank: self = .blank
        case .noNDEF: self = .uidOnly
        case .lyingLength: self = .unreadable(Self.lyingLength)
        }
    }

    fileprivate init(_ outcome: Type4Reader.Outcome) {
        switch outcome {
        case .ndef(let message): self = .ndef(message)
        case .blank: self = .blank
        case .noApplication: self = .uidOnly
        case .tooLong: self = .unsupported("tooLong")
        case .unknownVersion: self = .unsupported("type4 of an unknown version")
        case .protected: self = .unreadable("the tag does not let everybody read it")
        case .faulty(.lyingLength): self = .unreadable(Self.lyingLength)
        case .faulty(.container):
            self = .unreadable("the tag's capability container is not as it should be")
        }
    }

    private static let lyingLength = "a length on the tag goes beyond the tag's memory"
}

extension Attempt.Failure {
    fileprivate init(
        _ error: any Error, _ card: CardATR, uid: [UInt8]?, isReadRefused: Bool
    ) {
        self.init(
            (error as? PCSCError)?.code.trouble ?? .exchange, reason: "\(error)",
            technology: card.technology, kind: card.kind, uid: uid,
            isReadRefused: isReadRefused)
    }
}
