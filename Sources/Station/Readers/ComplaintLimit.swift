/// Bounds how many lines of one reader program reach the log.
///
/// A program that complains without end would fill the disk, and have the journal leave out what
/// the station itself says.
struct ComplaintLimit {
    /// So many lines are logged within each window, in nanoseconds.
    static let count = 100
    static let window: UInt64 = 10_000_000_000

    private var begun: UInt64 = 0
    private var logged = 0
    private var leftOut = 0

    /// What is to be done with a line.
    enum Verdict: Equatable {
        /// It is logged; before it, where lines were left out, how many.
        case log(leftOut: Int)
        /// It is the first that is left out.
        case leaveOutFromNow
        case leaveOut
    }

    /// Takes a line.
    ///
    /// - Parameter now: CLOCK_MONOTONIC in nanoseconds.
    /// - Returns: What is to be done with it.
    mutating func take(now: UInt64) -> Verdict {
        if logged == 0 || now - begun >= Self.window {
            begun = now
            logged = 0
        }
        guard logged < Self.count else {
            leftOut += 1
            return leftOut == 1 ? .leaveOutFromNow : .leaveOut
        }
        logged += 1
        defer { leftOut = 0 }
        return .log(leftOut: leftOut)
    }
}
