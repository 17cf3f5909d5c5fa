import Testing

@Suite("complaints")
struct ComplaintTests {
    private static let mistypedKeys: [Complaint] = [
        Complaint(
            "[api]\nendpont = \"x\"",
            "c.toml:2:1: unknown key \"endpont\" in [api]; did you mean \"endpoint\"?"),
        Complaint(
            "[api]\n  scans-per-minute = 3",
            "c.toml:2:3: unknown key \"scans-per-minute\" in [api]; "
                + "did you mean \"scans_per_minute\"?"),
        Complaint(
            "[api]\ntoken = \"very-secret\"",
            "c.toml:2:1: unknown key \"token\" in [api]; did you mean \"token_file\"?"),
        Complaint(
            "[cache]\nttl = \"1h\"\nTimeout = \"1s\"",
            "c.toml:3:1: unknown key \"Timeout\" in [cache]"),
        Complaint(
            "[cache]\ntimeout = \"1s\"",
            "c.toml:2:1: unknown key \"timeout\" in [cache]; it belongs in [api]"),
        Complaint(
            "[[reader]]\nkind = \"pcsc\"\nmacth = \"*\"",
            "c.toml:3:1: unknown key \"macth\" in [[reader]]; did you mean \"match\"?"),
        Complaint(
            "[log]\n\"\\u001b[2J\\u202e\" = 1",
            "c.toml:2:1: unknown key \"\\u{1B}[2J\\u{202E}\" in [log]"),
        Complaint(
            "[log]\n\(String(repeating: "k", count: 90)) = 1",
            "c.toml:2:1: unknown key \"\(String(repeating: "k", count: 40))…\" in [log]"),
        Complaint(
            "level = \"info\"",
            "c.toml:1:1: unknown key \"level\" outside all sections; it belongs in [log]"),
        Complaint("name = \"x\"", "c.toml:1:1: unknown key \"name\" outside all sections"),
    ]

    @Test("an unknown key is named with the one that was meant", arguments: mistypedKeys)
    func unknownKeys(complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.expected)
    }

    private static let mistypedSections: [Complaint] = [
        Complaint("[ap]", "c.toml:1:2: unknown section [ap]; did you mean [api]?"),
        Complaint(
            "[[raeder]]\nkind = 3",
            "c.toml:1:3: unknown section [raeder]; did you mean [[reader]]?"),
        Complaint("[signals]\nenabled = true", "c.toml:1:2: unknown section [signals]"),
        Complaint(
            "[reader]\nkind = \"pcsc\"",
            "c.toml:1:1: each reader is written [[reader]], not [reader]"),
        Complaint(
            "[[api]]\ntimeout = 3",
            "c.toml:1:1: there is one section [api]; it is not written [[api]]"),
        Complaint(
            "[[readers]]\nkind = \"pcsc\"",
            "c.toml:1:1: [[readers]] holds what is set once for all readers and is written "
                + "[readers]; did you mean [[reader]]?"),
        Complaint(
            "log = \"debug\"", "c.toml:1:7: \"log\" must be a section, [log], not a string"),
        Complaint(
            "cache = []", "c.toml:1:9: \"cache\" must be a section, [cache], not an array"),
        Complaint(
            "reader = [{kind = \"pcsc\"}, 7]",
            "c.toml:1:28: \"reader\" must be a section, [[reader]], not an integer"),
    ]

    @Test(
        "an unknown or misshapen section is named with the one that was meant",
        arguments: mistypedSections)
    func sections(complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.expected)
    }

    private static let wrongTypes: [Complaint] = [
        Complaint(
            "[api]\ntimeout = 10",
            "c.toml:2:11: \"timeout\" must be a duration such as \"10s\", not an integer"),
        Complaint(
            "[api]\ntimeout = \"10 sec\"",
            "c.toml:2:11: \"timeout\" must be a duration such as \"10s\", not \"10 sec\" "
                + "(units: ms, s, m, h, d)"),
        Complaint(
            "[api]\nscans_per_minute = \"80\"",
            "c.toml:2:20: \"scans_per_minute\" must be an integer from 1 to 6000, not a string"),
        Complaint(
            "[api]\nscans_per_minute = 80.0",
            "c.toml:2:20: \"scans_per_minute\" must be an integer from 1 to 6000, not a float"),
        Complaint(
            "[location]\nsource = \"none\"\nlatitude = \"65\"\naccuracy = true",
            "c.toml:3:12: \"latitude\" must be a number from -90 to 90, not a string",
            "c.toml:4:12: \"accuracy\" must be a number of 0 or more, not a boolean"),
        Complaint(
            "[location]\nconsent = \"yes\"",
            "c.toml:2:11: \"consent\" must be true or false, not a string"),
        Complaint(
            "[socket]\nmode = 0o660",
            "c.toml:2:8: \"mode\" must be an octal string such as \"0660\", not an integer"),
        Complaint(
            "[log]\nlevel = 3",
            "c.toml:2:9: \"level\" must be \"debug\", \"info\", \"warning\" or \"error\", "
                + "not an integer"),
        Complaint(
            "[station]\nid = 2026-11-29\nname = 2026-11-29T10:00:00Z",
            "c.toml:2:6: \"id\" must be a string such as \"kiosk-3\", not a date",
            "c.toml:3:8: \"name\" must be a string such as \"Entrance\", not a date-time"),
        Complaint(
            "[store]\ndirectory = 10:00:00",
            "c.toml:2:13: \"directory\" must be a path in quotation marks, not a time"),
        Complaint(
            "[scan]\nhosts = \"s.plings.io\"",
            "c.toml:2:9: \"hosts\" must be a list of host names such as [\"s.plings.io\"], "
                + "not a string"),
        Complaint(
            "[scan]\nhosts = [\"s.plings.io\", 5, []]",
            "c.toml:2:25: each of \"hosts\" must be a host name, not an integer",
            "c.toml:2:28: each of \"hosts\" must be a host name, not an array"),
        Complaint(
            "[api.timeout]\nvalue = 3",
            "c.toml:1:1: \"timeout\" must be a duration such as \"10s\", not a table"),
    ]

    @Test("a value of another type is told what is wanted", arguments: wrongTypes)
    func types(complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.expected)
    }

    private static let outOfRange: [Complaint] = [
        Complaint(
            "[api]\ntimeout = \"10m\"",
            "c.toml:2:11: \"timeout\" must be from \"1s\" to \"5m\", not \"10m\""),
        Complaint(
            "[api]\ntimeout = \"99999999999999999999d\"",
            "c.toml:2:11: \"timeout\" must be from \"1s\" to \"5m\", "
                + "not \"99999999999999999999d\""),
        Complaint(
            "[scan]\ndeparture_grace = \"10001ms\"",
            "c.toml:2:19: \"departure_grace\" must be from \"0s\" to \"10s\", not \"10001ms\""),
        Complaint(
            "[api]\nscans_per_minute = 0\nlive_share = 0.91",
            "c.toml:2:20: \"scans_per_minute\" must be from 1 to 6000, not 0",
            "c.toml:3:14: \"live_share\" must be a number from 0 to 0.9, not 0.91"),
        Complaint(
            "[store]\nretain_count = 999\nmax_jobs = -9223372036854775808",
            "c.toml:2:16: \"retain_count\" must be from 1000 to 1000000000, not 999",
            "c.toml:3:12: \"max_jobs\" must be from 1 to 1000000000, "
                + "not -9223372036854775808"),
        Complaint(
            "[location]\nsource = \"none\"\nlatitude = 90.5\nlongitude = inf\naccuracy = nan",
            "c.toml:3:12: \"latitude\" must be a number from -90 to 90, not 90.5",
            "c.toml:4:13: \"longitude\" must be a number from -180 to 180, not inf",
            "c.toml:5:12: \"accuracy\" must be a number of 0 or more, not nan"),
        Complaint(
            "[location]\nsource = \"none\"\naccuracy = -1\nlongitude = -1e300",
            "c.toml:3:12: \"accuracy\" must be a number of 0 or more, not -1",
            "c.toml:4:13: \"longitude\" must be a number from -180 to 180, not -1e+300"),
        Complaint(
            "[socket]\nmode = \"1777\"",
            "c.toml:2:8: \"mode\" must be from \"0000\" to \"0777\" in octal, not \"1777\""),
        Complaint(
            "[socket]\nmode = \"0o660\"",
            "c.toml:2:8: \"mode\" must be from \"0000\" to \"0777\" in octal, not \"0o660\""),
    ]

    @Test("a value out of range is told the range", arguments: outOfRange)
    func ranges(complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.expected)
    }

    private static let unfitStrings: [Complaint] = [
        Complaint("[station]\nid = \"\"", "c.toml:2:6: \"id\" must not be empty"),
        Complaint(
            "[station]\nname = \"a\\u0007b\"",
            "c.toml:2:8: \"name\" must not hold control characters (\\u{07})"),
        Complaint(
            "[station]\nid = \"a\\nb\"",
            "c.toml:2:6: \"id\" must not hold control characters (\\u{0A})"),
        Complaint(
            "[store]\ndirectory = \"/var/\\u0000\"",
            "c.toml:2:13: \"directory\" must not hold control characters (\\u{00})"),
        Complaint(
            "[station]\nid = \"\(String(repeating: "é", count: 150))\"",
            "c.toml:2:6: \"id\" must be at most 255 bytes long, not 300"),
        Complaint(
            "[socket]\npath = \"/\(String(repeating: "p", count: 107))\"",
            "c.toml:2:8: \"path\" must be at most 107 bytes long, not 108"),
        Complaint(
            "[api]\ntoken_file = \"~/token\"",
            "c.toml:2:14: \"token_file\" begins with \"~\", which is not expanded; "
                + "write the whole path"),
        Complaint(
            "[log]\nlevel = \"inof\"",
            "c.toml:2:9: unknown log level \"inof\": it must be \"debug\", \"info\", "
                + "\"warning\" or \"error\"; did you mean \"info\"?"),
        Complaint(
            "[location]\nsource = \"gpsd\"",
            "c.toml:2:10: unknown location source \"gpsd\": it must be \"fixed\" or \"none\""),
        Complaint(
            "[log]\nlevel = \"\(String(repeating: "x", count: 41))\"",
            "c.toml:2:9: unknown log level a string of 41 characters: it must be \"debug\", "
                + "\"info\", \"warning\" or \"error\""),
    ]

    @Test("text that no name or path can be is refused", arguments: unfitStrings)
    func texts(complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.expected)
    }

    @Test("a socket path is measured together with the folder it starts from")
    func relativeSocketPath() {
        let folder = "/" + String(repeating: "d", count: 100)
        #expect(
            problems("[socket]\npath = \"p.socket\"", file: folder + "/c.toml") == [
                "\(folder)/c.toml:2:8: \"path\" must be at most 107 bytes long, not 110 "
                    + "with the configuration file's folder"
            ])
    }

    @Test("everything wrong is told at once, in the order of the file")
    func allAtOnce() {
        let text = """
            [store]
            max_jobs = 0
            [api]
            timeout = "1h"
            endpont = "x"
            [nonsense]
            [log]
            level = 1
            """
        #expect(
            problems(text) == [
                "c.toml:2:12: \"max_jobs\" must be from 1 to 1000000000, not 0",
                "c.toml:4:11: \"timeout\" must be from \"1s\" to \"5m\", not \"1h\"",
                "c.toml:5:1: unknown key \"endpont\" in [api]; did you mean \"endpoint\"?",
                "c.toml:6:2: unknown section [nonsense]",
                "c.toml:8:9: \"level\" must be \"debug\", \"info\", \"warning\" or \"error\", "
                    + "not an integer",
            ])
    }

    @Test("of very many problems the first 200 are told and the others counted")
    func veryMany() {
        let text = (1...1000).map { "[section\($0)]\n" }.joined()
        let told = problems(text)
        #expect(told.count == 201)
        #expect(told.first == "c.toml:1:2: unknown section [section1]")
        #expect(told.last == "c.toml: 800 more problems are not shown")
    }
}
