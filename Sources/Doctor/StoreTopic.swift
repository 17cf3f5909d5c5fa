internal import Platform

/// What was found out about the store.
struct StoreFacts: Sendable, Equatable {
    let folder: String
    var content: Content
    /// The service's user; nil where the store is not the service's.
    var service: SystemUser?

    enum Content: Sendable, Equatable {
        /// Where it is, is not known.
        case unknown
        case absent
        /// Its folder is closed to us.
        case closed
        case unreadable(reason: String)
        case folder(FileLook, Inside)
    }

    /// What is in the folder, and what its disk has left.
    struct Inside: Sendable, Equatable {
        var disk: Disk?
        /// The station's own files, by path, with their owners.
        var files: [String: FileLook] = [:]
        var database: Database?
        /// The station's own mark that the database has shown damage.
        var isSuspected = false
        /// Databases that were set aside, and their bytes.
        var setAside: [String] = []
        var setAsideBytes: Int64 = 0
    }

    /// A file system.
    struct Disk: Sendable, Equatable {
        /// Bytes that the station may still take.
        let free: Int64
        let isReadOnly: Bool
    }

    /// What became of a look at the database.
    enum Database: Sendable, Equatable {
        case sound(lookedThrough: Bool)
        case damaged(reason: String)
        /// A running station has it, which notices damage by itself.
        case inUse
    }

    /// Whether it is known that no station has it open.
    var isIdle: Bool {
        switch content {
        case .absent: true
        case .folder(_, let inside): inside.database == .sound(lookedThrough: true)
        case .unknown, .closed, .unreadable: false
        }
    }

    /// Where the station refuses new orders, so that scans have room.
    static let reserve: Int64 = 64 << 20

    /// What there is to say.
    var findings: [Finding] {
        switch content {
        case .unknown: return [StoreDiagnosis.unknown.finding()]
        case .absent: return [finding(.none)]
        case .closed: return [finding(.closed)]
        case .unreadable(let reason): return [finding(.unreadable, ["reason": reason])]
        case .folder(let look, let inside):
            guard look.isFolder else { return [finding(.notFolder)] }
            let trouble = access(look, inside) + disk(inside) + database(inside)
            let aside = setAside(inside)
            return (trouble.isEmpty ? [good(inside)] : trouble) + aside
        }
    }

    private func access(_ look: FileLook, _ inside: Inside) -> [Finding] {
        if let service, let path = strange(look, inside, service) {
            let owner = inside.files[path] ?? look
            return [
                finding(
                    .owner,
                    ["path": path, "owner": owner.ownerName, "word": ShellWord.quoted(folder)])
            ]
        }
        guard look.mode & 0o700 == 0o700 else { return [finding(.mode, ["mode": look.modeText])] }
        return []
    }

    /// The folder, else the first file, that belongs to somebody else.
    private func strange(_ look: FileLook, _ inside: Inside, _ service: SystemUser) -> String? {
        if look.uid != service.uid { return folder }
        return inside.files.filter { $0.value.uid != service.uid }.keys.min()
    }

    private func disk(_ inside: Inside) -> [Finding] {
        guard let disk = inside.disk else { return [] }
        if disk.isReadOnly { return [finding(.readOnly)] }
        return disk.free < Self.reserve
            ? [finding(.full, ["free": Self.size(disk.free)])] : []
    }

    private func database(_ inside: Inside) -> [Finding] {
        if case .damaged(let reason) = inside.database {
            return [finding(.damaged, ["path": "\(folder)/\(Self.name)", "reason": reason])]
        }
        return inside.isSuspected ? [finding(.suspected)] : []
    }

    private func setAside(_ inside: Inside) -> [Finding] {
        let count = inside.setAside.count
        guard count > 0 else { return [] }
        let text = count == 1 ? "1 damaged database was" : "\(count) damaged databases were"
        return [finding(.setAside, ["count": text, "size": Self.size(inside.setAsideBytes)])]
    }

    private func good(_ inside: Inside) -> Finding {
        let looked =
            switch inside.database {
            case .sound(true): "the database was looked through"
            case .sound(false): "the database was not looked through"
            case .inUse, .damaged: "plingsd has the database open and watches over it itself"
            case nil: "there is no database yet"
            }
        let free = inside.disk.map { Self.size($0.free) } ?? "an unknown size"
        return finding(.good, ["free": free, "looked": looked])
    }

    private func finding(_ diagnosis: StoreDiagnosis, _ more: [String: String] = [:]) -> Finding {
        let parts = ["folder": folder, "word": ShellWord.quoted(folder)]
        return diagnosis.finding(parts.merging(more) { $1 })
    }

    /// The database's name in the folder.
    static let name = "station.sqlite"

    /// `12 KiB`, `850 MiB`, `12 GiB`.
    static func size(_ bytes: Int64) -> String {
        let units: [(String, Int64)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        guard let unit = units.first(where: { bytes >= $0.1 }) else { return "\(bytes) bytes" }
        return "\(bytes / unit.1) \(unit.0)"
    }
}
