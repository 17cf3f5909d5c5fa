internal import Glibc
internal import Platform

/// A temporary folder with a path short enough for sockets, removed with the object.
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
    }

    deinit {
        remove(path)
    }

    /// Writes a file in the folder and returns its path.
    @discardableResult
    package func write(_ name: String, _ text: String, mode: UInt32 = 0o600) -> String {
        let file = "\(path)/\(name)"
        do {
            let descriptor = try Descriptor.open(file, O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
            _ = Array(text.utf8).withUnsafeBytes { descriptor.write($0) }
        } catch {
            fatalError("\(error)")
        }
        return file
    }

    private func remove(_ path: String) {
        guard let folder = opendir(path) else {
            unlink(path)
            return
        }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { removeEntry("\(path)/\(name)") }
        }
        closedir(folder)
        rmdir(path)
    }

    private func removeEntry(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR { remove(path) } else { unlink(path) }
    }
}

/// The programs that were built with the tests.
package enum BuiltProgram {
    /// The path of a program beside the test runner.
    package static func path(_ name: String) -> String {
        "\(FilePath.folder(of: FilePath.ownProgram))/\(name)"
    }
}
