import Platform
import Testing

@testable import Station

@Suite("Who may do what at the socket")
struct PermissionsTests {
    private static let daemonUser: UInt32 = 990
    private static let controlGroup: UInt32 = 992

    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var pid: Int32 = 100
        var uid: UInt32 = 1000
        var groups: Set<UInt32> = [1000]
        var controlGroup: UInt32? = PermissionsTests.controlGroup
        let words: [String]
    }

    @Test(
        "is decided by the kernel's word on the peer",
        arguments: [
            Example(testDescription: "root", uid: 0, groups: [0], words: ["watch", "act"]),
            Example(
                testDescription: "the station's own user", uid: daemonUser, groups: [990],
                words: ["watch", "act"]),
            Example(
                testDescription: "a member by the primary group", groups: [992],
                words: ["watch", "act"]),
            Example(
                testDescription: "a member by a supplementary group", groups: [1000, 27, 992],
                words: ["watch", "act"]),
            Example(testDescription: "anybody else", groups: [1000, 0], words: ["watch"]),
            Example(
                testDescription: "a member of a group that does not exist", groups: [992],
                controlGroup: nil, words: ["watch"]),
            Example(
                testDescription: "root where the group does not exist", uid: 0, groups: [0],
                controlGroup: nil, words: ["watch", "act"]),
            Example(
                testDescription: "a reader that runs as root", pid: 43, uid: 0, groups: [0, 992],
                words: []),
        ])
    func words(_ example: Example) {
        let permissions = Permissions(
            of: UnixSocket.Peer(pid: example.pid, uid: example.uid, groups: example.groups),
            daemonUser: Self.daemonUser, controlGroup: example.controlGroup, readers: [42, 43])
        #expect(permissions.words == example.words)
        #expect(permissions.mayWatch == example.words.contains("watch"))
        #expect(permissions.mayAct == example.words.contains("act"))
    }

    @Test("a peer that the kernel can't name may do nothing")
    func nobody() {
        let permissions = Permissions(
            of: nil, daemonUser: Self.daemonUser, controlGroup: Self.controlGroup, readers: [])
        #expect(permissions.words == [])
    }
}
