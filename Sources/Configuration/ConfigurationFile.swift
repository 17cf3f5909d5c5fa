import Glibc

/// Reading of a configuration file as a whole.
enum ConfigurationFile {
    /// Reads a file's text.
    ///
    /// Regular files are read, and `/dev/null` and its like; a pipe is refused, since waiting for
    /// its other end could last for ever.
    ///
    /// - Parameter path: The file.
    /// - Returns: The text; nil when there is no such file.
    /// - Throws: Why it cannot be read.
    static func read(_ path: String) throws(ConfigurationError) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let code = errno
            // A link whose target is gone, perhaps not yet mounted, is no absent file.
            var status = stat()
            if code == ENOENT && lstat(path, &status) != 0 { return nil }
            throw failure(path, "cannot be opened", code)
        }
        defer { close(descriptor) }
        try checkKind(of: descriptor, path)
        let bytes = try contents(of: descriptor, path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw notUTF8(bytes, path)
        }
        return text
    }

    /// The error for a file that does not exist.
    ///
    /// - Parameter path: The file.
    /// - Returns: The error.
    static func missing(_ path: String) -> ConfigurationError {
        failure(path, "cannot be opened", ENOENT)
    }

    /// The absolute path of the folder that a file lies in.
    ///
    /// - Parameter path: The file.
    /// - Returns: The folder, not resolved further.
    /// - Throws: When the working directory is needed and has no path any more.
    static func directory(of path: String) throws(ConfigurationError) -> String {
        let directory = PathText.directory(of: path)
        guard !directory.hasPrefix("/") else { return directory }
        guard let working = getcwd(nil, 0) else {
            throw failure(path, "the working directory has no path", errno)
        }
        defer { free(working) }
        let start = String(cString: working)
        return directory.isEmpty ? start : PathText.absolute(directory, from: start)
    }

    private static func checkKind(of descriptor: CInt, _ path: String) throws(ConfigurationError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw failure(path, "cannot be examined", errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFCHR: return
        case S_IFDIR: throw ConfigurationError(file: path, text: "is a directory, not a file")
        default: throw ConfigurationError(file: path, text: "is not a regular file")
        }
    }

    private static func contents(
        of descriptor: CInt, _ path: String
    ) throws(ConfigurationError) -> [UInt8] {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &block, block.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, "cannot be read", errno) }
            guard count > 0 else { return bytes }
            bytes += block[..<count]
            guard bytes.count <= TOMLNode.maxTextLength else {
                throw ConfigurationError(
                    file: path,
                    text: "is longer than \(TOMLNode.maxTextLength) bytes, the most that is read")
            }
        }
    }

    private static func notUTF8(_ bytes: [UInt8], _ path: String) -> ConfigurationError {
        // A broken sequence becomes U+FFFD, which valid text may hold too: only the first place at
        // which the repaired bytes differ is certain.
        let repaired = String(decoding: bytes, as: UTF8.self)
        let valid = zip(bytes, repaired.utf8).prefix { $0 == $1 }.map(\.0)
        let before = String(decoding: valid, as: UTF8.self).unicodeScalars
        let line = before.count { $0 == "\n" } + 1
        let column = before.reversed().prefix { $0 != "\n" }.count + 1
        let problem = ConfigurationError.Problem(
            file: path, line: line, column: column, text: "is not valid UTF-8 here")
        return ConfigurationError(problems: [problem])
    }

    private static func failure(_ path: String, _ what: String, _ code: CInt) -> ConfigurationError
    {
        ConfigurationError(
            file: path, text: "\(what): \(String(cString: strerror(code))) (errno \(code))")
    }
}
