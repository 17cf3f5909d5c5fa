internal import FoundationEssentials
internal import TestRig
internal import Testing

/// What systemd says about a unit whose program is the one built here; nothing is well.
private func verdict(on unit: String, named name: String) async throws -> String {
    let folder = TestFolder()
    let path = folder.write(
        name, unit.replacing("/usr/bin/", with: "\(Repository.programs)/"))
    let result = try await Command.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", path])
    return result.status == 0 ? result.output : "exit status \(result.status): \(result.output)"
}

/// The value of `key=` in a unit, the last one where there are several.
private func value(of key: String, in unit: String) -> String? {
    unit.split(separator: "\n").last { $0.hasPrefix(key + "=") }.map {
        String($0.dropFirst(key.count + 1))
    }
}

@Test("systemd finds nothing wrong with the units")
func unitsAreSound() async throws {
    let units = try await Repository.files().filter {
        $0.hasPrefix("systemd/") && $0.hasSuffix(".service")
    }
    try #require(units.contains("systemd/plingsd.service"))
    for unit in units {
        let text = try #require(Repository.text(of: unit))
        let name = String(unit.dropFirst("systemd/".count))
        #expect(try await verdict(on: text, named: name) == "")
    }
}

@Test("systemd finds a misspelt setting and a missing program")
func unsoundUnit() async throws {
    let unit = try #require(Repository.text(of: "systemd/plingsd.service"))
    let misspelt = unit.replacing("WatchdogSec=", with: "WatchdogSecs=")
    #expect(try await verdict(on: misspelt, named: "plingsd.service").contains("WatchdogSecs"))
    let missing = unit.replacing("/usr/bin/plingsd", with: "/usr/bin/plingsx")
    #expect(try await verdict(on: missing, named: "plingsd.service").contains("plingsx"))
}

/// How exposed a unit is, from 0 to 10, as systemd counts it.
private func exposure(of unit: String) async throws -> Double {
    let folder = TestFolder()
    let path = folder.write("plingsd.service", unit)
    let output = try await Command.output("systemd-analyze", "security", "--offline=true", path)
    let level = output.split(separator: "\n").last?.split(separator: ": ").last
    let number = level?.split(separator: " ").first.flatMap { Double($0) }
    return try #require(number)
}

@Test("the unit is exposed no more than 2.5 on systemd's scale")
func unitIsClosed() async throws {
    let unit = try #require(Repository.text(of: "systemd/plingsd.service"))
    let level = try await exposure(of: unit)
    #expect(level <= 2.5)
    let open = try await exposure(of: unit.replacing("CapabilityBoundingSet=\n", with: ""))
    #expect(open > 2.5)
}

@Test("the user and group that the unit runs as are those that are made at installation")
func accounts() async throws {
    let unit = try #require(Repository.text(of: "systemd/plingsd.service"))
    let folder = TestFolder()
    try FileManager.default.createDirectory(
        atPath: "\(folder.path)/etc", withIntermediateDirectories: false)
    _ = try await Command.output(
        "systemd-sysusers", "--root=\(folder.path)", Repository.path("systemd/plingsd.sysusers"))
    let users = try rows(of: "\(folder.path)/etc/passwd")
    let groups = try rows(of: "\(folder.path)/etc/group")
    #expect(users.map { $0[0] } == [value(of: "User", in: unit)])
    #expect(groups.map { $0[0] } == [value(of: "Group", in: unit)])
    #expect(users.first?[3] == groups.first?[2], "the group is the user's own")
    #expect(users.first?[6] == "/usr/sbin/nologin")
}

@Test("pcscd lets in the user that the unit runs as")
func polkitRule() throws {
    let unit = try #require(Repository.text(of: "systemd/plingsd.service"))
    let rule = try #require(Repository.text(of: "systemd/plingsd-pcscd.rules"))
    let user = try #require(value(of: "User", in: unit))
    #expect(rule.contains("subject.user == \"\(user)\""))
}

private func rows(of path: String) throws -> [[String]] {
    let bytes = try #require(FileManager.default.contents(atPath: path))
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
        $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
}
