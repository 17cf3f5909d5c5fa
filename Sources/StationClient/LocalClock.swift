internal import Glibc
package import Scanning

/// An instant on the clock on the wall.
package struct LocalTime: Sendable, Equatable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let millisecond: Int

    package init(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, millisecond: Int
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.millisecond = millisecond
    }

    /// `2026-11-29`.
    var date: String { "\(year)-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }

    /// `23:46:26`.
    var time: String {
        [hour, minute, second].map { Self.padded($0, 2) }.joined(separator: ":")
    }

    /// `23:46:26.123`.
    var exactTime: String { "\(time).\(Self.padded(millisecond, 3))" }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// The time zone that times are shown in.
package struct LocalClock: Sendable {
    private let convert: @Sendable (Timestamp) -> LocalTime?

    /// A clock of one's own, for tests.
    package init(_ convert: @escaping @Sendable (Timestamp) -> LocalTime?) {
        self.convert = convert
    }

    /// The system's time zone, or that of the variable TZ.
    ///
    /// Source: tzset(3).
    package static let system = LocalClock { timestamp in
        let (seconds, rest) = timestamp.milliseconds.quotientAndRemainder(dividingBy: 1000)
        var time = time_t(rest < 0 ? seconds - 1 : seconds)
        var fields = tm()
        guard localtime_r(&time, &fields) != nil else { return nil }
        return LocalTime(
            year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1,
            day: Int(fields.tm_mday), hour: Int(fields.tm_hour), minute: Int(fields.tm_min),
            second: Int(fields.tm_sec), millisecond: Int(rest < 0 ? rest + 1000 : rest))
    }

    /// The instant as it is shown; nil where the calendar does not reach.
    func callAsFunction(_ timestamp: Timestamp) -> LocalTime? {
        convert(timestamp)
    }
}
