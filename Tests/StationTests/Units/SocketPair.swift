import Glibc
import Platform

/// Two connected sockets, of which the station's takes as little as the kernel allows.
final class SocketPair {
    let station: Descriptor
    let client: Descriptor

    convenience init() throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError("socketpair") }
        self.init(station: Descriptor(owning: ends[0]), client: Descriptor(owning: ends[1]))
        var size: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, length) == 0 else {
            throw SystemError("setsockopt")
        }
        try station.setNonBlocking()
        try client.setNonBlocking()
    }

    private init(station: consuming Descriptor, client: consuming Descriptor) {
        self.station = station
        self.client = client
    }

    /// What the client finds, at most so many bytes.
    func read(_ limit: Int = 1 << 20) -> [UInt8] {
        var found: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
        while found.count < limit {
            let space = min(limit - found.count, buffer.count)
            let read = buffer.withUnsafeMutableBytes { bytes in
                client.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<space]))
            }
            guard case .bytes(let count) = read else { return found }
            found += buffer[..<count]
        }
        return found
    }

    /// Ends the client's side; what it has not read is lost.
    func endClient() {
        let nowhere = open("/dev/null", O_RDONLY)
        dup2(nowhere, client.number)
        close(nowhere)
    }
}
