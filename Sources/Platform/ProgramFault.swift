internal import Glibc

/// Why a program can't be run, in words for whoever wrote its path.
package enum ProgramFault: Sendable, Equatable, CustomStringConvertible {
    case missing(String)
    /// Named without a slash, and in none of PATH's folders.
    case notInPath(String)
    /// The path can't be followed, with the errno value.
    case unreachable(String, code: Int32)
    case folder(String)
    case notExecutable(String)
    /// A script whose first line names a program that can't be run.
    case interpreter(String, of: String)
    /// Neither a program of this machine's nor a script.
    case noProgram(String)

    package var description: String {
        switch self {
        case .missing(let path): "\(path) is not there"
        case .notInPath(let name): "there is no program \(name) in the folders of PATH"
        case .unreachable(let path, let code):
            "\(path) can't be reached: \(SystemError.text(of: code))"
        case .folder(let path): "\(path) is a folder"
        case .notExecutable(let path): "\(path) is not executable"
        case .interpreter(let interpreter, let path):
            "the interpreter of \(path), \(interpreter), is not there"
        case .noProgram(let path):
            "\(path) is neither a program for this machine nor a script that begins with #!"
        }
    }

    /// Looks for what would keep a program from being started; blocks for as long as its disk does.
    ///
    /// - Parameters:
    ///   - program: A path, or a name to be found in PATH.
    ///   - folders: PATH, folders with colons in between.
    /// - Returns: Nil where nothing was found.
    package static func look(
        at program: String, folders: String = ProcessEnvironment.current["PATH"] ?? ""
    ) -> ProgramFault? {
        guard !program.contains("/") else { return look(at: program) }
        let found = folders.split(separator: ":").map { "\($0)/\(program)" }
            .filter(FilePath.exists)
        guard let best = found.first(where: { look(at: $0) == nil }) ?? found.first else {
            return .notInPath(program)
        }
        return look(at: best)
    }

    private static func look(at path: String) -> ProgramFault? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            return isMissing ? .missing(path) : .unreachable(path, code: errno)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else { return .folder(path) }
        guard FilePath.isExecutable(path) else { return .notExecutable(path) }
        // Without the right to read it nothing more can be said; the kernel itself needs none.
        guard status.st_mode & S_IFMT == S_IFREG, let head = head(of: path) else { return nil }
        guard head.starts(with: "#!".utf8) else {
            return head.starts(with: [0x7F] + Array("ELF".utf8)) ? nil : .noProgram(path)
        }
        let line = head.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
        let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let word = words.first else { return nil }
        let interpreter = String(decoding: word, as: UTF8.self)
        return FilePath.isExecutable(interpreter) ? nil : .interpreter(interpreter, of: path)
    }

    /// The first bytes, as many as the kernel reads of a script.
    ///
    /// Source: execve(2), "Interpreter scripts".
    private static func head(of path: String) -> [UInt8]? {
        guard let file = try? Descriptor.open(path, O_RDONLY) else { return nil }
        var buffer = [UInt8](repeating: 0, count: 255)
        guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ file.read(into: $0) })
        else { return nil }
        return Array(buffer[..<count])
    }
}
