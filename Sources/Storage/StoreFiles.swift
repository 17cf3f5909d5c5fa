internal import Glibc
internal import Platform
internal import Scanning

/// The store's directory and the files in it.
struct StoreFiles: Sendable {
    let directory: String

    var database: String { "\(directory)/station.sqlite" }
    var writeAheadLog: String { "\(database)-wal" }
    var sharedMemory: String { "\(database)-shm" }
    var lock: String { "\(directory)/lock" }

    /// A damaged database whose rows are still to be carried over to the one in its place.
    var salvage: String { "\(database).salvage" }

    /// Room that is kept for deleting.
    var reserve: Reserve { Reserve(path: "\(directory)/reserve") }

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
            // One that is there can be read where nothing can be written.
            if error.code == EROFS, Self.size(of: database) ?? 0 > 1 { return }
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

    // MARK: Room

    /// What others than root can still write to the file system, in bytes; nil where unknown.
    var freeBytes: Int64? {
        fileSystem.map { Int64(clamping: $0.f_bavail) * Int64(clamping: $0.f_frsize) }
    }

    /// Whether the file system can't be written at all.
    var isOnReadOnlyFileSystem: Bool {
        fileSystem.map { UInt64($0.f_flag) & UInt64(ST_RDONLY) != 0 } ?? false
    }

    private var fileSystem: statvfs? {
        var status = statvfs()
        return statvfs(directory, &status) == 0 ? status : nil
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

    /// Whether an earlier run ended while it set a damaged database aside.
    var isBeingSetAside: Bool {
        Self.size(of: salvage) != nil || Self.size(of: salvage + "-wal") != nil
    }

    /// Puts a damaged database out of the way, to be read from `salvage`.
    ///
    /// Goes on where an earlier run was ended, by whatever: what lies in the database's place then
    /// is either its own log, or the whole new database.
    func beginSettingAside() throws(StorageError) {
        if !isBeingSetAside {
            try move(database, to: salvage, "")
            for ending in Self.companions { try move(database, to: salvage, ending) }
        } else if hasOrphanedLog {
            for ending in Self.companions { try move(database, to: salvage, ending) }
        }
        try synchroniseDirectory()
    }

    /// Gives what was set aside its last name, once all that must not be lost is out of it.
    ///
    /// - Returns: The database's new path.
    func finishSettingAside(at time: Timestamp) throws(StorageError) -> String {
        // The index of its log was made anew to read it, and is made anew whenever it is read.
        unlink(salvage + "-shm")
        return try rename(salvage, at: time)
    }

    /// Renames the database and its companions, so that neither is overwritten or deleted.
    ///
    /// - Returns: The database's new path.
    func setAside(at time: Timestamp) throws(StorageError) -> String {
        try rename(database, at: time)
    }

    /// Renames the log and its index, of a database that is no longer there.
    func setLogAside(at time: Timestamp) throws(StorageError) {
        let target = freeName(at: time)
        for ending in Self.companions { try move(database, to: target, ending) }
    }

    private func rename(_ source: String, at time: Timestamp) throws(StorageError) -> String {
        let target = freeName(at: time)
        // The database goes first: should the machine stop in between, what is left is a log
        // without a database, which the next start sets aside as well.
        try move(source, to: target, "")
        for ending in Self.companions { try move(source, to: target, ending) }
        try synchroniseDirectory()
        clearSuspicion()
        return target
    }

    private func move(
        _ source: String, to target: String, _ ending: String
    ) throws(StorageError) {
        guard Glibc.rename(source + ending, target + ending) != 0, errno != ENOENT else { return }
        throw StorageError(SystemError("rename", source + ending))
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
