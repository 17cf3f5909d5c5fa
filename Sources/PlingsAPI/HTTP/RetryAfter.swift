internal import CCurl
internal import Glibc

/// How long a server asks to be left alone.
///
/// Source: RFC 9110, section 10.2.3.
enum RetryAfter {
    /// The longest wait that is honoured: a wrong date must not silence a station for a day.
    static let limit = Duration.seconds(3600)

    /// Reads the header, seconds or a date; nil where it is absent or neither.
    ///
    /// A date counts from the server's own `Date`, since this machine's clock may be wrong, and
    /// from `now` where there is none.
    ///
    /// - Parameters:
    ///   - fields: The answer's headers.
    ///   - now: Seconds since 1970-01-01T00:00:00Z.
    /// - Returns: The wait, at most the limit.
    static func read(_ fields: HTTPFields, now: Int64) -> Duration? {
        guard let text = fields.retryAfter else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return bounded(Int64(text) ?? Int64.max)
        }
        guard let date = seconds(text) else { return nil }
        return bounded(date - (fields.date.flatMap(seconds) ?? now))
    }

    /// A wait between nothing and the limit.
    static func bounded(_ seconds: Int64) -> Duration {
        min(limit, .seconds(max(0, seconds)))
    }

    private static func seconds(_ date: String) -> Int64? {
        let seconds = curl_getdate(date, nil)
        return seconds < 0 ? nil : Int64(seconds)
    }
}
