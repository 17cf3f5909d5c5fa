internal import FoundationEssentials
internal import TestRig
internal import Testing

@Suite("scripts/install")
struct InstallTests {
    private static let installed = [
        "-rw-r--r-- /etc/plingsd/config.toml",
        "-rw-r--r-- /usr/lib/modprobe.d/plings-blacklist.conf",
        "-rw-r--r-- /usr/lib/systemd/system/plingsd.service",
        "-rw-r--r-- /usr/lib/systemd/system/plingsd.socket",
        "-rw-r--r-- /usr/lib/sysusers.d/plingsd.conf",
        "-rw-r--r-- /usr/lib/tmpfiles.d/plingsd.conf",
        "-rw-r--r-- /usr/lib/udev/rules.d/95-plings-readers.rules",
        "-rw-r--r-- /usr/share/doc/plingsd/config.example.toml",
        "-rw-r--r-- /usr/share/polkit-1/rules.d/plingsd-pcscd.rules",
        "-rwxr-xr-x /usr/bin/plingsctl",
        "-rwxr-xr-x /usr/bin/plingsd",
        "-rwxr-xr-x /usr/libexec/plingsd/plings-pcsc",
        "lrwxrwxrwx /etc/systemd/system/multi-user.target.wants/plingsd.service",
        "lrwxrwxrwx /etc/systemd/system/sockets.target.wants/plingsd.socket",
    ]
    private static let kept = [
        "-rw-r--r-- /etc/plingsd/config.toml", "-rw-r--r-- /var/lib/plingsd/station.sqlite",
    ]
    private static let configuration = "/etc/plingsd/config.toml"
    private static let example = "/usr/share/doc/plingsd/config.example.toml"

    @Test("it puts every file where systemd and udev look for it, and does so again")
    func installs() async throws {
        let root = try await InstallationRoot()
        for _ in 0..<2 {
            let result = try await root.install()
            #expect(result.status == 0, "\(result.output)")
            #expect(result.output.contains("install: plingsd 1.0.0 is installed\n"))
            #expect(!result.output.contains("usermod"), "advice for the running machine")
            let files = try await root.files()
            #expect(files == Self.installed)
        }
        let users = root.text("/etc/passwd") ?? ""
        #expect(users.contains("plingsd:x:") && users.split(separator: "\n").count == 1)
        #expect(root.text(Self.configuration) == Repository.text(of: "config.example.toml"))
    }

    @Test("systemd finds nothing wrong with the units where they are installed")
    func unitsAreSound() async throws {
        let root = try await InstallationRoot()
        _ = try await root.install()
        // What systemd itself and pcscd bring, and the shell.
        _ = try await Command.output(
            "cp", "-r", "/usr/lib/systemd/system", root.path("/usr/lib/systemd"))
        _ = try await Command.output("install", "-D", "/bin/sh", root.path("/bin/sh"))
        _ = try await root.install()
        let result = try await Command.run(
            [
                "systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
                "--root=\(root.path(""))", "plingsd.service", "plingsd.socket",
            ])
        #expect(result.status == 0, "\(result.output)")
        #expect(!result.output.contains("plingsd"), "\(result.output)")
    }

    @Test("a configuration that was edited is kept; one that was not follows the example")
    func keepsConfiguration() async throws {
        let root = try await InstallationRoot()
        _ = try await root.install()
        try root.write(Self.configuration, "# the example of an older version\n")
        try root.write(Self.example, "# the example of an older version\n")
        let unedited = try await root.install()
        #expect(unedited.output.contains("nothing is configured"), "\(unedited.output)")
        #expect(root.text(Self.configuration) == Repository.text(of: "config.example.toml"))
        try root.write(Self.configuration, "[station]\nid = \"door\"\n")
        let edited = try await root.install()
        #expect(edited.output.contains("your configuration was kept"), "\(edited.output)")
        #expect(root.text(Self.configuration) == "[station]\nid = \"door\"\n")
    }

    @Test("where the new plingsd finds the configuration bad, nothing is replaced")
    func badConfiguration() async throws {
        let root = try await InstallationRoot()
        _ = try await root.install()
        try root.write(Self.configuration, "[stat]\n")
        try await root.makePrograms(version: "2.0.0")
        let result = try await root.install()
        #expect(result.status == 1)
        #expect(result.output.contains("config.toml:1:2: "), "\(result.output)")
        #expect(
            result.output.hasSuffix(
                "plingsd 2.0.0 finds the configuration bad (see above): nothing was changed\n"))
        #expect(root.text("/usr/bin/plingsd")?.contains("1.0.0") == true)
    }

    @Test("programs that need a toolchain's libraries are refused")
    func toolchainLibraries() async throws {
        let root = try await InstallationRoot()
        let result = try await root.install(from: Repository.programs)
        #expect(result.status == 1)
        #expect(result.output.contains("need Swift's own libraries"), "\(result.output)")
        let files = try await root.files()
        #expect(files == [])
    }

    @Test("programs of two versions are refused")
    func twoVersions() async throws {
        let root = try await InstallationRoot()
        try await root.write(program: "plings-pcsc", version: "0.9.0")
        let result = try await root.install()
        #expect(result.status == 1)
        #expect(
            result.output.hasSuffix(
                "plings-pcsc is version 0.9.0, plingsd is 1.0.0: they belong together\n"))
        let files = try await root.files()
        #expect(files == [])
    }

    @Test("an installation that fails halfway leaves what was there before")
    func failsHalfway() async throws {
        let root = try await InstallationRoot()
        _ = try await root.install()
        try await root.makePrograms(version: "2.0.0")
        // The programs are in place by then.
        try await root.write(
            tool: "sync", "#!/bin/sh\ncase $1 in *.service.new) echo no room; exit 1 ;; esac\n")
        let result = try await root.install(tools: "tools")
        #expect(result.status == 1 && result.output.contains("no room"), "\(result.output)")
        #expect(result.output.contains("plingsd.service can't be written"))
        let files = try await root.files()
        #expect(files == Self.installed)
        #expect(root.text("/usr/bin/plingsd")?.contains("1.0.0") == true)
        #expect(root.text("/usr/libexec/plingsd/plings-pcsc")?.contains("1.0.0") == true)
    }

    @Test("what a killed installation has left is put back by the next")
    func killedHalfway() async throws {
        let root = try await InstallationRoot()
        _ = try await root.install()
        try await root.makePrograms(version: "2.0.0")
        try await root.write(
            tool: "sync", "#!/bin/sh\ncase $1 in *.service.new) kill -KILL $PPID ;; esac\n")
        let killed = try await root.install(tools: "tools")
        #expect(killed.status == 137, "\(killed.output)")
        #expect(root.text("/usr/bin/plingsd")?.contains("2.0.0") == true)
        try await root.makePrograms(version: "3.0.0")
        try await root.write(
            tool: "sync", "#!/bin/sh\ncase $1 in *.service.new) exit 1 ;; esac\n")
        let failed = try await root.install(tools: "tools")
        #expect(failed.output.contains("an installation was cut off"), "\(failed.output)")
        #expect(root.text("/usr/bin/plingsd")?.contains("1.0.0") == true)
        let whole = try await root.install()
        #expect(whole.status == 0, "\(whole.output)")
        let files = try await root.files()
        #expect(files == Self.installed)
        #expect(root.text("/usr/bin/plingsd")?.contains("3.0.0") == true)
    }

    @Test("removed, the configuration and the store stay and are named; purged, nothing does")
    func removes() async throws {
        let root = try await InstallationRoot()
        _ = try await root.install()
        try root.write("/var/lib/plingsd/station.sqlite", "")
        let removed = try await root.install("--remove", from: nil)
        #expect(removed.status == 0)
        let words = """
            install: the station is removed
            install: \(root.path("/etc/plingsd")) stays; --purge removes it
            install: \(root.path("/var/lib/plingsd")) stays; --purge removes it

            """
        #expect(removed.output == words)
        let kept = try await root.files()
        #expect(kept == Self.kept)
        let purged = try await root.install("--remove", "--purge", from: nil)
        #expect(purged.status == 0, "\(purged.output)")
        let nothing = try await root.files()
        #expect(nothing == [])
        let folders = try await Command.output("find", root.path(""), "-type", "d", "-empty")
        #expect(folders == "")
        #expect(root.text("/etc/passwd") == "" && root.text("/etc/group") == "")
    }

    @Test("for each library that a program loads a Debian package is known")
    func libraryPackages() throws {
        let script = try #require(Repository.text(of: "scripts/install"))
        let libraries = SharedLibraries.station.table.values.reduce(into: Set()) {
            $0.formUnion($1)
        }
        for library in libraries.union(["stdc++", "gcc_s"]).sorted() {
            let line = "\n    lib\(library).so."
            #expect(script.contains(line), "\(library)")
        }
    }

    @Test("it is for root, unless it works on another root")
    func wrongCalls() async throws {
        let purge = try await Command.run([Repository.path("scripts/install"), "--purge"])
        let help = "Try scripts/install --help.\n"
        #expect(purge.output == "install: --purge goes with --remove alone\n" + help)
        #expect(purge.status == 2)
        let bogus = try await Command.run([Repository.path("scripts/install"), "--bogus"])
        #expect(bogus.output == "install: there is no option --bogus\n" + help)
        #expect(bogus.status == 2)
        let root = try await Command.run([Repository.path("scripts/install"), "--root"])
        #expect(root.output == "install: --root needs a folder\n" + help)
        #expect(root.status == 2)
        let folder = try await Command.run(
            [Repository.path("scripts/install"), "--from", "/nowhere"])
        #expect(folder.status == 1 && folder.output == "install: there is no folder /nowhere\n")
    }
}
