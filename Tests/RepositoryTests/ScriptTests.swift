internal import FoundationEssentials
internal import TestRig
internal import Testing

/// The scripts that a person calls: what lies in scripts/, but the list that one of them reads.
private func commands() async throws -> [String] {
    try await Repository.files().filter {
        $0.hasPrefix("scripts/") && $0.split(separator: "/").count == 2 && $0 != "scripts/packages"
    }
}

/// All shell scripts, known by their first line.
private func shellScripts() async throws -> [String] {
    try await Repository.files().filter { file in
        guard let first = Repository.text(of: file)?.prefix(while: { $0 != "\n" }) else {
            return false
        }
        return first.hasPrefix("#!") && (first.hasSuffix("sh") || first.hasSuffix("bash"))
    }
}

@Test("every script can be run and tells its use when asked")
func scriptsTellTheirUse() async throws {
    let commands = try await commands()
    try #require(commands.contains("scripts/test"))
    for command in commands {
        #expect(FileManager.default.isExecutableFile(atPath: Repository.path(command)))
        let result = try await Command.run([Repository.path(command), "--help"])
        #expect(result.status == 0, "\(command)")
        #expect(result.output.contains(command), "\(command): \(result.output)")
        let head = Repository.text(of: command)?.split(separator: "\n").dropFirst().first
        let tells = head?.hasPrefix("# ") == true || head?.hasPrefix("\"\"\"") == true
        #expect(tells, "\(command) begins with its use")
    }
}

@Test("every shell script is valid and passes shellcheck")
func shellScriptsAreSound() async throws {
    let scripts = try await shellScripts()
    try #require(scripts.contains("scripts/test") && scripts.contains(".ci/run"))
    for script in scripts {
        let syntax = try await Command.run(["bash", "-n", Repository.path(script)])
        #expect(syntax.status == 0, "\(syntax.output)")
    }
    let paths = scripts.map(Repository.path)
    let result = try await Command.run(["shellcheck", "--external-sources"] + paths)
    #expect(result.status == 0, "\(result.output)")
}

@Test("scripts/demo says what is wrong with its options, and how to get help")
func wrongDemo() async throws {
    let script = Repository.path("scripts/demo")
    let result = try await Command.run([script, "--bogus"])
    #expect(result.status == 2)
    #expect(result.output == "demo: there is no option --bogus\nTry scripts/demo --help.\n")
}

@Test("a section of packages that is not there is refused by name")
func unknownSection() async throws {
    let script = Repository.path("scripts/install-packages")
    let result = try await Command.run([script, "kitchen"])
    #expect(result.status == 1)
    #expect(result.output == "install-packages: scripts/packages has no section kitchen\n")
}

@Test("with all packages there, nothing is installed and one line says so")
func packagesAreThere() async throws {
    let script = Repository.path("scripts/install-packages")
    let result = try await Command.run([script, "build", "run", "test"])
    #expect(result.status == 0, "\(result.output)")
    #expect(
        result.output
            == "install-packages: all packages for build run test are installed\n")
}
