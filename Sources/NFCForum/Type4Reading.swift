extension Type4Reader {
    /// Reads a whole tag.
    ///
    /// - Parameters:
    ///   - transport: The tag. Its `answerLimit` is lowered where the reader gave no more.
    ///   - messageLimit: The longest message that is of use, in bytes.
    /// - Returns: What the tag holds.
    /// - Throws: The transport's error; `Type4Refusal`.
    package static func read(
        over transport: inout some TagCommandTransport & ~Copyable, messageLimit: Int
    ) throws -> Outcome {
        var reader = Type4Reader(messageLimit: messageLimit, answerLimit: transport.answerLimit)
        while true {
            switch reader.next {
            case .transmit(let command):
                try reader.received(transport.transmit(command))
            case .done(let outcome):
                transport.answerLimit = min(transport.answerLimit, reader.answerLimit)
                return outcome
            }
        }
    }
}
