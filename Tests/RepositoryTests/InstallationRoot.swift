internal import FoundationEssentials
internal import Platform
internal import TestRig

/// A root that does not run, and programs to install in it.
struct InstallationRoot {
    private let folder = TestFolder()
    private let link: String

    /// Makes an empty root, and a folder of programs of one version.
    init() async throws {
        link = "\(self.folder.path)/plingsd"
        try FileManager.default.createDirectory(
            atPath: path("/etc"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: Repository.program("plingsd"))
        try await makePrograms(version: "1.0.0")
    }

    /// Writes programs that say their version; plingsd judges a configuration as the real one does.
    func makePrograms(version: String, in folder: String = "programs") async throws {
        try FileManager.default.createDirectory(
            atPath: "\(self.folder.path)/\(folder)", withIntermediateDirectories: true)
        for name in ["plingsd", "plingsctl", "plings-pcsc"] {
            try await write(program: name, version: version, in: folder)
        }
    }

    /// Writes one program.
    func write(
        program name: String, version: String, in folder: String = "programs"
    ) async throws {
        let file = self.folder.write(
            "\(folder)/\(name)",
            """
            #!/bin/sh
            case $1 in
            --version) echo "\(name) \(version)" ;;
            --check-config) exec \(link) "$@" ;;
            esac

            """)
        _ = try await Command.output("chmod", "755", file)
    }

    /// Runs scripts/install on this root.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments besides the root.
    ///   - folder: The programs to take; nil for none.
    ///   - tools: A folder of tools that are found before the system's.
    /// - Returns: What it said, and its exit status.
    /// - Throws: `SystemError` where no process can be had.
    func install(
        _ arguments: String..., from folder: String? = "programs", tools: String? = nil
    ) async throws -> Command.Result {
        let from =
            folder.map { ["--from", $0.hasPrefix("/") ? $0 : "\(self.folder.path)/\($0)"] } ?? []
        let search = tools.map { ["env", "PATH=\(self.folder.path)/\($0):\(Self.search)"] } ?? []
        return try await Command.run(
            search + [Repository.path("scripts/install"), "--root", path("")] + from + arguments)
    }

    private static let search = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// The path of something in the root.
    func path(_ name: String) -> String { "\(self.folder.path)/root\(name)" }

    /// The text of a file in the root; nil where it is not there.
    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Writes a file into the root.
    func write(_ name: String, _ text: String) throws {
        try FileManager.default.createDirectory(
            atPath: FilePath.folder(of: path(name)), withIntermediateDirectories: true)
        folder.write("root\(name)", text, mode: 0o644)
    }

    /// Writes a tool that takes the place of the system's.
    func write(tool name: String, _ text: String) async throws {
        try FileManager.default.createDirectory(
            atPath: "\(self.folder.path)/tools", withIntermediateDirectories: true)
        let file = self.folder.write("tools/\(name)", text)
        _ = try await Command.output("chmod", "755", file)
    }

    /// The files in the root but those of the accounts: mode and path, a line each.
    func files() async throws -> [String] {
        let list = try await Command.output(
            "find", path(""), "!", "-type", "d", "-printf", "%M /%P\n")
        return list.split(separator: "\n").map(String.init).filter {
            !$0.contains(" /etc/.pwd") && !$0.contains(" /etc/pass")
                && !$0.contains(" /etc/group") && !$0.contains("shadow")
        }.sorted()
    }
}
