extension Type4Reader {
    /// What to do next.
    package enum Step: Sendable, Hashable {
        case transmit([UInt8])
        case done(Outcome)
    }

    /// What the tag turned out to hold.
    package enum Outcome: Sendable, Hashable {
        /// A message of at least one byte, as it stands on the tag.
        case ndef([UInt8])
        /// A message of length zero, or an application without the files or contents for one.
        case blank
        /// The NDEF application is not there.
        case noApplication
        /// A message longer than what was asked for; it was not read.
        case tooLong
        /// The tag wants a key before the message may be read, or says that nobody may read it.
        case protected
        /// A mapping version that is not known.
        case unknownVersion
        /// Something on the tag contradicts itself.
        case faulty(Fault)
    }

    /// What contradicts itself.
    package enum Fault: Sendable, Hashable {
        /// The capability container is cut off, or says what none may say.
        case container
        /// A length on the tag goes beyond the tag's memory.
        case lyingLength
    }
}
