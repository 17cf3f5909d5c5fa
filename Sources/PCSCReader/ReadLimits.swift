internal import Synchronization

/// How many bytes a reader gives at a time, as far as it has shown.
///
/// Readers differ and don't say: the PC/SC specification leaves it to them. So it is tried once, and
/// remembered.
package struct ReadLimits: Sendable, Hashable {
    /// The most that READ BINARY of a storage tag may ask for, a multiple of 4.
    ///
    /// At first what one READ of a Type 2 tag brings. Source: NFC Forum, Type 2 Tag Operation 1.1,
    /// section 5.3.
    package var most = 16
    /// The least that READ BINARY of a storage tag may ask for, a multiple of 4: some readers give
    /// a whole READ or nothing.
    package var least = 4
    /// The most bytes of data in one answer of a tag's own: at first what a short command can ask
    /// for.
    package var answer = 256

    package init() {}

    /// The smallest pieces that there is any use in asking for: one page of a storage tag, and of
    /// a tag's own answers what fits into 32 bytes with the status word.
    var smallest: ReadLimits {
        var limits = self
        limits.most = 4
        limits.least = 4
        limits.answer = min(answer, 30)
        return limits
    }

    /// The reader has given so many bytes of a storage tag after it had refused to give `count`.
    mutating func gave(_ length: Int, insteadOf count: Int) {
        if length < count {
            most = length
            least = min(least, length)
        } else {
            least = length
            most = max(most, length)
        }
    }
}

/// What was learned about one reader.
package struct ReadExperience: Sendable, Hashable {
    package private(set) var limits = ReadLimits()
    /// A tag could not be read but in the smallest pieces, the last time one was read at all.
    private var suspicion = false

    package init() {}

    /// A tag was read whole.
    ///
    /// A tag that is laid down badly can look like a reader that gives only the smallest pieces, so
    /// that is believed when it happens with two tags in a row.
    ///
    /// - Parameters:
    ///   - limits: The limits under which it was.
    ///   - inSmallestPieces: Whether they were lowered for this attempt alone, since the reader had
    ///     refused to read without saying why.
    package mutating func read(with limits: ReadLimits, inSmallestPieces: Bool) {
        if !inSmallestPieces || suspicion {
            self.limits = limits
            // A tag may refuse what its reader would give: less than this is not the reader's doing.
            self.limits.answer = max(limits.answer, ReadLimits().smallest.answer)
        }
        suspicion = inSmallestPieces && !suspicion
    }
}

/// What was learned about all readers, for as long as the process runs.
final class ReadExperiences: Sendable {
    private let experiences = Mutex<[String: ReadExperience]>([:])

    /// As many as have distinct ids in one process; a hundred is more than a machine has ports.
    private static let limit = 100

    /// The limits of a device.
    func limits(of device: String) -> ReadLimits {
        experiences.withLock { $0[device]?.limits ?? ReadLimits() }
    }

    /// A tag was read whole on a device; see `ReadExperience`.
    func read(on device: String, with limits: ReadLimits, inSmallestPieces: Bool) {
        experiences.withLock { experiences in
            if experiences[device] == nil, experiences.count >= Self.limit { experiences = [:] }
            experiences[device, default: ReadExperience()]
                .read(with: limits, inSmallestPieces: inSmallestPieces)
        }
    }
}
