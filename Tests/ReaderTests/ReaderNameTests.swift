import PCSCReader
import ReaderKit
import Testing

@Suite("Readers' names and ids")
struct ReaderNameTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let base: String
        let serial: String?
        let slot: Int
        let id: String
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "ACS ACR122U PICC Interface 00 00", base: "ACS ACR122U PICC Interface",
            serial: nil, slot: 0, id: "pcsc:acs-acr122u-picc-interface"),
        Case(
            name: "ACS ACR122U PICC Interface 0A 00", base: "ACS ACR122U PICC Interface",
            serial: nil, slot: 0, id: "pcsc:acs-acr122u-picc-interface"),
        Case(
            name:
                "Identiv uTrust 3700 F CL Reader [uTrust 3700 F CL Reader] (55041514200000) 00 00",
            base: "Identiv uTrust 3700 F CL Reader [uTrust 3700 F CL Reader]",
            serial: "55041514200000", slot: 0,
            id: "pcsc:identiv-utrust-3700-f-cl-reader-utrust-3700-f-cl-reader:55041514200000"),
        Case(
            name: "ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00",
            base: "ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM]", serial: nil, slot: 0,
            id: "pcsc:acs-acr1252-dual-reader-acr1252-dual-reader-sam"),
        Case(
            name: "SCM SDI 010 (OKCM/02-17) 00 01", base: "SCM SDI 010", serial: "OKCM-02-17",
            slot: 1, id: "pcsc:scm-sdi-010:OKCM-02-17/1"),
        Case(
            name: "Cheap Reader (000000) 02 00", base: "Cheap Reader (000000)", serial: nil,
            slot: 0,
            id: "pcsc:cheap-reader-000000"),
        Case(
            name: "Odd (a) Reader () 00 00", base: "Odd (a) Reader ()", serial: nil, slot: 0,
            id: "pcsc:odd-a-reader"),
        Case(name: "Short", base: "Short", serial: nil, slot: 0, id: "pcsc:short"),
        Case(
            name: "Lecteur é\u{7}X G1 00", base: "Lecteur é\u{7}X G1 00", serial: nil, slot: 0,
            id: "pcsc:lecteur-x-g1-00"),
        Case(name: "", base: "", serial: nil, slot: 0, id: "pcsc:"),
    ]

    @Test("a name is taken apart as pcscd makes it", arguments: cases)
    func name(expected: Case) {
        let name = ReaderName(expected.name)
        #expect(name.full == expected.name)
        #expect(name.base == expected.base)
        #expect(name.serial == expected.serial)
        #expect(name.slot == expected.slot)
        #expect(name.deviceID(serial: name.serial, number: 1) == expected.id)
    }

    @Test("identical readers without a serial number are numbered")
    func numbers() {
        let name = ReaderName("ACS ACR122U PICC Interface 01 00")
        #expect(name.deviceID(serial: nil, number: 2) == "pcsc:acs-acr122u-picc-interface#2")
    }

    @Test("a serial number keeps the id the same under another of pcscd's numbers")
    func stability() {
        let ids = ["A (12) 00 00", "A (12) 03 00"].map { name in
            ReaderName(name).deviceID(serial: ReaderName(name).serial, number: 1)
        }
        #expect(ids == ["pcsc:a:12", "pcsc:a:12"])
    }
}

@Suite("Which readers are served")
struct PCSCSettingsTests {
    static let matches: [([String], Bool)] = [
        ([], true),
        (["ACS ACR1252*"], true),
        (["acs acr1252*"], false),
        (["*PICC*"], true),
        (["x", "*00 00"], true),
        (["pcsc:acs-*"], true),
        (["RR171-*"], true),
        (["RR171"], false),
        // Brackets are a set of characters to a glob, but the whole name is itself.
        (["ACS ACR1252 [PICC] 00 00"], true),
        (["ACS ACR1252 [PICC] 0? 00"], false),
    ]

    @Test("a glob is held against the name, the id and the serial number", arguments: matches)
    func match(globs: [String], isServed: Bool) {
        let settings = PCSCSettings(matches: globs)
        let texts = ["ACS ACR1252 [PICC] 00 00", "pcsc:acs-acr1252-picc:RR171-1", "RR171-1"]
        #expect(settings.matches(texts) == isServed)
    }

    private func read(_ arguments: [String]) throws -> PCSCSettings {
        try PCSCSettings(
            CommandLineOptions(arguments, valued: PCSCSettings.valued, flags: ["help", "version"]))
    }

    @Test("the grace is 300 ms unless the command line says otherwise; the last one counts")
    func grace() throws {
        #expect(try read([]).departureGrace == 300)
        #expect(try read(["--departure-grace", "0"]).departureGrace == 0)
        #expect(
            try read(["--departure-grace=1", "--departure-grace=60000"]).departureGrace == 60_000)
    }

    @Test("a grace that is no number is refused", arguments: ["", "-1", "60001", "300ms", "1.5"])
    func refusal(value: String) {
        let sentence = "--departure-grace takes milliseconds from 0 to 60000, not “\(value)”"
        #expect(throws: UsageError(sentence)) { try read(["--departure-grace", value]) }
    }
}
