import Configuration
import FoundationEssentials
import Glibc
import Testing

@Suite("files")
struct ConfigurationFileTests {
    @Test("a file is read, and its relative paths start from its folder")
    func read() throws {
        try withFile(bytes: Array("[api]\ntoken_file = \"token\"".utf8)) { path, folder in
            let read = try StationConfiguration.load(path: path)
            #expect(read.api.tokenFile == folder + "/token")
        }
    }

    @Test("problems of a file carry its path as it was given")
    func problemsCarryThePath() throws {
        try withFile(bytes: Array("[api]\ntimeout = 3".utf8)) { path, _ in
            #expect(
                told(path) == [
                    "\(path):2:11: \"timeout\" must be a duration such as \"10s\", not an integer"
                ])
        }
    }

    @Test("a missing file is told apart from one that cannot be read")
    func missing() throws {
        try withFile(bytes: []) { path, folder in
            let absent = path + ".absent"
            #expect(
                told(absent) == ["\(absent): cannot be opened: No such file or directory (errno 2)"]
            )
            let none = try StationConfiguration.loadIfPresent(path: absent)
            #expect(none == nil)
            let empty = try StationConfiguration.loadIfPresent(path: path)
            #expect(empty == .defaults)
            let below = path + "/config.toml"
            #expect(told(below) == ["\(below): cannot be opened: Not a directory (errno 20)"])
            #expect(throws: ConfigurationError.self) {
                try StationConfiguration.loadIfPresent(path: below)
            }
            let link = folder + "/link"
            #expect(symlink("gone", link) == 0)
            #expect(throws: ConfigurationError.self) {
                try StationConfiguration.loadIfPresent(path: link)
            }
        }
    }

    @Test("a folder and a pipe are refused at once, /dev/null is an empty file")
    func otherKinds() throws {
        try withFile(bytes: []) { _, folder in
            #expect(told(folder) == ["\(folder): is a directory, not a file"])
            let pipe = folder + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            #expect(told(pipe) == ["\(pipe): is not a regular file"])
            let empty = try StationConfiguration.load(path: "/dev/null")
            #expect(empty == .defaults)
        }
    }

    /// Bytes that are not UTF-8, and where that shows.
    private static let brokenTexts: [(bytes: [UInt8], place: String)] = [
        (Array("[log]\nlevel = \"".utf8) + [0xFF, 0x22], "2:10"),
        (Array("# é\n#é".utf8) + [0xC3], "2:3"),
        ([0x80], "1:1"),
        (Array("# \u{FFFD}".utf8) + [0xED, 0xA0, 0x80], "1:4"),
    ]

    @Test("a file that is not UTF-8 is told with the place", arguments: brokenTexts)
    func notUTF8(bytes: [UInt8], place: String) throws {
        try withFile(bytes: bytes) { path, _ in
            #expect(told(path) == ["\(path):\(place): is not valid UTF-8 here"])
        }
    }

    @Test("a file of 2 MiB, or without end, is refused")
    func tooLong() throws {
        let text = "is longer than 1048576 bytes, the most that is read"
        try withFile(bytes: [UInt8](repeating: 0x23, count: 2_097_152)) { path, _ in
            #expect(told(path) == ["\(path): \(text)"])
        }
        #expect(told("/dev/zero") == ["/dev/zero: \(text)"])
    }

    @Test("a path that could steer a terminal is escaped")
    func oddPath() {
        #expect(
            told("/\u{1B}[2J") == [
                "/\\u{1B}[2J: cannot be opened: No such file or directory (errno 2)"
            ])
    }

    /// What the operator is told when a file is loaded.
    private func told(_ path: String) -> [String] {
        do {
            _ = try StationConfiguration.load(path: path)
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    private func withFile(bytes: [UInt8], _ body: (_ path: String, _ folder: String) throws -> Void)
        throws
    {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("configuration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("config.toml")
        try Data(bytes).write(to: file)
        try body(file.path, folder.path)
    }
}
