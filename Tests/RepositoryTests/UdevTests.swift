internal import FoundationEssentials
internal import TestRig
internal import Testing

private let rulesFile = "udev/95-plings-readers.rules"

@Test("the device rules are well-formed, and udev says so where it can")
func deviceRules() async throws {
    let text = try #require(Repository.text(of: rulesFile))
    #expect(UdevRules(text).complaints == [])
    // Since systemd 254.
    let help = try await Command.run(["udevadm", "verify", "--help"])
    guard help.status == 0 else { return }
    let verdict = try await Command.run(
        ["udevadm", "verify", "--resolve-names=never", Repository.path(rulesFile)])
    #expect(verdict.status == 0, "\(verdict.output)")
}

@Test("a rule that udev would ignore is told")
func brokenRules() {
    let text = """
        ACTION="add", GOTO="end"
        ATTR{idVendor}=="072f" ATTR{idProduct}=="2200", MODE="0660"
        LABEL="start", OWNER="root"
        """
    #expect(
        UdevRules(text).complaints == [
            "line 1: ACTION=\"add\" is no term of a rule",
            "line 2: ATTR{idVendor}==\"072f\" ATTR{idProduct}==\"2200\" is no term of a rule",
            "line 3: OWNER=\"root\" is no term of a rule",
            "the last line has no end",
            "no label end follows",
        ])
}

@Test("every reader that is left to pcscd is one that its driver knows")
func readersOfTheDriver() throws {
    let rules = UdevRules(try #require(Repository.text(of: rulesFile)))
    let bytes = try #require(FileManager.default.contents(atPath: DriverList.path))
    let known = DriverList.ids(in: String(decoding: bytes, as: UTF8.self))
    let ids = rules.ids(to: "plings_readers_awake")
    try #require(ids.contains("072f:2200"))
    #expect(ids.filter { !known.contains($0) } == [])
    #expect(Set(ids).count == ids.count)
    #expect(rules.ids(to: "plings_readers_board").filter(known.contains) == [])
}

/// The readers that the CCID driver lists in its bundle.
private enum DriverList {
    /// Source: libccid's package in Debian 12 and 13.
    static let path = "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist"

    /// The USB ids: two arrays of equal length, `<string>0x072F</string>` a line.
    static func ids(in list: String) -> Set<String> {
        let pairs = zip(strings(of: "ifdVendorID", in: list), strings(of: "ifdProductID", in: list))
        return Set(pairs.map { "\($0):\($1)" })
    }

    private static func strings(of key: String, in list: String) -> [String] {
        guard let start = list.firstRange(of: "<key>\(key)</key>"),
            let end = list[start.upperBound...].firstRange(of: "</array>")
        else { return [] }
        let lines = list[start.upperBound..<end.lowerBound].split(separator: "\n")
        return lines.compactMap { line in
            guard let value = line.firstRange(of: "0x") else { return nil }
            return line[value.upperBound...].prefix(4).lowercased()
        }
    }
}
