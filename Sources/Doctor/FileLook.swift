internal import Glibc
internal import Platform

/// What the kernel says of a file, without opening it.
struct FileLook: Sendable, Hashable {
    let uid: UInt32
    let gid: UInt32
    /// The permission bits.
    let mode: UInt32
    let isFolder: Bool
    let isSocket: Bool
    /// Bytes.
    let size: Int64
    /// When the contents were changed last, in seconds since 1970-01-01T00:00:00Z.
    let changed: Int64

    init(
        uid: UInt32, gid: UInt32, mode: UInt32, isFolder: Bool = false, isSocket: Bool = false,
        size: Int64 = 0, changed: Int64 = 0
    ) {
        self.uid = uid
        self.gid = gid
        self.mode = mode
        self.isFolder = isFolder
        self.isSocket = isSocket
        self.size = size
        self.changed = changed
    }

    /// Looks at a file, through links.
    ///
    /// - Throws: `SystemError`.
    init(_ path: String) throws(SystemError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemError("stat", path) }
        self.init(
            uid: status.st_uid, gid: status.st_gid, mode: status.st_mode & 0o7777,
            isFolder: status.st_mode & S_IFMT == S_IFDIR,
            isSocket: status.st_mode & S_IFMT == S_IFSOCK, size: Int64(status.st_size),
            changed: Int64(status.st_mtim.tv_sec))
    }

    /// Whether the permissions let a user do it; root may always.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - bits: Of read 4, write 2, search or run 1.
    /// - Returns: What the file's mode says, access lists left aside.
    func lets(_ user: SystemUser, do bits: UInt32) -> Bool {
        if user.uid == 0 { return true }
        if user.uid == uid { return mode >> 6 & bits == bits }
        if user.groups.contains(gid) { return mode >> 3 & bits == bits }
        return mode & bits == bits
    }

    var ownerName: String { SystemUsers.userName(uid) ?? "uid \(uid)" }

    /// The mode as chmod(1) takes it.
    var modeText: String { "0" + String(mode, radix: 8) }
}

/// The names in a folder.
enum FolderLook {
    /// Lists a folder, without `.` and `..`, by name.
    ///
    /// - Returns: The names; nil where it can't be read.
    static func names(_ path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The text of a small file of the kernel's or the system's, without white space at its ends.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The most bytes that are read.
    /// - Returns: The text; nil where it can't be read.
    static func text(_ path: String, limit: Int = 4096) -> String? {
        guard let bytes = bytes(path, limit: limit) else { return nil }
        let text = bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }
        return String(decoding: text.reversed(), as: UTF8.self)
    }

    /// Whether a text occurs in a file without NULs, however long that is.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - text: What is looked for.
    ///   - limit: The most bytes that are read.
    /// - Returns: False also where the file can't be read.
    static func isIn(_ path: String, _ text: String, limit: Int) -> Bool {
        guard var bytes = bytes(path, limit: limit) else { return false }
        bytes.append(0)
        return bytes.withUnsafeBytes { buffer in
            guard let start = buffer.bindMemory(to: CChar.self).baseAddress else { return false }
            return strstr(start, text) != nil
        }
    }

    private static func bytes(_ path: String, limit: Int) -> [UInt8]? {
        guard let file = try? Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else {
            return nil
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
        while bytes.count < limit,
            case .bytes(let count) = buffer.withUnsafeMutableBytes({ file.read(into: $0) })
        {
            bytes += buffer[..<min(count, limit - bytes.count)]
        }
        return bytes
    }

    /// The last part of where a link leads; nil where there is none.
    static func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let bytes = buffer.prefix(count).map { UInt8(bitPattern: $0) }
        return FilePath.lastComponent(String(decoding: bytes, as: UTF8.self))
    }
}

extension FileLook {
    /// Whether the kernel does not let us read a file.
    static func isClosed(_ path: String) -> Bool {
        access(path, R_OK) != 0 && errno == EACCES
    }
}

extension SystemError {
    var meansAbsent: Bool { code == ENOENT || code == ENOTDIR }
    var meansClosed: Bool { code == EACCES || code == EPERM }
}
