internal import CPCSC

/// What is known of one reader's slot, and what pcscd is told so that it reports changes.
package struct ReaderStatus: Sendable, Hashable {
    package let name: String
    /// The state as the last wait gave it; nil before the first look.
    package private(set) var slot: Slot?
    package private(set) var atr: [UInt8] = []

    package init(name: String) {
        self.name = name
    }

    /// A slot's state.
    package struct Slot: Sendable, Hashable {
        package let isPresent: Bool
        package let isMute: Bool
        /// The driver reports an error, or the reader is on its way out.
        package let isUnavailable: Bool
        /// How many tags have come and gone; it wraps around.
        package let counter: UInt16

        /// - Parameter event: `dwEventState`.
        package init(event: UInt32) {
            let flags = Int32(bitPattern: event)
            isPresent = flags & SCARD_STATE_PRESENT != 0
            isMute = flags & SCARD_STATE_MUTE != 0
            isUnavailable = flags & (SCARD_STATE_UNAVAILABLE | SCARD_STATE_UNKNOWN) != 0
            counter = UInt16(event >> 16)
        }

        /// `dwCurrentState`, without the flags for other programs' connections: we have no use
        /// for being woken by them.
        var known: UInt32 {
            var flags = isPresent ? SCARD_STATE_PRESENT : SCARD_STATE_EMPTY
            if isMute { flags |= SCARD_STATE_MUTE }
            if isUnavailable { flags = SCARD_STATE_UNAVAILABLE }
            return UInt32(bitPattern: flags) | UInt32(counter) << 16
        }
    }

    /// Zero asks for the state at once: SCARD_STATE_UNAWARE.
    var known: UInt32 { slot?.known ?? 0 }

    package mutating func update(event: UInt32, atr: [UInt8]) {
        slot = Slot(event: event)
        self.atr = atr
    }

    /// Whether a tag lies there that gave no answer to reset.
    ///
    /// For such a reader every look at the states costs libpcsclite a pause of 400 ms.
    /// Source: pcsc-lite, winscard_clnt.c, SCardGetStatusChange.
    package var holdsMuteTag: Bool {
        slot?.isPresent == true && atr.isEmpty
    }
}

/// What is known of the list of readers.
struct ReaderListState: Sendable, Hashable {
    /// The name that stands for the list.
    static let name = "\\\\?PnP?\\Notification"

    /// Before pcsc-lite 2.3.1 zero, and a change between two waits goes unnoticed; since then the
    /// count of changes in the upper half.
    private(set) var known: UInt32 = 0
    private(set) var hasChanged = false

    mutating func update(event: UInt32) {
        hasChanged = Int32(bitPattern: event) & SCARD_STATE_CHANGED != 0
        known = event & 0xFFFF_0000
    }
}
