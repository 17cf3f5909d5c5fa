internal import CLinux
internal import Glibc

/// Unix stream sockets: listening, connecting, and who is at the other end.
package enum UnixSocket {
    /// Why a socket can't be listened on.
    package enum ListenError: Error, CustomStringConvertible, Sendable, Equatable {
        /// A program answers there already.
        case inUse(path: String, pid: Int32?)
        /// Something that is no socket stands there; it is left alone.
        case notASocket(path: String)
        case pathTooLong(path: String)
        case noGroup(name: String)
        case system(SystemError)

        package var description: String {
            switch self {
            case .inUse(let path, let pid?):
                "another program (pid \(pid)) is listening on \(path)"
            case .inUse(let path, nil):
                "another program, which does not answer, is listening on \(path)"
            case .notASocket(let path): "\(path) is in the way: it is not a socket"
            case .pathTooLong(let path):
                "the socket's path is longer than \(UnixSocket.pathLimit) bytes: \(path)"
            case .noGroup(let name): "there is no group \(name)"
            case .system(let error): error.description
            }
        }
    }

    /// The most bytes a socket's path may have.
    ///
    /// Source: unix(7), sun_path without its NUL.
    package static let pathLimit = 107

    /// Makes a socket file and listens on it; a dead one that stands there is taken over.
    ///
    /// - Parameters:
    ///   - path: Where; its folder must exist.
    ///   - mode: The file's permissions.
    ///   - group: The file's group, or nil to leave it.
    /// - Returns: The listening socket, non-blocking.
    /// - Throws: `ListenError` where the path is taken or can't be made.
    package static func listen(
        at path: String, mode: UInt32, group: UInt32?
    ) throws(ListenError) -> Descriptor {
        guard path.utf8.count <= pathLimit else { throw .pathTooLong(path: path) }
        try removeDead(path)
        let number = plings_unix_socket(1)
        guard number >= 0 else { throw .system(SystemError("socket", path)) }
        let listener = Descriptor(owning: number)
        // Nobody may connect before owner and mode are what they shall be: the file gets the mode
        // of the socket it is bound to, and the process's umask, which other threads use, stays.
        guard fchmod(number, 0o600) == 0 else { throw .system(SystemError("fchmod", path)) }
        guard withAddress(path, { bind(number, $0, $1) }) == 0 else {
            throw .system(SystemError("bind", path))
        }
        if let group, chown(path, uid_t.max, group) != 0 {
            throw .system(SystemError("chown", path))
        }
        guard chmod(path, mode) == 0 else { throw .system(SystemError("chmod", path)) }
        guard Glibc.listen(number, 64) == 0 else { throw .system(SystemError("listen", path)) }
        return listener
    }

    private static func removeDead(_ path: String) throws(ListenError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        // Without blocking: a stopped program's queue may be full, and it is live all the same.
        let number = plings_unix_socket(1)
        guard number >= 0 else { throw .system(SystemError("socket", path)) }
        let socket = Descriptor(owning: number)
        guard withAddress(path, { Glibc.connect(number, $0, $1) }) != 0 else {
            throw .inUse(path: path, pid: Peer(of: socket)?.pid)
        }
        let failure = SystemError("connect", path)
        guard failure.code != EAGAIN else { throw .inUse(path: path, pid: nil) }
        guard failure.code == ECONNREFUSED else { throw .system(failure) }
        unlink(path)
    }

    /// Connects and returns a blocking socket.
    ///
    /// - Throws: `SystemError` with the path: ENOENT and ECONNREFUSED mean that nobody listens.
    package static func connect(to path: String) throws(SystemError) -> Descriptor {
        guard path.utf8.count <= pathLimit else {
            throw SystemError("connect", path, code: ENAMETOOLONG)
        }
        let number = plings_unix_socket(0)
        guard number >= 0 else { throw SystemError("socket", path) }
        let socket = Descriptor(owning: number)
        guard withAddress(path, { Glibc.connect(number, $0, $1) }) == 0 else {
            throw SystemError("connect", path)
        }
        return socket
    }

    /// Takes one waiting connection, non-blocking; nil where none waits any more.
    ///
    /// - Throws: `SystemError` where one waits and can't be taken, as without descriptors.
    package static func accept(_ listener: Int32) throws(SystemError) -> Descriptor? {
        while true {
            let number = plings_accept(listener)
            if number >= 0 { return Descriptor(owning: number) }
            switch errno {
            case EAGAIN: return nil
            // The peer left before it was taken; the next one may wait.
            case EINTR, ECONNABORTED: continue
            default: throw SystemError("accept")
            }
        }
    }

    /// Ends the sending side; the peer reads to the end.
    package static func finishSending(_ socket: borrowing Descriptor) {
        _ = shutdown(socket.number, Int32(SHUT_WR))
    }

    /// Ends both directions; the peer sees it at once, whoever still holds the descriptor.
    package static func shutDown(_ socket: borrowing Descriptor) {
        _ = shutdown(socket.number, Int32(SHUT_RDWR))
    }

    /// Removes a socket's file.
    package static func remove(_ path: String) {
        unlink(path)
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
        }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// The process at the other end, as it was when it connected.
    package struct Peer: Sendable, Hashable {
        package let pid: Int32
        package let uid: UInt32
        /// Its primary and supplementary groups.
        package let groups: Set<UInt32>

        package init(pid: Int32, uid: UInt32, groups: Set<UInt32>) {
            self.pid = pid
            self.uid = uid
            self.groups = groups
        }

        /// Asks the kernel; nil where the socket has no such peer.
        package init?(of socket: borrowing Descriptor) {
            var credentials = plings_ucred()
            var size = socklen_t(MemoryLayout<plings_ucred>.size)
            let option = Int32(PLINGS_SO_PEERCRED)
            guard
                getsockopt(socket.number, SOL_SOCKET, option, &credentials, &size) == 0
            else { return nil }
            pid = credentials.pid
            uid = credentials.uid
            groups = Self.supplementaryGroups(socket.number).union([credentials.gid])
        }

        private static func supplementaryGroups(_ socket: Int32) -> Set<UInt32> {
            let option = Int32(PLINGS_SO_PEERGROUPS)
            // NGROUPS_MAX groups fit. Source: limits.h.
            var groups = [UInt32](repeating: 0, count: 65_536)
            var size = socklen_t(groups.count * MemoryLayout<UInt32>.size)
            guard getsockopt(socket, SOL_SOCKET, option, &groups, &size) == 0 else { return [] }
            return Set(groups.prefix(Int(size) / MemoryLayout<UInt32>.size))
        }

        /// The user's name, or nil where the uid has none.
        package var user: String? { SystemUsers.userName(uid) }
    }
}
