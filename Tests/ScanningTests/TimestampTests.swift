import Scanning
import Testing

@Suite("an instant")
struct TimestampTests {
    private static let instants: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (999, "1970-01-01T00:00:00.999Z"),
        (1000, "1970-01-01T00:00:01.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-1000, "1969-12-31T23:59:59.000Z"),
        (-86_400_000, "1969-12-31T00:00:00.000Z"),
        (-86_400_001, "1969-12-30T23:59:59.999Z"),
        (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (1_795_995_986_123, "2026-11-29T23:46:26.123Z"),
        (2_147_483_647_000, "2038-01-19T03:14:07.000Z"),
        (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"),
        (-12_219_292_800_000, "1582-10-15T00:00:00.000Z"),
        (-12_219_292_800_001, "1582-10-14T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ]

    @Test("it is written in UTC to the millisecond and read as it was written", arguments: instants)
    func roundTrip(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).text == text)
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    private static let extremes: [(Int64, String)] = [
        (.max, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
        (.min, "0000-01-01T00:00:00.000Z"),
        (-62_167_219_200_001, "0000-01-01T00:00:00.000Z"),
    ]

    @Test("one that four digits of a year can't say is written as the nearest", arguments: extremes)
    func beyondFourDigits(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).text == text)
    }

    @Test("the first and last day of every month of 400 years come in order, without a hole")
    func calendar() throws {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var day = try #require(Timestamp("1800-01-01T00:00:00.000Z")).milliseconds / 86_400_000
        for year in 1800..<2200 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, days) in lengths.enumerated() {
                let length = month == 1 && isLeap ? 29 : days
                let digits = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
                let first = Timestamp(milliseconds: day * 86_400_000).text
                #expect(first == "\(year)-\(digits)-01T00:00:00.000Z")
                day += Int64(length)
                let last = Timestamp(milliseconds: day * 86_400_000 - 1).text
                #expect(last == "\(year)-\(digits)-\(length)T23:59:59.999Z")
                #expect(Timestamp("\(year)-\(digits)-\(length + 1)T00:00:00Z") == nil)
            }
        }
    }

    private static let others: [(String, String)] = [
        ("2026-11-29T23:46:26Z", "2026-11-29T23:46:26.000Z"),
        ("2026-11-29T23:46:26.1Z", "2026-11-29T23:46:26.100Z"),
        ("2026-11-29T23:46:26.12Z", "2026-11-29T23:46:26.120Z"),
        ("2026-11-29T23:46:26.1235Z", "2026-11-29T23:46:26.123Z"),
        ("2026-11-29T23:46:26.999999999999999999999Z", "2026-11-29T23:46:26.999Z"),
        ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
        ("2026-11-29T23:46:26+00:00", "2026-11-29T23:46:26.000Z"),
        ("2026-11-29T23:46:26.5-00:00", "2026-11-29T23:46:26.500Z"),
        ("2026-11-29T23:46:26+02:00", "2026-11-29T21:46:26.000Z"),
        ("2026-11-29T23:46:26-05:30", "2026-11-30T05:16:26.000Z"),
        ("2026-01-01T00:00:00+23:59", "2025-12-31T00:01:00.000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
    ]

    @Test(
        "other forms of RFC 3339 are read; what is finer than a millisecond is cut off",
        arguments: others)
    func otherForms(text: String, same: String) {
        #expect(Timestamp(text)?.text == same)
    }

    private static let wrong: [String] = [
        "", "now", "2026-11-29", "23:46:26Z", "2026-11-29T23:46Z", "2026-11-29T23:46:26",
        "2026-11-29T23:46:26.123", "2026-11-29T23:46:26.Z", "2026-11-29T23:46:26,123Z",
        "2026-11-29 23:46:26Z", "2026-11-29t23:46:26z", "2026-11-29T23:46:26ZZ",
        " 2026-11-29T23:46:26Z", "2026-11-29T23:46:26Z\n", "20261129T234626Z",
        "2026-1-29T23:46:26Z", "226-11-29T23:46:26Z", "12026-11-29T23:46:26Z",
        "-026-11-29T23:46:26Z", "2026-00-29T23:46:26Z", "2026-13-29T23:46:26Z",
        "2026-11-00T23:46:26Z", "2026-11-31T23:46:26Z", "2023-02-29T23:46:26Z",
        "2100-02-29T23:46:26Z", "2026-11-29T24:00:00Z", "2026-11-29T23:60:00Z",
        "2026-11-29T23:46:61Z", "2026-11-29T23:46:26+0200", "2026-11-29T23:46:26+24:00",
        "2026-11-29T23:46:26+02:60", "2026-11-29T23:46:26+02", "２026-11-29T23:46:26Z",
    ]

    @Test("what is no RFC 3339 time is not read as one", arguments: wrong)
    func refuses(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("the earlier one is less, and time passes by adding to it")
    func order() {
        let now = Timestamp(milliseconds: 1000)
        #expect(now < now.advanced(byMilliseconds: 1))
        #expect(now.advanced(byMilliseconds: -1001) < Timestamp(milliseconds: 0))
        #expect(now.advanced(byMilliseconds: 0) == now)
    }
}
