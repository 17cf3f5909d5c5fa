import Configuration
import Testing

@testable import Station

@Suite("Settings that take a restart")
struct FixedSettingsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let line: String
        /// The setting that is named; nil where it is taken at once.
        let named: String?

        var testDescription: String { line }
    }

    private static let rows = [
        Row(line: "[station]\nid = \"other\"", named: "[station] id"),
        Row(line: "[store]\ndirectory = \"/other\"", named: "[store] directory"),
        Row(line: "[store]\nretain_count = 5000", named: nil),
        Row(line: "[socket]\npath = \"/other/s\"", named: "[socket] path"),
        Row(line: "[socket]\nmode = \"0600\"", named: "[socket] mode"),
        Row(line: "[socket]\ngroup = \"other\"", named: "[socket] group"),
        Row(line: "[socket]\ncontrol_group = \"other\"", named: "[socket] control_group"),
        Row(line: "[api]\nendpoint = \"https://a.example/\"", named: "[api] endpoint"),
        Row(line: "[api]\ntoken_file = \"/other\"", named: "[api] token_file"),
        Row(line: "[api]\nauth_url = \"https://a.example/\"", named: "[api] auth_url"),
        Row(line: "[api]\nca_file = \"/other\"", named: "[api] ca_file"),
        Row(line: "[api]\ntimeout = \"3s\"", named: "[api] timeout"),
        Row(line: "[api]\nanswer_patience = \"3s\"", named: nil),
        Row(line: "[api]\nscans_per_minute = 7\nlive_share = 0.5", named: nil),
        Row(line: "[scan]\nhosts = [\"a.example\"]\nflap_limit = 9", named: nil),
        Row(line: "[scan]\nannounce_present = false\ndeparture_grace = \"1s\"", named: nil),
        Row(line: "[cache]\nttl = \"1h\"", named: nil),
        Row(line: "[cache]\nmax_objects = 7", named: "[cache] max_objects"),
        Row(line: "[readers]\nautomatic = false", named: nil),
        Row(line: "[log]\nlevel = \"debug\"", named: nil),
    ]

    @Test("are named and kept; all others are taken at once", arguments: rows)
    func row(_ row: Row) throws {
        let before = StationConfiguration.defaults
        let wanted = try StationConfiguration.parse(row.line, file: "/c.toml")
        let named = row.named.map { [$0] } ?? []
        #expect(FixedSettings.differing(before, wanted) == named)
        let kept = FixedSettings.kept(of: before, in: wanted)
        #expect(kept == (row.named == nil ? wanted : before))
        #expect(FixedSettings.differing(kept, wanted) == named)
    }

    @Test("the file of the API key is named, not its section alone")
    func keyFile() throws {
        let server = "[api]\nauth_url = \"https://a.example/\"\n"
        let before = try StationConfiguration.parse(server, file: "/c.toml")
        let wanted = try StationConfiguration.parse(
            server + "api_key_file = \"/key\"\n", file: "/c.toml")
        #expect(FixedSettings.differing(before, wanted) == ["[api] api_key_file"])
    }

    @Test("nothing is named where nothing has changed")
    func nothing() {
        #expect(FixedSettings.differing(.defaults, .defaults) == [])
    }
}
