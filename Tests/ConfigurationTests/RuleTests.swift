import Testing

@Suite("rules beyond a single value")
struct RuleTests {
    private static let notAURL = "must be a URL that begins with https:// or http://"
    private static let notPlain =
        "must be a URL of plain ASCII without spaces, quotation marks and \"#\""
    private static let userInfo =
        "must not hold a user name or password; the token belongs in the file that "
        + "\"token_file\" names"
    private static let insecure =
        "must begin with https://: plain http, which anyone on the way can read, is allowed only "
        + "to this machine (127.0.0.0/8, [::1] or localhost)"
    private static let noHost = "must hold a valid host name after https://"
    private static let noPort = "must hold a port from 1 to 65535 after the host's \":\""
    private static let noIPv6 = "must hold a valid IPv6 address between the brackets"

    private static let refusedEndpoints: [(url: String, expected: String)] = [
        ("api.plings.io/graphql", notAURL), ("ftp://api.plings.io", notAURL),
        ("https:api.plings.io", notAURL), ("https://a b.io", notPlain),
        ("https://plings.io/é", notPlain), ("https://plings.io/#top", notPlain),
        ("https://me:secret@plings.io/", userInfo), ("http://localhost@plings.io/", userInfo),
        ("http://api.plings.io/graphql", insecure), ("http://128.0.0.1/", insecure),
        ("http://127.0.0.1.plings.io/", insecure), ("http://127.1/", insecure),
        ("http://localhost.plings.io/", insecure), ("http://[::2]/", insecure),
        ("http://[::ffff:127.0.0.1]/", insecure), ("http://10.0.0.7:8000/", insecure),
        ("https://", noHost), ("https:///graphql", noHost), ("https://-a.io/", noHost),
        ("https://a..io/", noHost), ("https://a.io:/", noPort), ("https://a.io:0/", noPort),
        ("https://a.io:65536/", noPort), ("https://[::1]8000/", noPort),
        ("https://a.io:80:80/", noPort), ("https://[::g]/", noIPv6), ("http://[]/", noIPv6),
        ("https://[::1", noHost),
    ]

    @Test(
        "an endpoint that is no URL, carries a secret or would be read on the way is refused",
        arguments: refusedEndpoints)
    func endpoint(url: String, expected: String) {
        #expect(
            problems("[api]\nendpoint = \"\(url)\"") == ["c.toml:2:12: \"endpoint\" \(expected)"])
    }

    @Test("an endpoint is never repeated in a complaint")
    func endpointIsNotRepeated() {
        for url in ["http://me:secret@plings.io/", "secret", "https://plings.io/#secret"] {
            #expect(!problems("api.endpoint = \"\(url)\"").joined().contains("secret@"))
            #expect(!problems("api.endpoint = \"\(url)\"").joined().contains("\"secret"))
            #expect(!problems("api.endpoint = \"\(url)\"").joined().contains("#secret"))
        }
    }

    @Test(
        "an auth server's address follows the same rules, and paths can be added to it",
        arguments: refusedEndpoints)
    func authServer(url: String, expected: String) {
        #expect(
            problems("[api]\nauth_url = \"\(url)\"") == ["c.toml:2:12: \"auth_url\" \(expected)"])
    }

    private static let twoCredentials: [Complaint] = [
        Complaint(
            "[api]\nauth_url = \"https://a.io\"\ntoken_file = \"t\"",
            "c.toml:3:1: \"auth_url\" and \"token_file\" exclude each other: the station logs in "
                + "by itself or reads a token from a file"),
        Complaint(
            "[api]\ntoken_file = \"t\"\napi_key_file = \"k\"\nauth_url = \"https://a.io\"",
            "c.toml:4:1: \"auth_url\" and \"token_file\" exclude each other: the station logs in "
                + "by itself or reads a token from a file"),
        Complaint(
            "[api]\napi_key_file = \"k\"",
            "c.toml:2:1: \"api_key_file\" is for the auth server: it needs \"auth_url\""),
        Complaint(
            "[api]\nauth_url = \"https://a.io/?x\"",
            "c.toml:2:12: \"auth_url\" must be a URL without \"?\""),
    ]

    @Test("there is one way to have a token, and it is complete", arguments: twoCredentials)
    func credentials(complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.expected)
    }

    private static let refusedHosts: [(host: String, expected: String)] = [
        (
            "https://s.plings.io/",
            "\"https://s.plings.io/\"; did you mean \"s.plings.io\"?"
        ),
        ("S.plings.io:443", "\"S.plings.io:443\"; did you mean \"s.plings.io\"?"),
        ("s.plings.io/tag", "\"s.plings.io/tag\"; did you mean \"s.plings.io\"?"),
        ("", "\"\""), ("a b", "\"a b\""), ("é.io", "\"é.io\""), ("a..b", "\"a..b\""),
        (String(repeating: "a", count: 64), "a string of 64 characters"),
    ]

    @Test("a host is a name alone", arguments: refusedHosts)
    func hosts(host: String, expected: String) {
        let complaint = "each of \"hosts\" must be a host name without scheme, port or path, not "
        #expect(
            problems("[scan]\nhosts = [\"\(host)\"]") == ["c.toml:2:10: \(complaint)\(expected)"])
    }

    @Test("at least one host is needed")
    func noHosts() {
        #expect(problems("[scan]\nhosts = []") == ["c.toml:2:9: \"hosts\" must not be empty"])
    }

    private static let incompleteLocations: [Complaint] = [
        Complaint(
            "[location]\nsource = \"fixed\"",
            "c.toml:2:1: source = \"fixed\" needs \"latitude\"",
            "c.toml:2:1: source = \"fixed\" needs \"longitude\""),
        Complaint(
            "[location]\nsource = \"fixed\"\nlatitude = 1",
            "c.toml:2:1: source = \"fixed\" needs \"longitude\""),
        Complaint(
            "[location]\nsource = \"fixed\"\nlatitude = 91\nlongitude = 1",
            "c.toml:3:12: \"latitude\" must be a number from -90 to 90, not 91"),
        Complaint(
            "[location]\nlongitude = 22\nlatitude = 65",
            "c.toml:2:1: the location is not used without source = \"fixed\" in [location]"),
        Complaint(
            "[location]\naccuracy = 5",
            "c.toml:2:1: the location is not used without source = \"fixed\" in [location]"),
    ]

    @Test("a location is complete and meant", arguments: incompleteLocations)
    func location(complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.expected)
    }

    private static let unfitReaders: [Complaint] = [
        Complaint("[[reader]]", "c.toml:1:1: each reader needs \"kind\": \"pcsc\" or \"exec\""),
        Complaint(
            "[[reader]]\nkind = \"camera\"",
            "c.toml:2:8: unknown reader kind \"camera\": it must be \"pcsc\" or \"exec\""),
        Complaint(
            "[[reader]]\nkind = \"PCSC\"",
            "c.toml:2:8: unknown reader kind \"PCSC\": it must be \"pcsc\" or \"exec\"; "
                + "did you mean \"pcsc\"?"),
        Complaint(
            "[[reader]]\nkind = \"exec\"",
            "c.toml:1:1: a reader of kind \"exec\" needs \"command\""),
        Complaint(
            "[[reader]]\nkind = \"exec\"\nmatch = \"*\"\ncommand = [\"a\"]",
            "c.toml:3:1: \"match\" is for readers of kind \"pcsc\" only"),
        Complaint(
            "[[reader]]\nkind = \"pcsc\"\ncommand = [\"a\"]",
            "c.toml:3:1: \"command\" is for readers of kind \"exec\" only"),
        Complaint(
            "[[reader]]\nkind = \"exec\"\ncommand = []",
            "c.toml:3:11: \"command\" must not be empty"),
        Complaint(
            "[[reader]]\nkind = \"exec\"\ncommand = \"a b\"",
            "c.toml:3:11: \"command\" must be a list of strings such as "
                + "[\"/usr/local/bin/reader\", \"--verbose\"], not a string"),
        Complaint(
            "[[reader]]\nkind = \"exec\"\ncommand = [\"\", \"a\\u0000\", 5]",
            "c.toml:3:12: \"command\" must not be empty"),
        Complaint(
            "[[reader]]\nkind = \"exec\"\ncommand = [\"a\", \"a\\u0000\", 5]",
            "c.toml:3:17: \"command\" must not hold NUL characters",
            "c.toml:3:28: each of \"command\" must be a string, not an integer"),
        Complaint(
            "[[reader]]\nkind = \"exec\"\ncommand = [\"~/reader\"]",
            "c.toml:3:12: \"command\" begins with \"~\", which is not expanded; "
                + "write the whole path"),
        Complaint(
            "[[reader]]\nkind = \"pcsc\"\nname = \"door\"\n[[reader]]\nkind = \"pcsc\"\n"
                + "name = \"door\"",
            "c.toml:6:1: the name \"door\" is already given in line 3"),
    ]

    @Test(
        "a reader says its kind and has what its kind needs, and nothing else",
        arguments: unfitReaders)
    func readers(complaint: Complaint) {
        #expect(problems(complaint.text) == complaint.expected)
    }
}
