import Testing

@Suite("text that is not TOML")
struct SyntaxTests {
    private static let needsMarks = "; a string needs quotation marks, like \"this\""
    private static let isSwitch = "; a switch is written true or false"
    private static let needsStraightMarks =
        "; a string needs straight quotation marks, like \"this\""

    private static let faultyTexts: [(text: String, place: String, end: String)] = [
        ("[log]\nlevel = info", "c.toml:2:12: ", needsMarks),
        ("[location]\nsource = fixed # here", "c.toml:2:11: ", needsMarks),
        ("[api]\ntimeout = 10s", "c.toml:2:13: ", needsMarks),
        ("[api]\ntoken_file = /etc/token", "c.toml:2:14: ", needsMarks),
        ("[location]\nconsent = yes", "c.toml:2:11: ", isSwitch),
        ("[location]\nconsent = True", "c.toml:2:11: ", isSwitch),
        ("[station]\nname = “Entrée”", "c.toml:2:8: ", needsStraightMarks),
        ("[station]\nname = \"Entrée", "c.toml:2:15: ", "encountered end-of-file"),
        ("[api]\ntimeout \"10s\"", "c.toml:2:9: ", "expected '=', saw '\"'"),
        ("[api", "c.toml:1:5: ", "encountered end-of-file"),
    ]

    @Test(
        "the first fault is told with its place, and a common slip recognised",
        arguments: faultyTexts)
    func faults(text: String, place: String, end: String) throws {
        let told = problems(text)
        #expect(told.count == 1)
        let first = try #require(told.first)
        #expect(first.hasPrefix(place))
        #expect(first.hasSuffix(end))
    }

    private static let duplicateNames: [(text: String, place: String, name: String)] = [
        ("[api]\ntimeout = \"1s\"\ntimeout = \"2s\"", "c.toml:3:11: ", "'timeout'"),
        ("[api]\n[log]\n[api]", "c.toml:3:1: ", "'api'"),
        ("api.timeout = \"1s\"\n[api]", "c.toml:2:1: ", "'api'"),
    ]

    @Test("a key or section given twice is told at its second place", arguments: duplicateNames)
    func duplicates(text: String, place: String, name: String) throws {
        let told = problems(text)
        #expect(told.count == 1)
        let first = try #require(told.first)
        #expect(first.hasPrefix(place))
        #expect(first.contains("cannot redefine existing"))
        #expect(first.hasSuffix(name))
    }
}
