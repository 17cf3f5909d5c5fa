internal import LineProtocols
internal import Scanning

/// What is measured of a station, for a collector such as Prometheus.
///
/// Every label has a fixed set of values: no reader, tag or user makes a series of its own.
struct StationMetrics {
    let status: Status
    let scans: ScanCounters
    let deliveries: DeliveryCounters
    let connections: Int
    let subscribers: Int
    let now: Timestamp

    private typealias Sample = OpenMetricsText.Sample

    /// The families as OpenMetrics text.
    var text: String {
        var text = OpenMetricsText()
        addStation(to: &text)
        addScans(to: &text)
        addDeliveries(to: &text)
        addStore(to: &text)
        addCounters(to: &text)
        return text.text
    }

    private func addStation(to text: inout OpenMetricsText) {
        text.info(
            "plings_station", "The station's id and version.",
            ["station": status.station, "version": status.version])
        text.gauge(
            "plings_uptime_seconds", "How long the station has run.", unit: "seconds",
            [Sample(status.uptimeSeconds)])
        text.stateSet(
            "plings_clock", "Whether the clock was synchronised since the machine was booted.",
            states: ["trusted", "untrusted"], current: status.clock.state)
        let states: [DeviceState] = [.connected, .ready, .degraded, .disconnected]
        text.gauge(
            "plings_readers", "Readers that were seen since the start, by what they are now.",
            states.map { state in
                Sample(status.readers.count { $0.state == state }, ["state": state.rawValue])
            })
        text.gauge("plings_connections", "Programs at the socket.", [Sample(connections)])
        text.gauge("plings_subscribers", "Programs that receive events.", [Sample(subscribers)])
    }

    private func addScans(to text: inout OpenMetricsText) {
        let whys = Unrecognised.allCases.map { why in
            Sample(scans.unrecognised[why] ?? 0, ["result": why.rawValue])
        }
        text.counter(
            "plings_scans", "Scans that were published, by what was on the tag.",
            [Sample(scans.recognised, ["result": "recognised"])] + whys)
        text.histogram(
            "plings_scan_publication_seconds",
            "From the detection of a tag to the publication of its scan.", scans.latency)
    }

    private func addDeliveries(to text: inout OpenMetricsText) {
        let outcomes: [ResolutionEvent.Outcome] = [
            .knownObject, .unknownSpecific, .unknownGeneral, .duplicate, .error,
        ]
        text.counter(
            "plings_deliveries", "Scans that the API has answered, by its answer.",
            outcomes.map { outcome in
                Sample(deliveries.outcomes[outcome] ?? 0, ["outcome": outcome.rawValue])
            })
        text.counter(
            "plings_delivery_failures", "Attempts to deliver that failed and are made again.",
            [Sample(deliveries.failures)])
        text.stateSet(
            "plings_api", "Whether the API can be used.",
            states: ["online", "offline", "unauthorised", "notConfigured"],
            current: status.api.state.rawValue)
        text.gauge(
            "plings_outbox_scans", "Scans that are not delivered.",
            [
                Sample(status.outbox.scans, ["state": "open"]),
                Sample(status.outbox.attention, ["state": "attention"]),
            ])
        let age = status.outbox.oldestAt.map { now.milliseconds - $0.milliseconds } ?? 0
        text.gauge(
            "plings_outbox_oldest_age_seconds", "The age of the oldest scan that waits.",
            unit: "seconds", [Sample(seconds: Double(max(0, age)) / 1000)])
    }

    private func addStore(to text: inout OpenMetricsText) {
        text.gauge(
            "plings_store_bytes", "The size of the store on disk.", unit: "bytes",
            [Sample(status.outbox.bytes)])
        text.gauge(
            "plings_cache_objects", "Answers of the API that are kept.",
            [Sample(status.cache.objects)])
        text.gauge(
            "plings_log_events", "Events that the log holds.",
            [Sample(max(0, status.log.last - status.log.first + 1))])
    }

    /// The counters of `status` that stand in no family above.
    private func addCounters(to text: inout OpenMetricsText) {
        let known: Set = ["scans", "recognised", "delivered"]
        for (name, value) in status.counters.sorted(by: { $0.key < $1.key })
        where !known.contains(name) {
            text.counter(
                "plings_\(Self.snakeCase(name))", "The counter \(name) of the station's status.",
                [Sample(value)])
        }
    }

    private static func snakeCase(_ name: String) -> String {
        var result = ""
        for character in name {
            result += character.isUppercase ? "_\(character.lowercased())" : "\(character)"
        }
        return result
    }
}
