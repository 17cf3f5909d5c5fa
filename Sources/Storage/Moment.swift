package import Scanning

/// An instant as the clock told it and as the boot did, for when the clock turns out wrong.
package struct Moment: Sendable, Hashable {
    /// What the system's clock said.
    package let at: Timestamp
    /// The boot it happened in.
    package let bootID: String
    /// CLOCK_BOOTTIME in that boot, in nanoseconds.
    package let bootNanoseconds: UInt64

    package init(at: Timestamp, bootID: String, bootNanoseconds: UInt64) {
        self.at = at
        self.bootID = bootID
        self.bootNanoseconds = bootNanoseconds
    }

    /// How long after an earlier instant this one is, in seconds; never negative.
    ///
    /// Within one boot the boot's clock counts, across boots only the system's can.
    package func seconds(since earlier: Moment) -> Double {
        guard bootID == earlier.bootID else {
            return Double(max(0, at.milliseconds - earlier.at.milliseconds)) / 1e3
        }
        guard bootNanoseconds > earlier.bootNanoseconds else { return 0 }
        return Double(bootNanoseconds - earlier.bootNanoseconds) / 1e9
    }
}

extension Moment {
    /// The instant in three columns of a row: at, the boot's id as text, boot_ns.
    init(_ row: borrowing Row, from column: Int32) {
        self.init(
            at: Timestamp(milliseconds: row.integer(column)), bootID: row.text(column + 1),
            bootNanoseconds: UInt64(clamping: row.integer(column + 2)))
    }
}
