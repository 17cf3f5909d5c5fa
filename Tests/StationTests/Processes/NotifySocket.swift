import Glibc
import Platform
import TestRig

/// A service manager's end of sd_notify: what the daemon tells systemd.
///
/// Source: sd_notify(3), datagrams to the socket in NOTIFY_SOCKET.
final class NotifySocket {
    let path: String
    private let socket: Descriptor
    private(set) var messages: [String] = []

    init(in folder: TestFolder) {
        path = "\(folder.path)/notify"
        socket = Descriptor(owning: Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.number, $0, length)
            }
        }
        guard bound == 0 else { fatalError("\(SystemError("bind", path))") }
        try? socket.setNonBlocking()
    }

    var environment: [String: String] { ["NOTIFY_SOCKET": path] }

    /// Waits until a message with this text has come, and gives all lines of it.
    func message(with text: String) -> [Substring]? {
        var found: String?
        _ = Poll.until {
            read()
            found = messages.first { $0.contains(text) }
            return found != nil
        }
        if let found { messages.removeAll { $0 == found } }
        return found?.split(separator: "\n")
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while case .bytes(let count) = bytes.withUnsafeMutableBytes({ socket.read(into: $0) }) {
            messages.append(String(decoding: bytes[..<count], as: UTF8.self))
        }
    }
}
