internal import FoundationEssentials

/// An instant to the millisecond, written as RFC 3339 in UTC: `2026-11-29T23:46:26.123Z`.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The instant so much later, or earlier where negative.
    package func advanced(byMilliseconds delta: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds + delta)
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The RFC 3339 form with milliseconds and `Z`.
    package var text: String {
        // Whole seconds through the library, the fraction exactly: Date is a Double.
        let (seconds, fraction) = milliseconds.flooredDivision(by: 1000)
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        let whole = date.formatted(Date.ISO8601FormatStyle())
        let digits = String(fraction)
        let padding = String(repeating: "0", count: 3 - digits.count)
        return "\(whole.dropLast()).\(padding)\(digits)Z"
    }

    /// Reads the RFC 3339 form, with or without a fraction.
    package init?(_ text: String) {
        let plain = Date.ISO8601FormatStyle()
        guard let date = (try? Self.style.parse(text)) ?? (try? plain.parse(text)) else {
            return nil
        }
        milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }
}

extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try String(from: decoder)
        guard let value = Timestamp(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not an RFC 3339 time"))
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        try text.encode(to: encoder)
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
