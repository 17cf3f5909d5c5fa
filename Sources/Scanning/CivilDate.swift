/// A day of the Gregorian calendar, which is taken to hold for all years.
///
/// Source: RFC 3339, appendix C (leap years).
struct CivilDate: Equatable {
    let year: Int64
    /// 1 to 12.
    let month: Int
    /// 1 to 31.
    let day: Int

    /// The day with so many days between it and 1970-01-01; not for years before 0.
    init(daysSince1970 count: Int64) {
        let days = count + Self.daysBefore(year: 1970)
        // The mean year is a little too long or short; the guess is off by one at most.
        var year = days * 400 / 146_097
        if Self.daysBefore(year: year) > days { year -= 1 }
        if Self.daysBefore(year: year + 1) <= days { year += 1 }
        let dayOfYear = Int(days - Self.daysBefore(year: year))
        let month = (1...12).last { Self.daysBefore(month: $0, of: year) <= dayOfYear } ?? 1
        self.year = year
        self.month = month
        day = dayOfYear - Self.daysBefore(month: month, of: year) + 1
    }

    /// A date as it is written; nil where the calendar has none such.
    init?(year: Int64, month: Int, day: Int) {
        guard year >= 0, 1...12 ~= month, day >= 1 else { return nil }
        let next =
            month == 12
            ? 365 + Self.leapDays(in: year) : Self.daysBefore(month: month + 1, of: year)
        guard day <= next - Self.daysBefore(month: month, of: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The days from 1970-01-01 to this one, negative before it.
    var daysSince1970: Int64 {
        Self.daysBefore(year: year) - Self.daysBefore(year: 1970)
            + Int64(Self.daysBefore(month: month, of: year) + day - 1)
    }

    /// The days from 0000-01-01 to the first of a year.
    private static func daysBefore(year: Int64) -> Int64 {
        year * 365 + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400
    }

    private static let daysBeforeMonths = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]

    private static func daysBefore(month: Int, of year: Int64) -> Int {
        daysBeforeMonths[month - 1] + (month > 2 ? leapDays(in: year) : 0)
    }

    private static func leapDays(in year: Int64) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return isLeap ? 1 : 0
    }
}
