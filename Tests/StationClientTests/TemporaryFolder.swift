import Glibc

/// A folder that goes away with the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        // Short: a socket's path has at most 107 bytes.
        var template = Array("/tmp/plingsctl-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no folder under /tmp")
        // Another test that is just making its socket has the umask of the process changed.
        chmod(template, 0o700)
        path = String(
            decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// A path in the folder.
    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    deinit {
        for name in ["socket", "file"] { unlink(self(name)) }
        rmdir(path)
    }
}
