internal import FoundationEssentials

/// The folder of this project and what was built from it.
package enum Repository {
    /// The top folder, where Package.swift lies.
    package static let root = folder(above: #filePath, levels: 3)

    /// The folder of the programs that were built together with the running tests.
    ///
    /// Source: proc_pid_exe(5); SwiftPM links the tests into the folder of the programs.
    package static let programs: String = {
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return folder(above: tests ?? "", levels: 1)
    }()

    /// The path of a built program.
    package static func program(_ name: String) -> String { "\(programs)/\(name)" }

    /// The whole path of something whose path below the top folder is given.
    package static func path(_ name: String) -> String { "\(root)/\(name)" }

    /// The text of a file of the project; nil where it is not there or is no UTF-8.
    package static func text(of name: String) -> String? {
        guard let bytes = FileManager.default.contents(atPath: path(name)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The files that belong to the project, as paths below the top folder.
    ///
    /// - Throws: `CommandFailure` where git can't say.
    package static func files() async throws -> [String] {
        // Whoever owns the folder: tests run as root over a user's clone too.
        let list = try await Command.output(
            "git", "-c", "safe.directory=*", "-C", root, "ls-files", "--cached", "--others",
            "--exclude-standard", "-z")
        let files = list.split(separator: "\0").map(String.init)
        // A file that is deleted and not yet committed is still in git's index.
        return files.filter { FileManager.default.fileExists(atPath: path($0)) }
    }

    private static func folder(above path: String, levels: Int) -> String {
        path.split(separator: "/").dropLast(levels).map { "/\($0)" }.joined()
    }
}
