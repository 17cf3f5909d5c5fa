import FoundationEssentials
import Glibc

/// A folder of its own for one test, removed with what is in it when the test lets go of it.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/plings-platform-XXXXXX".utf8CString)
        path = try template.withUnsafeMutableBufferPointer { buffer in
            guard let made = buffer.baseAddress.flatMap({ mkdtemp($0) }) else {
                throw CocoaError(.fileWriteUnknown)
            }
            return String(cString: made)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file with this text, in place of the one that is there.
    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    /// The text of a file.
    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
    }
}

/// The type and the permission bits of a file, or nil where there is none.
func mode(of path: String) -> UInt32? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : nil
}
