import FoundationEssentials
import Glibc
import Platform

/// A folder for one test, short enough for a socket's path, removed with the object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/plings-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw SystemError("mkdtemp", "/tmp") }
        path = made
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ name: String, _ text: String, mode: UInt32 = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        let descriptor = try Descriptor.open(file, O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
        _ = Array(text.utf8).withUnsafeBytes { descriptor.write($0) }
        return file
    }
}
