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
}

extension Timestamp {
    private static let day: Int64 = 86_400_000

    /// What four digits of a year can say: 0000-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
    private static let writable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// The RFC 3339 form with milliseconds and `Z`; the nearest there is for other years.
    package var text: String {
        let instant = min(max(milliseconds, Self.writable.lowerBound), Self.writable.upperBound)
        let days = instant >= 0 ? instant / Self.day : (instant + 1) / Self.day - 1
        let date = CivilDate(daysSince1970: days)
        let time = Int(instant - days * Self.day)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        Self.append(Int(date.year), digits: 4, to: &text)
        Self.append("-", date.month, to: &text)
        Self.append("-", date.day, to: &text)
        Self.append("T", time / 3_600_000, to: &text)
        Self.append(":", time / 60_000 % 60, to: &text)
        Self.append(":", time / 1000 % 60, to: &text)
        text.append(UInt8(ascii: "."))
        Self.append(time % 1000, digits: 3, to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ mark: Unicode.Scalar, _ number: Int, to text: inout [UInt8]) {
        text.append(UInt8(ascii: mark))
        append(number, digits: 2, to: &text)
    }

    private static func append(_ number: Int, digits: Int, to text: inout [UInt8]) {
        var unit = 1
        for _ in 1..<digits { unit *= 10 }
        while unit > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
            unit /= 10
        }
    }

    /// Reads the RFC 3339 form in capitals, with or without a fraction.
    ///
    /// What is finer than a millisecond is cut off, and a leap second is the second after it.
    /// Source: RFC 3339, section 5.6.
    package init?(_ text: String) {
        var fields = Fields(rest: Array(text.utf8)[...])
        guard let year = fields.number(4), let month = fields.number("-", 2),
            let day = fields.number("-", 2), let hour = fields.number("T", 2),
            let minute = fields.number(":", 2), let second = fields.number(":", 2),
            let fraction = fields.fraction(), let offset = fields.offset(), fields.rest.isEmpty,
            let date = CivilDate(year: Int64(year), month: month, day: day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let seconds = hour * 3600 + (minute - offset) * 60 + second
        milliseconds = date.daysSince1970 * Self.day + Int64(seconds * 1000 + fraction)
    }

    /// What is left to read of a time's text.
    private struct Fields {
        var rest: ArraySlice<UInt8>

        mutating func take(_ mark: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: mark) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func digit() -> Int? {
            guard let byte = rest.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else {
                return nil
            }
            rest.removeFirst()
            return Int(byte - UInt8(ascii: "0"))
        }

        mutating func number(_ digits: Int) -> Int? {
            var number = 0
            for _ in 0..<digits {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        mutating func number(_ mark: Unicode.Scalar, _ digits: Int) -> Int? {
            take(mark) ? number(digits) : nil
        }

        /// The milliseconds of a fraction of any length, 0 where there is none.
        mutating func fraction() -> Int? {
            guard take(".") else { return 0 }
            guard let tenths = digit() else { return nil }
            var milliseconds = tenths * 100
            var unit = 10
            while let digit = digit() {
                milliseconds += digit * unit
                unit /= 10
            }
            return milliseconds
        }

        /// How many minutes the time is ahead of UTC.
        mutating func offset() -> Int? {
            if take("Z") { return 0 }
            let isAhead = take("+")
            guard isAhead || take("-"), let hours = number(2), let minutes = number(":", 2),
                hours < 24, minutes < 60
            else { return nil }
            return isAhead ? hours * 60 + minutes : -(hours * 60 + minutes)
        }
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
