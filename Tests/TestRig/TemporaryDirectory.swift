internal import Glibc
internal import Platform

/// A directory of the test's own that goes away with it.
package final class TemporaryDirectory {
    package let path: String

    package init() throws {
        var template = Array("/tmp/plings-api-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        let open = opendir(path)
        while let open, let entry = readdir(open) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            unlink("\(path)/\(name)")
        }
        if let open { closedir(open) }
        rmdir(path)
    }

    /// Writes a file.
    ///
    /// - Returns: Its path.
    package func write(_ text: String, to name: String, mode: UInt32 = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        let descriptor = try Descriptor.open(file, O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
        _ = Array(text.utf8).withUnsafeBytes { descriptor.write($0) }
        guard chmod(file, mode) == 0 else { throw SystemError("chmod", file) }
        return file
    }
}
