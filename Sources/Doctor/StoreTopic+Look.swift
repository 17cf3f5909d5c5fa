internal import Configuration
internal import Glibc
internal import Platform

extension StoreFacts {
    /// Looks at the store; blocks for as long as its disk does, and 5 s more at most.
    init(lookingAround surroundings: Surroundings, _ configuration: ConfigurationFacts) {
        service = nil
        guard let folder = Self.folder(surroundings, configuration) else {
            folder = Surroundings.serviceStore
            content = .unknown
            return
        }
        self.folder = folder
        if folder == Surroundings.serviceStore {
            service = SystemUser(named: Surroundings.serviceUser)
        }
        do throws(SystemError) {
            let look = try FileLook(folder)
            // Root may look everywhere, and nobody else into the store of the service.
            guard access(folder, R_OK | X_OK) == 0 else {
                content = .closed
                return
            }
            let owner = SystemUser(uid: look.uid)
            content = .folder(look, Self.inside(folder, owner, surroundings))
        } catch {
            content =
                error.meansAbsent
                ? .absent : error.meansClosed ? .closed : .unreadable(reason: "\(error)")
        }
    }

    /// Where the store is: as configured, else the service's where there is one or root looks, else
    /// this user's own.
    static func folder(
        _ surroundings: Surroundings, _ configuration: ConfigurationFacts
    ) -> String? {
        if let folder = configuration.configuration.store.directory { return folder }
        guard configuration.isKnown else { return nil }
        let isService = surroundings.isRoot || FilePath.exists(Surroundings.serviceStore)
        if isService, surroundings.environment["STATE_DIRECTORY"] == nil {
            return Surroundings.serviceStore
        }
        return StationPaths.stateDirectory(
            environment: surroundings.environment, uid: surroundings.user)
    }

    private static let suspicion = "damage-suspected"
    private static let asideMark = "\(name).damaged-"

    private static func inside(
        _ folder: String, _ owner: SystemUser?, _ surroundings: Surroundings
    ) -> Inside {
        var inside = Inside()
        inside.disk = disk(folder)
        for name in FolderLook.names(folder) ?? [] {
            guard let look = try? FileLook("\(folder)/\(name)") else { continue }
            if name.hasPrefix(asideMark) {
                inside.setAsideBytes += look.size
                // The log that belongs to one is no database of its own.
                if !name.hasSuffix("-wal") && !name.hasSuffix("-shm") {
                    inside.setAside.append(name)
                }
            } else if name == suspicion {
                inside.isSuspected = true
            } else if name.hasPrefix(Self.name) || name == "lock" {
                inside.files["\(folder)/\(name)"] = look
            }
        }
        inside.database = database(folder, owner, surroundings)
        return inside
    }

    private static func disk(_ folder: String) -> Disk? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return Disk(
            free: Int64(clamping: free.overflow ? UInt64.max : free.partialValue),
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
    }

    /// Has plingsd look through the database, as the owner of the store: SQLite may make files
    /// beside it, which must be the station's own.
    private static func database(
        _ folder: String, _ owner: SystemUser?, _ surroundings: Surroundings
    ) -> Database? {
        guard let size = try? FileLook("\(folder)/\(name)").size, size > 0 else { return nil }
        let question = ["--check-store", folder]
        guard let program = surroundings.program("plingsd"),
            let command = surroundings.command([program] + question, as: owner)
        else { return .sound(lookedThrough: false) }
        let outcome = BoundedCommand.run(
            command, environment: surroundings.environment, within: LookLimit.database)
        guard case .ended(_, let output) = outcome else { return .sound(lookedThrough: false) }
        return verdict(output)
    }

    /// Reads what plingsd says: the folder, and behind it a verdict.
    static func verdict(_ output: String) -> Database {
        let line = output.split(separator: "\n").last ?? ""
        let text = line.firstRange(of: ": ").map { line[$0.upperBound...] } ?? ""
        if text == "sound" { return .sound(lookedThrough: true) }
        if text.hasPrefix("in use") { return .inUse }
        let mark = "damaged: "
        guard text.hasPrefix(mark) else { return .sound(lookedThrough: false) }
        return .damaged(reason: String(text.dropFirst(mark.count)))
    }
}
