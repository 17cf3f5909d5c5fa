internal import CSQLite
internal import Glibc
internal import Platform

/// Why the store could not do what it was asked.
package enum StorageError: Error, Equatable, Sendable {
    /// The disk or the user's share of it is full.
    case full(Failure)
    /// The file or its file system can't be written.
    case readOnly(Failure)
    /// Another program holds the database.
    case busy(Failure)
    /// What the file holds is no sound database.
    case damaged(Failure)
    /// The files were deleted or replaced while the store had them open.
    case displaced(Failure)
    /// Another station has the directory.
    case inUse(directory: String, pid: Int32?)
    /// The store was closed.
    case closed
    /// Anything else, with SQLite's extended result code or the kernel's.
    case other(Failure)

    /// The step that failed and how.
    package struct Failure: Equatable, Sendable {
        /// The statement's name, or the call and its path; never what was bound.
        package let step: String
        /// SQLite's extended result code, or errno where no SQLite was involved.
        package let code: Int32
        /// The library's sentence for the code.
        package let reason: String

        init(_ step: String, code: Int32, reason: String) {
            self.step = step
            self.code = code
            self.reason = reason
        }
    }

    /// Whether the same work may succeed once there is room or the file system can be written.
    package var isForWantOfSpace: Bool {
        switch self {
        case .full, .readOnly: true
        case .busy, .damaged, .displaced, .inUse, .closed, .other: false
        }
    }

    /// Whether the cause lies in what was to be stored: other changes may succeed.
    package var concernsOneChange: Bool {
        guard case .other(let failure) = self else { return false }
        return Self.codesOfOneChange.contains(failure.code & 0xFF)
    }

    private static let codesOfOneChange: Set<Int32> = [
        SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_RANGE,
    ]

    /// The error as work on an open database means it.
    ///
    /// Statements that were sound when they were prepared fail only where a table has changed, and
    /// numbers that the store gives out are taken only where somebody else has written into it:
    /// both mean that the file is to be looked through and opened anew.
    var atWork: StorageError {
        guard case .other(let failure) = self else { return self }
        switch failure.code {
        case SQLITE_ERROR, Self.primaryKeyTaken, Self.rowNumberTaken: return .damaged(failure)
        default: return self
        }
    }

    // SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_ROWID, which are macros that compute.
    private static let primaryKeyTaken = SQLITE_CONSTRAINT | 6 << 8
    private static let rowNumberTaken = SQLITE_CONSTRAINT | 10 << 8

    /// One word for `status` and the log: what is wrong with the store.
    package var word: String {
        switch self {
        case .full: "full"
        case .readOnly: "readOnly"
        case .busy: "busy"
        case .damaged, .displaced: "damaged"
        case .inUse, .closed, .other: "failing"
        }
    }
}

extension StorageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full(let failure), .readOnly(let failure), .busy(let failure),
            .damaged(let failure), .displaced(let failure), .other(let failure):
            "\(failure.step): \(failure.reason) (\(failure.code))"
        case .inUse(let directory, let pid?):
            "the store in \(directory) is in use by process \(pid)"
        case .inUse(let directory, nil):
            "the store in \(directory) is in use by another process"
        case .closed:
            "the store is closed"
        }
    }
}

extension StorageError {
    /// The failure of a call of SQLite, told apart by its code and, for files, the kernel's.
    ///
    /// Source: https://www.sqlite.org/rescode.html
    init(step: StaticString, code: Int32, systemCode: Int32) {
        let reason = String(cString: sqlite3_errstr(code))
        let failure = Failure("\(step)", code: code, reason: reason)
        switch code & 0xFF {
        case SQLITE_FULL: self = .full(failure)
        case SQLITE_READONLY: self = .readOnly(failure)
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(failure)
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(failure)
        case SQLITE_IOERR, SQLITE_CANTOPEN: self = Self.sorted(failure, systemCode)
        default: self = .other(failure)
        }
    }

    /// The failure of a call into the kernel.
    init(_ error: SystemError) {
        let step = "\(error.call) \(error.subject)"
        let reason = SystemError.text(of: error.code)
        self = Self.sorted(Failure(step, code: error.code, reason: reason), error.code)
    }

    private static func sorted(_ failure: Failure, _ systemCode: Int32) -> StorageError {
        switch systemCode {
        case ENOSPC, EDQUOT, EFBIG: .full(failure)
        case EROFS: .readOnly(failure)
        default: .other(failure)
        }
    }
}
