internal import FoundationEssentials
internal import Glibc
internal import Platform

/// A new folder for one test's files.
struct ScratchFolder {
    let path: String

    /// Makes the folder below TMPDIR.
    ///
    /// - Throws: `SystemError` naming the place.
    init() throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/plings-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp", parent) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Writes a file into the folder.
    ///
    /// - Returns: The file's path.
    func write(_ name: String, _ text: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }

    /// Removes the folder and all that is in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
