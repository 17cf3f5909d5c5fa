/// Numbers and durations as a person says them.
enum PlainWords {
    /// `340 ms`, `1.2 s`, then as `span` says it.
    static func held(milliseconds: Int64) -> String {
        switch milliseconds {
        case ..<1000: return "\(milliseconds) ms"
        case ..<60_000:
            let tenths = milliseconds / 100
            return "\(tenths / 10).\(tenths % 10) s"
        default: return span(seconds: milliseconds / 1000)
        }
    }

    /// The two largest units: `45 s`, `3 min 5 s`, `2 h`, `4 d 3 h`.
    static func span(seconds: Int64) -> String {
        let units: [(String, Int64)] = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
        guard let largest = units.firstIndex(where: { seconds >= $0.1 }) else { return "0 s" }
        var rest = seconds
        var parts: [String] = []
        for (name, size) in units[largest...].prefix(2) {
            if rest >= size { parts.append("\(rest / size) \(name)") }
            rest %= size
        }
        return parts.joined(separator: " ")
    }

    /// How old something is, in its largest unit: `45 s`, `3 min`.
    static func age(seconds: Double) -> String {
        // Clamped: a peer may send any number.
        let whole = Int64(min(max(seconds, 0), 1e15))
        return span(seconds: whole).split(separator: " ").prefix(2).joined(separator: " ")
    }

    /// `1 event`, `2 events`.
    static func count(_ number: Int64, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `850 bytes`, `12.4 MiB`.
    static func size(bytes: Int64) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        guard bytes >= 1024 else { return count(bytes, "byte") }
        var tenths = bytes / 1024 * 10 + bytes % 1024 * 10 / 1024
        var unit = 0
        while tenths >= 10_240, unit + 1 < units.count {
            tenths /= 1024
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// An API word in lower case, underscores as blanks: `NEXT_TO` → `next to`.
    static func lowerCase(_ word: String) -> String {
        String(word.lowercased().map { $0 == "_" ? " " : $0 })
    }

    /// Degrees to five places, which is a metre: `65.58410`.
    static func degrees(_ value: Double) -> String {
        // Clamped: a peer may send any number.
        let scaled = Int64((min(max(value, -1000), 1000) * 100_000).rounded())
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: 100_000)
        let digits = String(fraction)
        let padding = String(repeating: "0", count: 5 - digits.count)
        return "\(scaled < 0 ? "-" : "")\(whole).\(padding)\(digits)"
    }
}
