internal import LineProtocols
package import Scanning

/// Shows events to people: one line each, and lines of their own where the day changes and where
/// the station's clock begins or ceases to be trusted.
///
/// `14:03:22.123  door     scan        4kyQCd · path 4.2.3.3.6 · NTAG213 04a1b2c3d4e5f6`
package struct EventRenderer {
    private let paint: Paint
    private let clock: LocalClock
    private var date: String?
    private var isClockTrusted = true
    // Wide enough for what events without a reader have in its place.
    private var readerWidth = station.count

    private static let station = "station"
    private static let readerLimit = 24
    private static let typeWidth = "resolution".count

    /// A renderer at the beginning of its output.
    ///
    /// - Parameters:
    ///   - paint: Whether to colour.
    ///   - clock: The time zone.
    ///   - now: Events of this day need no date.
    package init(paint: Paint, clock: LocalClock, now: Timestamp) {
        self.paint = paint
        self.clock = clock
        date = clock(now)?.date
    }

    /// Shows an event.
    ///
    /// - Parameter body: The event object as it was sent.
    /// - Returns: Its lines, each with its LF.
    package mutating func render(_ body: [UInt8]) -> String {
        let event = (try? JSONLine.decode(JSONValue.self, from: body)) ?? .null
        let time = event["at"]?.word.flatMap(Timestamp.init).flatMap { clock($0) }
        let type = event["type"]?.shown(limit: 24) ?? "event"
        let head = [
            paint(time?.exactTime ?? "--:--:--.---", .faint),
            padded(reader(of: event)),
            padded(type, to: Self.typeWidth),
        ]
        let details = EventDetails.of(event).map { paint($0.text, $0.style) }
        return dateLine(time) + clockLine(event)
            + (head + [details.joined(separator: " · ")]).joined(separator: "  ")
            + "\n"
    }

    private mutating func dateLine(_ time: LocalTime?) -> String {
        guard let time, time.date != date else { return "" }
        date = time.date
        return paint(time.date, .faint) + "\n"
    }

    private mutating func clockLine(_ event: JSONValue) -> String {
        let isTrusted = event["clock"]?.word != "untrusted"
        guard isTrusted != isClockTrusted else { return "" }
        isClockTrusted = isTrusted
        let text =
            isTrusted
            ? "the station's clock is trusted from here on"
            : "the station's clock is not trusted from here on: times may be off"
        return paint(text, .notice) + "\n"
    }

    private func reader(of event: JSONValue) -> String {
        let reader = event["reader"]
        let name = reader?["name"]?.shown(limit: Self.readerLimit)
        return name ?? reader?["id"]?.shown(limit: Self.readerLimit) ?? Self.station
    }

    /// The column grows with the longest name that was shown.
    private mutating func padded(_ reader: String) -> String {
        readerWidth = max(readerWidth, min(reader.count, Self.readerLimit))
        return padded(reader, to: readerWidth)
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
