import Testing

@testable import Station

@Suite("OpenMetrics text")
struct OpenMetricsTextTests {
    @Test("has each family's type, unit and help, its samples, and an end")
    func families() {
        var text = OpenMetricsText()
        text.counter("a", "Counts.", [.init(3, ["k": "v"]), .init(0, ["k": "w"])])
        text.gauge("b_seconds", "Lasts.", unit: "seconds", [.init(seconds: 1.5)])
        text.stateSet("c", "Is.", states: ["on", "off"], current: "off")
        let lines = text.text.split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "# TYPE a counter", "# HELP a Counts.", #"a_total{k="v"} 3"#, #"a_total{k="w"} 0"#,
                "# TYPE b_seconds gauge", "# UNIT b_seconds seconds", "# HELP b_seconds Lasts.",
                "b_seconds 1.5", "# TYPE c stateset", "# HELP c Is.", #"c{c="on"} 0"#,
                #"c{c="off"} 1"#, "# EOF",
            ])
    }

    @Test("what stands in a label can't end it")
    func escaping() {
        var text = OpenMetricsText()
        text.info("a", "b\\c\nd", ["k": "quote \" slash \\ line\nend"])
        #expect(text.text.contains(#"# HELP a b\\c\nd"#))
        #expect(text.text.contains(#"a_info{k="quote \" slash \\ line\nend"} 1"#))
    }

    @Test("a histogram's classes hold all that is smaller")
    func histogram() {
        var histogram = Histogram(bounds: [0.001, 1])
        for value in [0.001, 0.5, 7] { histogram.observe(value) }
        var text = OpenMetricsText()
        text.histogram("t_seconds", "Takes.", histogram)
        for line in [
            #"t_seconds_bucket{le="0.001"} 1"#, #"t_seconds_bucket{le="1.0"} 2"#,
            #"t_seconds_bucket{le="+Inf"} 3"#, "t_seconds_count 3", "t_seconds_sum 7.501",
        ] {
            #expect(text.text.contains("\(line)\n"), "\(line)")
        }
    }
}
