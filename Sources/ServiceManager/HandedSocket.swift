internal import CSystemd
internal import Glibc

/// The listening socket that systemd has made and handed to this process.
///
/// Source: sd_listen_fds(3), systemd.socket(5).
package struct HandedSocket: Sendable {
    /// The descriptor; whoever takes it closes it.
    package let number: Int32
    /// Where its file is.
    package let path: String
    /// The permissions and the group of the file; nil where it can't be looked at.
    private let file: (mode: UInt32, group: UInt32)?

    /// What was handed over can't be used.
    package struct Unusable: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// Takes what was handed over, and removes the variables that say so from the environment.
    ///
    /// To be called before any thread is started that reads the environment.
    ///
    /// - Returns: Nil where nothing was handed over.
    /// - Throws: `Unusable` where it is not exactly one listening Unix stream socket with a file.
    package static func take() throws(Unusable) -> HandedSocket? {
        let count = sd_listen_fds(1)
        guard count != 0 else { return nil }
        guard count > 0 else {
            let reason = String(cString: strerror(-count))
            throw unusable("what systemd says of sockets can't be read: \(reason)")
        }
        guard count == 1 else {
            throw unusable("systemd has handed over \(count) sockets, and the station takes one")
        }
        return try HandedSocket(first)
    }

    /// Source: sd-daemon.h, SD_LISTEN_FDS_START.
    private static let first: Int32 = 3

    private static func unusable(_ text: String) -> Unusable { Unusable(description: text) }

    /// Looks at a descriptor.
    ///
    /// - Throws: `Unusable` where it is no listening Unix stream socket with a file.
    init(_ number: Int32) throws(Unusable) {
        guard sd_is_socket(number, AF_UNSPEC, 0, -1) > 0 else {
            throw Self.unusable("what systemd has handed over is no socket")
        }
        guard sd_is_socket(number, AF_UNIX, 0, -1) > 0 else {
            throw Self.unusable("systemd has handed over a network socket, and not a Unix socket")
        }
        guard sd_is_socket(number, AF_UNIX, Int32(SOCK_STREAM.rawValue), -1) > 0 else {
            throw Self.unusable(
                "systemd has handed over a Unix socket that is no stream: use ListenStream=")
        }
        guard sd_is_socket(number, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0 else {
            throw Self.unusable(
                "systemd has handed over a connection, and not a listening socket: use Accept=no")
        }
        guard let path = Self.path(of: number) else {
            throw Self.unusable("systemd has handed over a socket without a file")
        }
        guard fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0 else {
            throw Self.unusable("the socket of systemd can't be used without blocking")
        }
        self.number = number
        self.path = path
        var status = stat()
        file = stat(path, &status) == 0 ? (status.st_mode & 0o777, status.st_gid) : nil
    }

    /// The path that a socket is bound to; nil where it has none, or an abstract name.
    private static func path(of number: Int32) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(number, $0, &size)
            }
        }
        guard code == 0 else { return nil }
        let bytes = withUnsafeBytes(of: &address.sun_path) { Array($0) }.prefix { $0 != 0 }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// What a configuration says otherwise of the socket; nil where both agree.
    ///
    /// - Parameters:
    ///   - path: Where the configuration has it, if it says.
    ///   - mode: The permissions.
    ///   - group: The group, where there is one.
    /// - Returns: Both sides, for the log.
    package func difference(path: String?, mode: UInt32, group: UInt32?) -> String? {
        var parts: [String] = []
        if let path, path != self.path { parts.append("path \(self.path), not \(path)") }
        if let file, file.mode != mode {
            parts.append("mode \(Self.octal(file.mode)), not \(Self.octal(mode))")
        }
        if let file, let group, file.group != group {
            parts.append("group \(file.group), not \(group)")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
