import Glibc
import Testing

@testable import PlingsAPI

private let addresses: [(String, Bool)] = [
    ("127.0.0.1", true), ("127.255.0.9", true), ("128.0.0.1", false), ("0.0.0.0", false),
    ("192.0.2.127", false), ("::1", true), ("::", false), ("::2", false), ("1::1", false),
    ("::ffff:127.0.0.1", true), ("::ffff:192.0.2.1", false), ("fe80::1", false),
    ("::127.0.0.1", false),
]

@Suite("Addresses of this machine")
struct LoopbackAddressTests {
    @Test("only an address that never leaves the machine counts", arguments: addresses)
    func contains(_ text: String, _ expected: Bool) throws {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        if inet_pton(AF_INET, text, &four.sin_addr) == 1 {
            #expect(withUnsafePointer(to: &four) { LoopbackAddress.contains($0) } == expected)
        } else {
            try #require(inet_pton(AF_INET6, text, &six.sin6_addr) == 1)
            #expect(withUnsafePointer(to: &six) { LoopbackAddress.contains($0) } == expected)
        }
    }

    @Test("an address of another family does not")
    func otherFamily() {
        var local = sockaddr_un()
        local.sun_family = sa_family_t(AF_UNIX)
        #expect(!withUnsafePointer(to: &local) { LoopbackAddress.contains($0) })
    }
}
