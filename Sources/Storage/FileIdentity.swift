internal import Glibc

/// Which file a name stands for; another file under the same name has another one.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// The identity of the file that a path names; nil where there is none.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}

/// The files that an open database consists of, as they were when it was opened.
struct DatabaseFiles: Sendable {
    private let database: FileIdentity?
    private let log: FileIdentity?
    private let index: FileIdentity?

    init(_ files: StoreFiles) {
        database = FileIdentity(of: files.database)
        log = FileIdentity(of: files.writeAheadLog)
        index = FileIdentity(of: files.sharedMemory)
    }

    /// What of it is no longer where it was; nil where all of it is.
    ///
    /// Takes three looks into the directory.
    func displaced(in files: StoreFiles) -> String? {
        if !hasDatabase(in: files) { return "the database was deleted or replaced" }
        if FileIdentity(of: files.writeAheadLog) != log {
            return "the database's log was deleted or replaced"
        }
        guard FileIdentity(of: files.sharedMemory) != index else { return nil }
        return "the index of the database's log was deleted or replaced"
    }

    /// Whether the database itself is where it was.
    func hasDatabase(in files: StoreFiles) -> Bool {
        FileIdentity(of: files.database) == database
    }

    /// Whether the log that lies there is the one of this database.
    func hasLog(in files: StoreFiles) -> Bool {
        log != nil && FileIdentity(of: files.writeAheadLog) == log
    }
}
