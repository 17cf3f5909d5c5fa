internal import CSQLite
internal import Glibc
internal import Platform

/// Looks through a store that no station has open, and changes nothing that counts in it.
///
/// A store that is in use is left alone: whoever has it open notices damage at work. The directory's
/// lock is not even tried, so that a station that starts at this moment finds it free; the kernel's
/// list of locks says whether it is held. A station that starts a moment later is not held up
/// either: beside a reader it may write.
package enum StoreCheck {
    /// What was found.
    package enum Verdict: Sendable, Equatable {
        case sound
        case absent
        case inUse(pid: Int32?)
        case damaged(reason: String)
        /// It could not be looked through.
        case unreadable(reason: String)
    }

    private static let quickCheck = SQL("look through", "PRAGMA quick_check(1)")

    /// Looks through; blocks in proportion to the file.
    ///
    /// To be run as the owner of the store: SQLite makes the log beside the database where it is
    /// missing.
    ///
    /// - Parameter directory: The store's directory.
    /// - Returns: What was found; the first damage of several.
    package static func look(at directory: String) -> Verdict {
        let files = StoreFiles(directory: directory)
        guard StoreFiles.size(of: files.database) ?? 0 > 0 else {
            return access(directory, R_OK | X_OK) == 0
                ? .absent : .unreadable(reason: SystemError("open", directory).description)
        }
        if let holder = KernelLocks.holder(of: files.lock) { return .inUse(pid: holder) }
        do throws(StorageError) {
            let connection = try Connection(path: files.database)
            let verdict = try connection.prepare(quickCheck).first([]) { $0.text(0) }
            return verdict == "ok" ? .sound : .damaged(reason: verdict ?? "no answer")
        } catch {
            if case .damaged(let failure) = error { return .damaged(reason: failure.reason) }
            return .unreadable(reason: error.description)
        }
    }
}

extension StoreCheck.Verdict: CustomStringConvertible {
    /// As `plingsd --check-store` prints it behind the directory.
    package var description: String {
        switch self {
        case .sound: "sound"
        case .absent: "no database"
        case .inUse(let pid): "in use\(pid.map { " by process \($0)" } ?? "")"
        case .damaged(let reason): "damaged: \(reason)"
        case .unreadable(let reason): "unreadable: \(reason)"
        }
    }
}

/// The kernel's list of who has locked which file.
enum KernelLocks {
    /// The process that holds a flock(2) on a file.
    ///
    /// - Parameter path: The file.
    /// - Returns: Its id; nil where nobody holds one, or there is no such file.
    static func holder(of path: String) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0, let locks = text() else { return nil }
        return holder(inode: UInt64(status.st_ino), in: locks)
    }

    /// Finds a line such as `1: FLOCK  ADVISORY  WRITE 708 fe:01:1573 0 EOF`.
    ///
    /// The device is left out: overlay file systems show another there than stat(2) does.
    /// Source: proc_locks(5).
    static func holder(inode: UInt64, in locks: String) -> Int32? {
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 5, words[1] == "FLOCK", words[3] == "WRITE",
                words[5].split(separator: ":").last == Substring("\(inode)")
            else { continue }
            return Int32(words[4])
        }
        return nil
    }

    private static func text() -> String? {
        guard let file = try? Descriptor.open("/proc/locks", O_RDONLY) else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case .bytes(let count) = buffer.withUnsafeMutableBytes({ file.read(into: $0) }) {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
