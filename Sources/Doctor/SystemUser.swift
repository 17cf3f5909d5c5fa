internal import Glibc

/// A user of the system as its files of users and groups have it.
struct SystemUser: Sendable, Hashable {
    let name: String
    let uid: UInt32
    /// The primary group.
    let gid: UInt32
    /// All groups, the primary one among them.
    let groups: Set<UInt32>

    init(name: String, uid: UInt32, gid: UInt32, groups: Set<UInt32>) {
        self.name = name
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// Looks a user up by name; nil where there is none.
    init?(named name: String) {
        var found: UnsafeMutablePointer<passwd>?
        var entry = passwd()
        var strings = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(name, &entry, &strings, strings.count, &found) == 0, found != nil else {
            return nil
        }
        self.init(entry)
    }

    /// Looks a user up by uid; nil where there is none.
    init?(uid: UInt32) {
        var found: UnsafeMutablePointer<passwd>?
        var entry = passwd()
        var strings = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(uid, &entry, &strings, strings.count, &found) == 0, found != nil else {
            return nil
        }
        self.init(entry)
    }

    private init(_ entry: passwd) {
        name = String(cString: entry.pw_name)
        uid = entry.pw_uid
        gid = entry.pw_gid
        // NGROUPS_MAX groups fit. Source: limits.h.
        var count: Int32 = 65_536
        var list = [gid_t](repeating: 0, count: Int(count))
        getgrouplist(entry.pw_name, entry.pw_gid, &list, &count)
        groups = Set(list.prefix(max(0, Int(count)))).union([entry.pw_gid])
    }

    /// The groups of this process, which were given to it when its user logged in.
    static func ownGroups() -> Set<UInt32> {
        var list = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(list.count), &list)
        return Set(list.prefix(max(0, Int(count)))).union([getegid()])
    }
}
