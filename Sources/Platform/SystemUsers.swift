internal import CLinux
internal import Glibc

/// Users and groups of the system.
package enum SystemUsers {
    /// The name of a user, or nil where the uid has none.
    package static func userName(_ uid: UInt32) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        guard plings_user_name(uid, &buffer, Int32(buffer.count)) == 0 else { return nil }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self
        )
    }

    /// The id of a group, or nil where there is none of that name.
    package static func groupID(_ name: String) -> UInt32? {
        let id = plings_group_id(name)
        return id >= 0 ? UInt32(id) : nil
    }

    /// The uid this process acts as.
    package static var effectiveUser: UInt32 { geteuid() }
}
