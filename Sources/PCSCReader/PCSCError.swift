internal import CPCSC

/// A call into libpcsclite that failed.
package struct PCSCError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The function, as winscard.h names it.
    package let call: String
    /// The PC/SC reader it was about; empty where it was about none.
    package let reader: String
    package let code: PCSCCode

    package init(_ call: String, reader: String = "", code: PCSCCode) {
        self.call = call
        self.reader = reader
        self.code = code
    }

    package var description: String {
        "\(call)\(reader.isEmpty ? "" : " on \(reader)"): \(code)"
    }
}

/// What a PC/SC function returned.
package struct PCSCCode: Sendable, Hashable, CustomStringConvertible {
    package let value: UInt32

    package init(_ value: UInt32) {
        self.value = value
    }

    init(_ returned: LONG) {
        value = UInt32(truncatingIfNeeded: returned)
    }

    static let success = PCSCCode(0)
    static let cancelled = PCSCCode(0x8010_0002)
    static let insufficientBuffer = PCSCCode(0x8010_0008)
    static let unknownReader = PCSCCode(0x8010_0009)
    static let timeout = PCSCCode(0x8010_000A)
    static let sharingViolation = PCSCCode(0x8010_000B)
    static let protocolMismatch = PCSCCode(0x8010_000F)
    static let noService = PCSCCode(0x8010_001D)
    static let noReaders = PCSCCode(0x8010_002E)
    static let securityViolation = PCSCCode(0x8010_006A)

    /// The library's sentence and the number.
    package var description: String {
        let text = String(cString: pcsc_stringify_error(LONG(truncatingIfNeeded: Int64(value))))
        let sentence = text.hasSuffix(".") ? String(text.dropLast()) : text
        let digits = String(value, radix: 16, uppercase: true)
        return "\(sentence) (0x\(digits))"
    }

    /// What a failure means for whoever reads a tag.
    package enum Trouble: Sendable, Hashable {
        /// pcscd is not there, or has forgotten us.
        case service
        /// polkit does not let us.
        case access
        /// The reader is not there any more.
        case reader
        /// The tag is not there any more.
        case tagGone
        /// A tag is there and does not answer.
        case mute
        /// Another program has reset the tag.
        case reset
        /// Another program has the tag to itself.
        case held
        /// One exchange failed; the next may work.
        case exchange

        /// What a connection that pcscd closed, or did not take, looks like.
        ///
        /// Source: pcsc-lite 1.9.9, winscard_msg.c, MessageSend and MessageReceive.
        var isAboutService: Bool { self == .service || self == .access }
    }

    /// The one place that tells failures apart.
    ///
    /// Source: pcsclite.h, and what pcscd 1.9.9 was seen to return.
    package var trouble: Trouble {
        switch value {
        // INVALID_HANDLE is what is left of a context or card that pcscd has forgotten.
        case 0x8010_0003, 0x8010_0013, 0x8010_001D, 0x8010_001E: .service
        case 0x8010_006A: .access
        // INVALID_VALUE comes from a card handle whose reader was unplugged.
        case 0x8010_0009, 0x8010_0011, 0x8010_0017: .reader
        case 0x8010_000C, 0x8010_0069: .tagGone
        case 0x8010_0065, 0x8010_0066, 0x8010_0067: .mute
        case 0x8010_0068: .reset
        case 0x8010_000B: .held
        default: .exchange
        }
    }
}
