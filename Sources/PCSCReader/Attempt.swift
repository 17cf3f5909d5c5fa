package import ReaderKit

/// One attempt to read the tag on a reader.
package struct Attempt: Sendable, Hashable {
    package let atr: [UInt8]
    /// As few bytes at a time as there is any use in, whatever the reader has given before.
    package let isInSmallestPieces: Bool

    package init(atr: [UInt8], inSmallestPieces: Bool = false) {
        self.atr = atr
        isInSmallestPieces = inSmallestPieces
    }

    /// How an attempt ended.
    package enum Outcome: Sendable, Hashable {
        case read(TagReport)
        case failed(Failure)
    }

    /// Why an attempt failed, and what is known of the tag.
    package struct Failure: Sendable, Hashable {
        package let trouble: PCSCCode.Trouble
        /// For people: the call and the code, or the command and the status word.
        package let reason: String
        /// The tag as far as it is known, with the reason why it is unreadable.
        package let report: TagReport
        /// Whether it failed when contents were read, which may be for the length alone.
        package let isReadRefused: Bool

        package init(
            _ trouble: PCSCCode.Trouble, reason: String, technology: String? = nil,
            kind: String? = nil, uid: [UInt8]? = nil, isReadRefused: Bool = false
        ) {
            self.trouble = trouble
            self.reason = reason
            self.isReadRefused = isReadRefused
            report = TagReport(
                technology: technology, kind: kind, uid: uid, contents: .unreadable(reason))
        }
    }
}

/// What to do after failed attempts to read one tag.
package struct RetryPolicy: Sendable, Hashable {
    private var failures: [PCSCCode.Trouble: Int] = [:]
    private var hold = HoldBackOff()

    package init() {}

    /// Times in nanoseconds.
    private enum Pause {
        /// pcscd tells of a tag that has gone within milliseconds; a reader that was moved or a
        /// tag that was laid down badly needs a little longer.
        static let settling: UInt64 = 100_000_000
        /// The watch over all readers finds out within this time that a reader or pcscd is gone.
        static let service: UInt64 = 500_000_000
    }

    /// What comes next.
    package enum Decision: Sendable, Hashable {
        case again(after: UInt64, inSmallestPieces: Bool = false)
        case giveUp
    }

    /// Decides after a failure.
    package mutating func failed(_ failure: Attempt.Failure) -> Decision {
        let count = failures[failure.trouble, default: 0] + 1
        failures[failure.trouble] = count
        switch failure.trouble {
        case .held:
            return .again(after: hold.next())
        case .reset:
            return count <= 3 ? .again(after: 0) : .giveUp
        case .mute, .tagGone:
            return count <= 2 ? .again(after: Pause.settling) : .giveUp
        case .service, .reader, .access:
            return count <= 2 ? .again(after: Pause.service) : .giveUp
        case .exchange:
            // The connection's end has reset the tag, so that it is selected anew.
            if count == 1 { return .again(after: 0) }
            return count == 2 && failure.isReadRefused
                ? .again(after: 0, inSmallestPieces: true) : .giveUp
        }
    }

    /// Whether another program has held the tag for so long that people should know.
    package var isHeldTooLong: Bool { hold.total > 1_000_000_000 }
}

/// How long to wait for a tag that another program holds: doubling from 50 ms to 2 s.
private struct HoldBackOff: Sendable, Hashable {
    private(set) var total: UInt64 = 0
    private var pause: UInt64 = 50_000_000

    mutating func next() -> UInt64 {
        defer { pause = min(pause * 2, 2_000_000_000) }
        total += pause
        return pause
    }
}
