import Configuration
import Testing

extension ConfigurationSection: CustomTestStringConvertible {
    package var testDescription: String { header }
}

@Suite("config.example.toml")
struct ExampleFileTests {
    @Test("as it stands it changes nothing")
    func asItStands() throws {
        let read = try StationConfiguration.parse(try ExampleFile.text(), file: "/etc/c.toml")
        #expect(read == .defaults)
        #expect(try ExampleFile.linesInUse().isEmpty)
    }

    @Test("with every key in use it is accepted")
    func everythingInUse() throws {
        // The two ways to have a token exclude each other.
        let text = try ExampleFile.uncommented(without: ["auth_url", "api_key_file"])
        let read = try StationConfiguration.parse(text, file: "/etc/c.toml")
        let other = try ExampleFile.uncommented(without: ["token_file"])
        let api = try StationConfiguration.parse(other, file: "/etc/c.toml").api
        #expect(api.authURL == "https://auth.plings.io")
        #expect(api.apiKeyFile == "/etc/plingsd/api-key")
        #expect(read.api.endpoint == "https://api.plings.io/graphql")
        #expect(read.readerEntries.count == 2)
        #expect(read.location.source == .none)
    }

    @Test("it has every section that exists, and no other")
    func sections() throws {
        let headers = Set(try ExampleFile.entries().keys)
        #expect(headers == Set(ConfigurationKeys.sections.map(\.header)))
    }

    @Test(
        "it has every key that exists and no other, each with what it is for, its unit and default",
        arguments: ConfigurationKeys.sections)
    func keys(section: ConfigurationSection) throws {
        let entries = try ExampleFile.entries()[section.header] ?? []
        #expect(entries.map(\.key) == section.keys.map(\.name))
        for (entry, key) in zip(entries, section.keys) {
            #expect(entry.comment == "\(key.sentence) \(key.facts)")
            #expect(entry.value == key.example ?? key.fallback)
        }
    }

    @Test("the defaults it states are those that hold", arguments: ConfigurationKeys.sections)
    func defaults(section: ConfigurationSection) throws {
        let stated = section.keys.compactMap { key in key.fallback.map { "\(key.name) = \($0)\n" } }
        // A reader is listed only with its kind, which has no default.
        let text = "\(section.header)\n" + (section.isList ? "kind = \"pcsc\"\n" : "")
        var expected = StationConfiguration.defaults
        if section.isList {
            expected.readerEntries = [.init(kind: .pcsc(match: "*"))]
        }
        var read = try StationConfiguration.parse(text + stated.joined(), file: "c.toml")
        read.socket.group.isConfigured = false
        read.socket.controlGroup.isConfigured = false
        #expect(read == expected)
    }
}
