internal import Glibc

/// Paths as text.
package enum FilePath {
    /// What stands behind the last slash.
    package static func lastComponent(_ path: String) -> String {
        String(path.split(separator: "/").last ?? "")
    }

    /// What stands before the last slash; `.` where there is none.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether a file can be run by this process.
    package static func isExecutable(_ path: String) -> Bool {
        access(path, X_OK) == 0
    }

    /// Whether something is there.
    package static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Makes a folder and those above it that are missing.
    ///
    /// - Throws: `SystemError` naming the folder.
    package static func makeFolder(_ path: String, mode: UInt32) throws(SystemError) {
        guard mkdir(path, mode) != 0, errno != EEXIST else { return }
        let failure = SystemError("mkdir", path)
        guard failure.code == ENOENT, path != "/", path != "." else { throw failure }
        try makeFolder(folder(of: path), mode: mode)
        guard mkdir(path, mode) == 0 || errno == EEXIST else { throw SystemError("mkdir", path) }
    }

    /// The path of the program that runs.
    package static var ownProgram: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return CommandLine.arguments.first ?? "" }
        return String(
            decoding: buffer.prefix(count).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }
}

/// Shell patterns.
package enum Glob {
    /// Whether the whole text fits the pattern; case counts.
    ///
    /// Source: fnmatch(3).
    package static func matches(_ pattern: String, _ text: String) -> Bool {
        fnmatch(pattern, text, 0) == 0
    }
}

/// This machine.
package enum Machine {
    /// Its host name.
    package static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self
        )
    }
}
