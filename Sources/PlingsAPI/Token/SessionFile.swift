internal import Glibc
package import Platform

/// The file that keeps the session across restarts, for its owner alone.
///
/// It is replaced whole: a kill or a power cut leaves the session before or the one after, never
/// half of one. The work is done on a thread of its own, which the calls wait for as long as the
/// disk takes.
package actor SessionFile {
    private nonisolated let executor = ThreadExecutor(name: "session")
    private let path: String

    /// The largest file that is read, in bytes: twice the longest tokens.
    private static let sizeLimit = 64 << 10

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Names the file; nothing is read or made yet.
    package init(path: String) {
        self.path = path
    }

    deinit {
        executor.stop()
    }

    /// What was found.
    package enum Contents: Sendable, Equatable {
        case none
        case session(Session)
        /// Why it can't be used, in a sentence.
        case unusable(String)
    }

    /// Reads the session.
    package func read() -> Contents {
        Self.contents(of: path)
    }

    /// Reads a session's file; blocks for as long as its file system does.
    package static func contents(of path: String) -> Contents {
        let file: SmallFile
        do throws(SystemError) {
            file = try SmallFile.read(path, limit: sizeLimit)
        } catch {
            return error.code == ENOENT ? .none : .unusable(error.description)
        }
        guard let session = Session(json: file.bytes) else {
            return .unusable("\(path) does not hold a session")
        }
        return .session(session)
    }

    /// Replaces the session; when it returns, what it was given survives a power cut.
    ///
    /// - Throws: `SystemError`; the file is then as it was, or already the new one.
    package func write(_ session: Session) throws(SystemError) {
        let temporary = path + ".new"
        // One that was left behind may have been opened to others.
        unlink(temporary)
        do throws(SystemError) {
            try Self.fill(temporary, with: session.json)
            guard rename(temporary, path) == 0 else { throw SystemError("rename", path) }
        } catch {
            unlink(temporary)
            throw error
        }
        try Self.synchronise(folderOf: path)
    }

    /// Removes the session for good.
    ///
    /// - Throws: `SystemError`; the session may then be there again after a restart.
    package func remove() throws(SystemError) {
        unlink(path + ".new")
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("unlink", path) }
        try Self.synchronise(folderOf: path)
    }

    private static func fill(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let count = rest.withUnsafeBytes({ file.write($0) }), count > 0 else {
                throw SystemError("write", path)
            }
            rest = rest.dropFirst(count)
        }
        guard fsync(file.number) == 0 else { throw SystemError("fsync", path) }
    }

    private static func synchronise(folderOf path: String) throws(SystemError) {
        let name = FilePath.folder(of: path)
        let folder = try Descriptor.open(name, O_RDONLY | O_DIRECTORY)
        guard fsync(folder.number) == 0 else { throw SystemError("fsync", name) }
    }
}
