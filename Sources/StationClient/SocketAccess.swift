internal import Glibc
internal import Platform

/// A socket file that the kernel does not let us connect to, and what would help.
package struct SocketAccess: Sendable, Equatable {
    package let path: String
    /// What the file's permissions are; nil where its folder can't be looked into.
    package let file: File?

    /// Whose the file is and who may write to it, which connecting counts as.
    package struct File: Sendable, Equatable {
        package let owner: String
        package let group: String
        /// The permission bits.
        package let mode: UInt32

        package init(owner: String, group: String, mode: UInt32) {
            self.owner = owner
            self.group = group
            self.mode = mode
        }
    }

    package init(path: String, file: File?) {
        self.path = path
        self.file = file
    }

    /// Looks at the file.
    init(lookingAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self.init(path: path, file: nil)
            return
        }
        let file = File(
            owner: SystemUsers.userName(status.st_uid) ?? "uid \(status.st_uid)",
            group: Self.groupName(status.st_gid), mode: status.st_mode & 0o777)
        self.init(path: path, file: file)
    }

    private static func groupName(_ id: UInt32) -> String {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        // A group with thousands of members needs room for their names.
        var strings = [CChar](repeating: 0, count: 65_536)
        let code = getgrgid_r(id, &entry, &strings, strings.count, &found)
        guard code == 0, found != nil else { return "gid \(id)" }
        return String(cString: entry.gr_name)
    }

    /// What is in the way, and the command that helps.
    var advice: String {
        let refusal = "you may not connect to \(path)"
        guard let file else {
            return "\(refusal): its folder is closed to you. Try `sudo plingsctl`."
        }
        // Nobody should be told to join root's group.
        guard file.mode & 0o020 != 0, file.group != "root" else {
            return "\(refusal): only its owner \(file.owner) and root may. Try `sudo plingsctl`."
        }
        return """
            \(refusal): it is for members of the group \(file.group). To become one: \
            `sudo usermod -aG \(file.group) $USER`, then log in again.
            """
    }
}
