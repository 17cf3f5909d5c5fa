// curl.h takes in the socket headers, and the compiler may give their types to either module.
internal import CCurl
internal import Glibc

/// The addresses by which a machine reaches itself alone.
enum LoopbackAddress {
    /// Whether a socket address is in 127.0.0.0/8, is ::1, or is the former inside IPv6.
    ///
    /// Source: RFC 1122, section 3.2.1.3; RFC 4291, sections 2.5.3 and 2.5.5.2.
    ///
    /// - Parameter address: A whole `sockaddr` of the family that it names.
    /// - Returns: Whether what is sent there stays on this machine.
    static func contains(_ address: UnsafeRawPointer) -> Bool {
        switch Int32(address.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET:
            let four = address.loadUnaligned(as: sockaddr_in.self).sin_addr
            return withUnsafeBytes(of: four) { $0[0] == 127 }
        case AF_INET6:
            let six = address.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return withUnsafeBytes(of: six) { isLoopback($0) }
        default: return false
        }
    }

    private static func isLoopback(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.prefix(10).allSatisfy({ $0 == 0 }) else { return false }
        let isMapped = bytes[10] == 0xff && bytes[11] == 0xff
        if isMapped { return bytes[12] == 127 }
        return bytes[10..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
    }
}
