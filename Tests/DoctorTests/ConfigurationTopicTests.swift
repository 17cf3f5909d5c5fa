import Configuration
import TestRig
import Testing

@testable import Doctor

@Suite("What is said of the configuration")
struct ConfigurationTopicTests {
    private let folder = TestFolder()

    private func facts(named file: String?) -> ConfigurationFacts {
        var surroundings = Surroundings(environment: [:], configurationFile: file)
        surroundings.root = folder.path
        return ConfigurationFacts(lookingAround: surroundings)
    }

    @Test("a mistake is told with file, line and column, and what was meant")
    func mistakes() {
        let file = folder.write("c.toml", "[api]\nendpont = \"https://a.example/\"\n")
        let findings = facts(named: file).findings
        #expect(findings.map(\.check) == ["configuration-wrong"])
        #expect(findings[0].text.hasPrefix("the configuration has a mistake at \(file):2:1: "))
        #expect(findings[0].text.contains("did you mean \"endpoint\"?"), "\(findings[0].text)")
        #expect(findings[0].command == "sudoedit \(file)")
    }

    @Test("of many mistakes five are told, and the rest counted")
    func many() {
        let keys = (1...8).map { "nonsense\($0) = 1\n" }.joined()
        let file = folder.write("c.toml", "[api]\n\(keys)")
        let findings = facts(named: file).findings
        #expect(findings.count == 6)
        #expect(findings.last?.text == "the configuration \(file) has 3 mistakes more")
        #expect(findings.last?.command == "plingsd --check-config \(file)")
    }

    @Test("none at all is a note, and one that was named and is not there a problem")
    func absent() {
        let usual = facts(named: nil).findings
        #expect(usual.map(\.check) == ["configuration-none"])
        #expect(
            usual[0].text == "there is no configuration /etc/plingsd/config.toml: every key has "
                + "its default, and scans go to no API")
        let named = facts(named: "/nowhere/c.toml").findings
        #expect(named.map(\.check) == ["configuration-missing"])
        #expect(named[0].text == "the configuration /nowhere/c.toml that was named is not there")
        #expect(named[0].command == "ls -l /nowhere")
    }

    @Test("a good one is called so, and holds")
    func good() {
        let file = folder.write("c.toml", "[api]\nendpoint = \"https://a.example/\"\n")
        let facts = facts(named: file)
        #expect(facts.findings.map(\.text) == ["the configuration \(file) is good"])
        #expect(facts.configuration.api.endpoint == "https://a.example/")
        #expect(facts.isKnown)
    }

    @Test("a reader whose program can't be run is a problem of the configuration")
    func command() {
        let file = folder.write(
            "c.toml",
            "[[reader]]\nkind = \"exec\"\nname = \"till\"\ncommand = [\"/nowhere/till\"]\n"
                + "[[reader]]\nkind = \"exec\"\ncommand = [\"/bin/sh\"]\n")
        let findings = facts(named: file).findings
        #expect(findings.map(\.check) == ["configuration-good", "configuration-command"])
        #expect(
            findings.last?.text == "the reader till can't be started: /nowhere/till is not there")
        #expect(findings.last?.command == "sudoedit \(file)")
    }

    @Test("with a mistake in it nobody is told to be root, who reads it as well")
    func mistakeAsRoot() async {
        let place = Place()
        place.configure("[nonsense]\n")
        let run = await DoctorRun(place)
        #expect(run.findings["configuration-wrong"] != nil)
        #expect(
            run.findings["store-unknown"]?.text
                == "where the store is could not be read: see what is said of the configuration")
        #expect(
            run.findings["api-unknown"]?.text == "which API is configured could not be read, so it "
                + "was not asked: see what is said of the configuration")
        #expect(!run.text.contains("run as root"), "\(run.text)")
    }

    @Test("one that we may not read leaves the defaults, which is said")
    func closed() {
        let facts = ConfigurationFacts(file: "/etc/plingsd/config.toml", content: .closed)
        #expect(!facts.isKnown && facts.configuration == .defaults)
        #expect(
            facts.findings.map(\.text) == [
                "the configuration /etc/plingsd/config.toml may not be read by you, so the rest was "
                    + "looked at with its defaults: run as root to look at it too"
            ])
        #expect(facts.findings[0].command == "sudo plingsctl doctor")
    }
}
