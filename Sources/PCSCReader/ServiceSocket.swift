internal import Glibc

/// The socket that pcscd listens on.
enum ServiceSocket {
    /// Where it is: what libpcsclite goes by.
    ///
    /// Source: pcsc-lite, winscard_msg.c, getSocketName.
    private static var path: String {
        getenv("PCSCLITE_CSOCK_NAME").map { String(cString: $0) } ?? "/run/pcscd/pcscd.comm"
    }

    /// Whether somebody accepts connections there, whatever becomes of them.
    static var isListening: Bool {
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard client >= 0 else { return false }
        defer { close(client) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
