internal import Scanning

/// The scans that were published since the start.
struct ScanCounters {
    private(set) var recognised: Int64 = 0
    private(set) var unrecognised: [Unrecognised: Int64] = [:]
    /// How long after its detection a tag was published, in seconds.
    private(set) var latency = Histogram(bounds: [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
    ])

    var all: Int64 { recognised + unrecognised.values.reduce(0, +) }

    /// Counts a scan.
    ///
    /// - Parameters:
    ///   - why: Why it has no identifier; nil where it has one.
    ///   - seconds: How long after its detection; nil for scans that no reader has made.
    mutating func published(_ why: Unrecognised?, after seconds: Double?) {
        if let why { unrecognised[why, default: 0] += 1 } else { recognised += 1 }
        if let seconds { latency.observe(seconds) }
    }
}

/// How often a quantity was how large, in fixed classes.
struct Histogram: Equatable {
    /// The upper bounds of the classes, ascending; one without a bound follows.
    let bounds: [Double]
    /// How many were in each class.
    private(set) var counts: [Int64]
    private(set) var sum: Double = 0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = [Int64](repeating: 0, count: bounds.count + 1)
    }

    mutating func observe(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}
