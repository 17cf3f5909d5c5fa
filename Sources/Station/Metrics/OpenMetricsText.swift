/// Writes families of metrics as OpenMetrics text.
///
/// Source: OpenMetrics 1.0, "Text Format" and "MetricFamily".
struct OpenMetricsText {
    /// One value of a family.
    struct Sample {
        let labels: KeyValuePairs<String, String>
        let value: Double

        init(_ value: some BinaryInteger, _ labels: KeyValuePairs<String, String> = [:]) {
            self.labels = labels
            self.value = Double(value)
        }

        init(seconds value: Double, _ labels: KeyValuePairs<String, String> = [:]) {
            self.labels = labels
            self.value = value
        }
    }

    private var lines: [String] = []

    /// The text, with its end.
    var text: String { (lines + ["# EOF"]).map { $0 + "\n" }.joined() }

    /// A count since the start.
    mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) {
        head(name, "counter", help)
        for sample in samples { add("\(name)_total", sample) }
    }

    /// A quantity that goes up and down; where it has a unit, its name ends with it.
    mutating func gauge(
        _ name: String, _ help: String, unit: String? = nil, _ samples: [Sample]
    ) {
        head(name, "gauge", help, unit: unit)
        for sample in samples { add(name, sample) }
    }

    /// What the program is.
    mutating func info(_ name: String, _ help: String, _ labels: KeyValuePairs<String, String>) {
        head(name, "info", help)
        add("\(name)_info", Sample(1, labels))
    }

    /// Which of some states holds.
    mutating func stateSet(
        _ name: String, _ help: String, states: [String], current: String
    ) {
        head(name, "stateset", help)
        for state in states { add(name, Sample(state == current ? 1 : 0, [name: state])) }
    }

    /// A histogram of seconds.
    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        head(name, "histogram", help, unit: "seconds")
        var count: Int64 = 0
        for (bound, more) in zip(histogram.bounds, histogram.counts) {
            count += more
            add("\(name)_bucket", Sample(count, ["le": "\(bound)"]))
        }
        count += histogram.counts.last ?? 0
        add("\(name)_bucket", Sample(count, ["le": "+Inf"]))
        add("\(name)_count", Sample(count))
        add("\(name)_sum", Sample(seconds: histogram.sum))
    }

    private mutating func head(
        _ name: String, _ type: String, _ help: String, unit: String? = nil
    ) {
        lines.append("# TYPE \(name) \(type)")
        if let unit { lines.append("# UNIT \(name) \(unit)") }
        lines.append("# HELP \(name) \(Self.escaped(help))")
    }

    private mutating func add(_ name: String, _ sample: Sample) {
        let labels = sample.labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
        let set = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        lines.append("\(name)\(set) \(Self.number(sample.value))")
    }

    /// Whole numbers without a point: they are counts.
    private static func number(_ value: Double) -> String {
        guard let whole = Int64(exactly: value) else { return "\(value)" }
        return "\(whole)"
    }

    /// Source: OpenMetrics 1.0, "Escaping": backslash, line feed and double quote.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
