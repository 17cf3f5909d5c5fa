import Configuration
import Testing

@Suite("hostile text")
struct HostileTextTests {
    private static let excessiveTexts: [Complaint] = [
        Complaint(
            "a = " + String(repeating: "[", count: 10_000),
            "c.toml:1:21: more than 16 tables and arrays in each other"),
        Complaint(
            String(repeating: "[", count: 10_000),
            "c.toml:1:17: more than 16 tables and arrays in each other"),
        Complaint(
            "a = " + String(repeating: "{a=", count: 10_000),
            "c.toml:1:53: more than 16 tables and arrays in each other"),
        Complaint(
            Array(repeating: "a", count: 100_000).joined(separator: ".") + " = 1",
            "c.toml:1:32: a key of more than 16 parts"),
        Complaint(
            Array(repeating: "'a'", count: 100).joined(separator: " . ") + " = 1",
            "c.toml:1:95: a key of more than 16 parts"),
        Complaint(
            "a = [\"\"\"b\"\"\"\", {" + Array(repeating: "a", count: 99).joined(separator: "."),
            "c.toml:1:48: a key of more than 16 parts"),
        Complaint(
            "a = ['''b'''', {" + Array(repeating: "a", count: 99).joined(separator: "."),
            "c.toml:1:48: a key of more than 16 parts"),
        Complaint(
            "\u{FEFF}" + Array(repeating: "a", count: 17).joined(separator: "."),
            "c.toml:1:32: a key of more than 16 parts"),
        Complaint(
            String(repeating: "[[a]]\n", count: 10_001),
            "c.toml:10001:1: more than 20000 values"),
        Complaint(
            "a = [" + String(repeating: "1,", count: 20_000) + "]",
            "c.toml:1:40003: more than 20000 values"),
        Complaint(
            "a = " + String(repeating: "9", count: 101),
            "c.toml:1:105: a word of more than 100 characters outside quotation marks"),
        Complaint(
            String(repeating: "#", count: 1_048_577), "c.toml:1:1: more than 1048576 bytes"),
    ]

    @Test("what would exhaust the parser is refused before it is parsed", arguments: excessiveTexts)
    func excess(complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.expected)
    }

    @Test("tables nested by headers and values together are bounded too")
    func nestedTogether() {
        let key = Array(repeating: "a", count: 16).joined(separator: ".")
        #expect(
            problems("[\(key)]\n\(key) = 1") == [
                "c.toml:2:1: more than 16 tables and arrays in each other"
            ])
    }

    @Test("the longest text allowed is read, whatever it is made of")
    func longest() {
        let filler = String(repeating: "é", count: 524_278)
        #expect(
            problems("#" + filler + "\nlog.x = 1") == ["c.toml:2:5: unknown key \"x\" in [log]"])
        let long = "log.level = \"" + String(repeating: "x", count: 1_048_000) + "\""
        #expect(problems(long).count == 1)
        #expect(problems(long).joined().utf8.count < 200)
    }

    @Test("the most values allowed are read")
    func mostValues() {
        let told = problems("a = [" + String(repeating: "1,", count: 19_998) + "]")
        #expect(told == ["c.toml:1:1: unknown key \"a\" outside all sections"])
    }

    private static let oddTexts: [(text: String, place: String)] = [
        ("[log]\n\0level = \"info\"", "c.toml:2:1: "),
        ("[log]\nlevel = \"in\0fo\"", "c.toml:2:12: "),
        ("[log] # \0", "c.toml:1:9: "),
        ("[store]\nmax_jobs = 99999999999999999999", "c.toml:2:32: "),
        ("[store]\nmax_jobs = 0x1_0000_0000_0000_0000", "c.toml:2:35: "),
        ("[location]\nlatitude = 1e999", "c.toml:2:17: "),
        ("[station]\nid = 2026-13-01", "c.toml:2:13: "),
        ("[station]\nid = é", "c.toml:2:6: "),
        ("é = 1", "c.toml:1:1: "),
        ("[station]\nid = \"\"\"\\\n  é\"\"\"\nid = 2", "c.toml:4:6: "),
        ("[station]\nid = \"\\ud800\"", "c.toml:2:13: "),
        ("[[[", "c.toml:1:3: "),
    ]

    @Test("odd characters and numbers give one complaint at their place", arguments: oddTexts)
    func oddities(text: String, place: String) {
        let told = problems(text)
        #expect(told.count == 1)
        #expect(told.allSatisfy { $0.hasPrefix(place) }, "\(told)")
        #expect(told.allSatisfy { !$0.unicodeScalars.contains { $0.value < 0x20 } })
    }
}
