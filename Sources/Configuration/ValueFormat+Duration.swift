extension ValueFormat where Value == Duration {
    /// A span of time such as `"300ms"`, within bounds.
    ///
    /// - Parameter range: The durations allowed.
    /// - Returns: The format.
    static func duration(_ range: ClosedRange<Duration>) -> ValueFormat {
        let lowest = DurationText.text(range.lowerBound)
        let bounds = "from \"\(lowest)\" to \"\(DurationText.text(range.upperBound))\""
        let noun = "a duration such as \"10s\""
        return ValueFormat(
            label: "duration \(bounds)",
            read: { node, key, report in
                guard node.type == .string, let text = node.text else {
                    refuseType(node, key, wanted: noun, &report)
                    return nil
                }
                let shown = DisplayText.value(text)
                guard let duration = DurationText.duration(text) else {
                    report.add(
                        "\"\(key)\" must be \(noun), not \(shown) (units: \(DurationText.units))",
                        at: node.place)
                    return nil
                }
                guard range.contains(duration) else {
                    report.add("\"\(key)\" must be \(bounds), not \(shown)", at: node.place)
                    return nil
                }
                return duration
            },
            literal: { "\"\(DurationText.text($0))\"" })
    }
}

/// Durations as they are written: a whole number and a unit.
enum DurationText {
    private static let milliseconds: [(unit: String, count: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// The units, for a sentence.
    static let units = milliseconds.map(\.unit).joined(separator: ", ")

    /// Reads a duration.
    ///
    /// - Parameter text: Digits and a unit, with nothing between or around them.
    /// - Returns: The duration, the longest there is when the number is beyond all bounds; nil when
    ///   the text is no duration.
    static func duration(_ text: String) -> Duration? {
        let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let unit = String(text.utf8.dropFirst(digits.count))
        guard !digits.isEmpty, let unit, let scale = milliseconds.first(where: { $0.unit == unit })
        else { return nil }
        let number = String(digits).flatMap { Int64($0) } ?? .max
        let (product, overflow) = number.multipliedReportingOverflow(by: scale.count)
        return .milliseconds(overflow ? .max : product)
    }

    /// Writes a duration in the largest unit that gives a whole number; days only from two on.
    ///
    /// - Parameter duration: A duration of whole milliseconds.
    /// - Returns: For example `24h`.
    static func text(_ duration: Duration) -> String {
        let parts = duration.components
        let total = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        guard total != 0 else { return "0s" }
        let fitting = milliseconds.last { unit in
            total % unit.count == 0 && (unit.unit != "d" || total >= 2 * unit.count)
        }
        guard let fitting else { return "\(total)ms" }
        return "\(total / fitting.count)\(fitting.unit)"
    }
}
