internal import Platform
package import Scanning
internal import Synchronization

extension Store {
    private enum Repair {
        case none
        /// The files are opened anew: looked through, and set aside where they are damaged.
        case reopen
        /// Another database takes the place of one whose files are gone.
        case replace(Database, reason: String)
    }

    /// Does what may help after work has failed, and says whether the database is another one now.
    ///
    /// A damaged database is looked through and set aside, one whose files are gone is replaced,
    /// and what must not be lost is carried over; one that could not be opened, or only for
    /// reading, is opened. Blocks the store's thread for all of that.
    ///
    /// - Parameter now: Dates a new log and the name of a file set aside.
    /// - Returns: What was found where the files were opened anew; nil where the store goes on.
    /// - Throws: `StorageError` where there is still no database to work with.
    package func recover(now: Timestamp) async throws(StorageError) -> Opened? {
        switch try repair() {
        case .none: return nil
        case .reopen: return try await reopen(now)
        case .replace(let lost, let reason):
            return try await replace(lost, reason: reason, now)
        }
    }

    private func repair() throws(StorageError) -> Repair {
        switch state {
        case .closed: throw .closed
        case .shut: return .reopen
        case .open(let database):
            if damage != nil { return .reopen }
            if let reason = database.displacement {
                if !database.originals.hasDatabase(in: files) {
                    return .replace(database, reason: reason)
                }
                try database.copyAllBack()
                return .reopen
            }
            if database.isReadOnly && !files.isOnReadOnlyFileSystem { return .reopen }
            makeRoomInLog(database)
            return .none
        }
    }

    /// A log that begins anew has room for what did not fit.
    private func makeRoomInLog(_ database: Database) {
        guard database.connection.writeAheadFrames >= WriteAheadLog.busyFrames else { return }
        database.connection.waitForLocks(false)
        try? database.copyBack()
        database.connection.waitForLocks(true)
    }

    private func reopen(_ now: Timestamp) async throws(StorageError) -> Opened {
        let lock = shut()
        await readSide.close()
        do throws(StorageError) {
            return try await take(try opening.open(now: now, lock: lock))
        } catch {
            state = .shut(error)
            throw error
        }
    }

    /// Lets go of the database, so that its connection closes; its lock of the directory stays.
    private func shut() -> DirectoryLock? {
        guard case .open(let database) = state else { return nil }
        let cause = damage ?? .displaced(.init("open", code: 0, reason: "not opened again yet"))
        state = .shut(cause)
        return database.lock
    }

    private func replace(
        _ lost: Database, reason: String, _ now: Timestamp
    ) async throws(StorageError) -> Opened {
        let replacement = try opening.open(inPlaceOf: lost, now: now, reason: reason)
        await readSide.close()
        return try await take(replacement)
    }

    private func take(
        _ opened: (database: Database, opened: Opened)
    ) async throws(StorageError) -> Opened {
        let reader = try opening.reader()
        state = .open(opened.database)
        identity.withLock {
            $0 = Identity(log: opened.database.log, opened: opened.opened)
        }
        nextCopy = WriteAheadLog.busyFrames
        await readSide.open(reader)
        return opened.opened
    }
}
