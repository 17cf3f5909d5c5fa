internal import FoundationEssentials
internal import Glibc
internal import Platform

/// A folder for one test, its path short enough for sockets, removed with the object.
package final class TestFolder: Sendable {
    package let path: String

    package init() {
        let base = ProcessEnvironment.current["TMPDIR"] ?? "/tmp"
        var template = Array("\(base)/plings-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, let made = mkdtemp(start) else {
                fatalError("\(SystemError("mkdtemp", base))")
            }
            return String(cString: made)
        }
        // Another test that is just making its socket has the umask of the process changed.
        chmod(path, 0o700)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in the folder.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file in place of the one that may be there, with just this mode.
    ///
    /// - Returns: Its path.
    @discardableResult
    package func write(_ name: String, _ text: String, mode: UInt32 = 0o600) -> String {
        let file = path(name)
        do {
            let descriptor = try Descriptor.open(file, O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
            _ = Array(text.utf8).withUnsafeBytes { descriptor.write($0) }
        } catch {
            fatalError("\(error)")
        }
        chmod(file, mode)
        return file
    }

    /// The text of a file; nil where it is not there or is no UTF-8.
    package func text(of name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }
}
