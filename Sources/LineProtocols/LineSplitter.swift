/// Cuts a stream of bytes into lines of bounded length.
///
/// A line ends with LF; a CR before it is dropped. What is kept between two calls is at most one
/// unfinished line of `limit` bytes, whatever the peer sends.
package struct LineSplitter: Sendable {
    /// The most bytes a line may have, without its LF.
    package static let limit = 65_536

    private var partial: [UInt8] = []
    private let limit: Int
    /// True after a line that was too long: where to start again is unknown.
    package private(set) var overflowed = false

    package init(limit: Int = LineSplitter.limit) {
        self.limit = limit
    }

    /// How many bytes of an unfinished line are held.
    package var pendingBytes: Int { partial.count }

    /// Takes what was read and gives the lines that are complete, empty ones left out.
    ///
    /// After a line over the limit nothing more comes and `overflowed` is true.
    package mutating func append(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = bytes
        while !overflowed, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end], into: &lines)
            rest = rest[(end + 1)...]
        }
        keep(rest)
        return lines
    }

    /// Takes a whole array of what was read.
    package mutating func append(_ bytes: [UInt8]) -> [[UInt8]] {
        append(bytes[...])
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, into lines: inout [[UInt8]]) {
        partial += bytes
        if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
        if partial.count > limit {
            overflowed = true
        } else if !partial.isEmpty {
            lines.append(partial)
        }
        partial = []
    }

    private mutating func keep(_ rest: ArraySlice<UInt8>) {
        guard !overflowed else { return }
        // One byte more than the limit may be the CR of a line that just fits.
        if partial.count + rest.count > limit + 1 {
            overflowed = true
            partial = []
        } else {
            partial += rest
        }
    }
}
