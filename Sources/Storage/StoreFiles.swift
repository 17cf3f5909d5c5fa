internal import Glibc
internal import Platform
internal import Scanning

/// The store's directory and the files in it.
struct StoreFiles: Sendable {
    let directory: String

    var database: String { "\(directory)/station.sqlite" }
    var writeAheadLog: String { "\(database)-wal" }
    var lock: String { "\(directory)/lock" }

    /// Is there while the database has shown damage at work and was not yet looked through.
    private var suspicion: String { "\(directory)/damage-suspected" }

    /// What SQLite keeps beside a database, by the endings of their names.
    private static let companions = ["-wal", "-shm", "-journal"]

    // MARK: Making

    /// Makes the directory where it is missing, for its owner alone.
    func makeDirectory() throws(StorageError) {
        guard mkdir(directory, 0o700) != 0 else { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            guard let slash = directory.lastIndex(of: "/"), slash > directory.startIndex else {
                break
            }
            try StoreFiles(directory: String(directory[..<slash])).makeDirectory()
            if mkdir(directory, 0o700) == 0 { return }
        default: break
        }
        throw StorageError(SystemError("mkdir", directory))
    }

    /// Makes an empty database file where there is none, for its owner alone.
    ///
    /// SQLite itself would make one that others can read; its companions get the same mode.
    func makeDatabase() throws(StorageError) {
        do throws(SystemError) {
            _ = try Descriptor.open(database, O_RDWR | O_CREAT, mode: 0o600)
        } catch {
            throw StorageError(error)
        }
    }

    /// Makes the names in the directory durable.
    func synchroniseDirectory() throws(StorageError) {
        do throws(SystemError) {
            let opened = try Descriptor.open(directory, O_RDONLY | O_DIRECTORY)
            guard fsync(opened.number) == 0 else { throw SystemError("fsync", directory) }
        } catch {
            throw StorageError(error)
        }
    }

    /// The size of a file in bytes, or nil where there is none.
    static func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    // MARK: Damage

    /// Whether a log lies beside a database that is missing or empty.
    ///
    /// SQLite deletes such a log without a word. A file of one byte is empty to it as well.
    var hasOrphanedLog: Bool {
        Self.size(of: database) ?? 0 <= 1 && Self.size(of: writeAheadLog) ?? 0 > 0
    }

    /// Whether the database has shown damage since it was last looked through.
    var isUnderSuspicion: Bool { Self.size(of: suspicion) != nil }

    /// Keeps for the next start that the database has shown damage.
    func suspect() {
        // On a disk where even this fails, the damage will show again.
        _ = try? Descriptor.open(suspicion, O_WRONLY | O_CREAT, mode: 0o600)
    }

    /// Forgets a suspicion that has been looked into.
    func clearSuspicion() {
        unlink(suspicion)
    }

    /// Renames the database and its companions, so that neither is overwritten or deleted.
    ///
    /// - Returns: The database's new path.
    func setAside(at time: Timestamp) throws(StorageError) -> String {
        let target = freeName(at: time)
        // The database goes first: should the machine stop in between, what is left is a log
        // without a database, which the next start sets aside as well.
        try move("", to: target)
        for ending in Self.companions { try move(ending, to: target) }
        try synchroniseDirectory()
        clearSuspicion()
        return target
    }

    private func move(_ ending: String, to target: String) throws(StorageError) {
        guard rename(database + ending, target + ending) != 0, errno != ENOENT else { return }
        throw StorageError(SystemError("rename", database + ending))
    }

    private func freeName(at time: Timestamp) -> String {
        let digits = time.text.filter { $0.isNumber || $0.isLetter }
        let name = "\(database).damaged-\(digits)"
        var candidate = name
        var number = 1
        while ([""] + Self.companions).contains(where: { Self.size(of: candidate + $0) != nil }) {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }
}
