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
            return .failed(Attempt.Failure(error, card, uid: uid))
        }
    }

    private mutating func contents(_ platform: TagPlatform) throws -> TagReport.Contents {
        guard platform == .type2 else { return .unsupported(platform.rawValue) }
        switch try Type2Reader.read(over: &self) {
        case .ndef(let message): return .ndef(message)
        case .blank: return .blank
        case .noNDEF: return .uidOnly
        case .lyingLength:
            return .unreadable("a length on the tag goes beyond the tag's memory")
        }
    }
}

extension Attempt.Failure {
    fileprivate init(_ error: any Error, _ card: CardATR, uid: [UInt8]?) {
        let refusal = error as? Refusal
        self.init(
            (error as? PCSCError)?.code.trouble ?? .exchange, reason: "\(error)",
            technology: card.technology, kind: card.kind, uid: uid,
            isReadRefused: refusal?.page != nil)
    }
}
