import Glibc
import Platform
import TestRig
import Testing

@Suite("a Unix socket")
struct UnixSocketTests {
    private let folder = TestFolder()
    private let path: String

    init() throws {
        path = folder.path("station.sock")
    }

    private func listen(mode: UInt32 = 0o660) throws -> Descriptor {
        try UnixSocket.listen(at: path, mode: mode, group: nil)
    }

    private func accept(_ listener: Int32) throws(SystemError) -> Descriptor {
        guard let accepted = try UnixSocket.accept(listener) else { throw SystemError("accept") }
        return accepted
    }

    private func refusal(at path: String, group: UInt32? = nil) -> UnixSocket.ListenError? {
        do throws(UnixSocket.ListenError) {
            _ = try UnixSocket.listen(at: path, mode: 0o660, group: group)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(connecting path: String) -> SystemError? {
        do throws(SystemError) {
            _ = try UnixSocket.connect(to: path)
            return nil
        } catch {
            return error
        }
    }

    private static let modes: [UInt32] = [0o600, 0o660, 0o666]

    @Test("the file has the mode that was asked for, whatever the umask", arguments: modes)
    func fileMode(bits: UInt32) throws {
        let listener = try listen(mode: bits)
        #expect(mode(of: path) == S_IFSOCK | bits)
        _ = listener
    }

    @Test("the file has the group that was asked for")
    func fileGroup() throws {
        let listener = try UnixSocket.listen(at: path, mode: 0o660, group: getegid())
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_gid == getegid())
        _ = listener
    }

    @Test("both ends hear each other, and half-closing ends one direction alone")
    func conversation() throws {
        let listener = try listen()
        let client = try UnixSocket.connect(to: path)
        let end = try accept(listener.number)
        client.write("question")
        UnixSocket.finishSending(client)
        #expect(end.textToTheEnd() == "question")
        end.write("answer")
        UnixSocket.finishSending(end)
        #expect(client.textToTheEnd() == "answer")
    }

    @Test("the other end sees the shut-down of a connection whose descriptor is still open")
    func shutDown() throws {
        let listener = try listen()
        let client = try UnixSocket.connect(to: path)
        let end = try accept(listener.number)
        UnixSocket.shutDown(end)
        #expect(client.textToTheEnd() == "")
    }

    @Test("where nobody waits there is nothing to accept, without blocking")
    func nobodyWaits() throws {
        let listener = try listen()
        #expect(throws: SystemError("accept", "", code: EAGAIN)) {
            _ = try accept(listener.number)
        }
    }

    @Test("the file of a listener that has died is taken over")
    func staleFile() throws {
        do {
            let dead = try listen()
            _ = dead
        }
        #expect(mode(of: path) != nil)
        #expect(refusal(connecting: path)?.code == ECONNREFUSED)
        let listener = try listen()
        #expect(refusal(connecting: path) == nil)
        _ = listener
    }

    @Test("a listener that lives is left alone, and the one that wants its place is told its pid")
    func liveListener() throws {
        let listener = try listen()
        let refused = refusal(at: path)
        #expect(refused == .inUse(path: path, pid: getpid()))
        #expect(
            refused?.description == "another program (pid \(getpid())) is listening on \(path)")
        #expect(refusal(connecting: path) == nil)
        _ = listener
    }

    @Test("a file that is no socket is left alone")
    func regularFile() throws {
        folder.write("station.sock", "precious")
        let refused = refusal(at: path)
        #expect(refused == .notASocket(path: path))
        #expect(refused?.description == "\(path) is in the way: it is not a socket")
        #expect(folder.text(of: "station.sock") == "precious")
    }

    @Test("a symbolic link is not followed, whatever it leads to")
    func symbolicLink() throws {
        let target = folder.path("target.sock")
        do {
            let dead = try UnixSocket.listen(at: target, mode: 0o600, group: nil)
            _ = dead
        }
        #expect(symlink(target, path) == 0)
        #expect(refusal(at: path) == .notASocket(path: path))
        #expect(mode(of: target) != nil)
    }

    @Test("a path of 107 bytes is used, a longer one refused before anything is made")
    func pathLength() throws {
        let room = UnixSocket.pathLimit - folder.path("").utf8.count
        let longest = folder.path(String(repeating: "s", count: room))
        let listener = try UnixSocket.listen(at: longest, mode: 0o600, group: nil)
        #expect(refusal(connecting: longest) == nil)
        _ = listener
        let tooLong = longest + "s"
        #expect(refusal(at: tooLong) == .pathTooLong(path: tooLong))
        #expect(
            refusal(at: tooLong)?.description
                == "the socket's path is longer than 107 bytes: \(tooLong)")
        #expect(refusal(connecting: tooLong) == SystemError("connect", tooLong, code: ENAMETOOLONG))
        #expect(mode(of: tooLong) == nil)
    }

    @Test("a folder that is missing is an error that names the path")
    func missingFolder() {
        let nowhere = folder.path("missing/station.sock")
        let refused = refusal(at: nowhere)
        #expect(refused == .system(SystemError("bind", nowhere, code: ENOENT)))
        #expect(refused?.description == "bind \(nowhere): No such file or directory")
    }

    @Test("connecting where nobody listens says so with the path")
    func nobodyListens() {
        let error = refusal(connecting: path)
        #expect(error == SystemError("connect", path, code: ENOENT))
        #expect(error?.description == "connect \(path): No such file or directory")
    }

    @Test("removing takes the file away")
    func remove() throws {
        let listener = try listen()
        UnixSocket.remove(path)
        #expect(mode(of: path) == nil)
        _ = listener
    }

    @Test("the kernel says who is at the other end, with all its groups")
    func peer() throws {
        let listener = try listen()
        let client = try UnixSocket.connect(to: path)
        let end = try accept(listener.number)
        let found = UnixSocket.Peer(of: end)
        let peer = try #require(found)
        #expect(peer.pid == getpid())
        #expect(peer.uid == geteuid())
        #expect(peer.groups == Self.ownGroups())
        #expect(peer.user == SystemUsers.userName(geteuid()))
        _ = client
    }

    private static func ownGroups() -> Set<UInt32> {
        var groups = [gid_t](repeating: 0, count: 1024)
        let count = getgroups(Int32(groups.count), &groups)
        return Set(groups.prefix(Int(max(0, count)))).union([getegid()])
    }

    @Test("a descriptor that is no socket has nobody at its other end")
    func noPeer() throws {
        let nothing = try Descriptor.open("/dev/null", O_RDWR)
        let found = UnixSocket.Peer(of: nothing)
        #expect(found == nil)
    }

    @Test("accounts are found by their names, and what is missing is nil")
    func accounts() {
        #expect(SystemUsers.userName(0) == "root")
        #expect(SystemUsers.groupID("root") == 0)
        #expect(SystemUsers.userName(4_000_000_001) == nil)
        #expect(SystemUsers.groupID("no-such-group-here") == nil)
        #expect(SystemUsers.effectiveUser == geteuid())
    }
}
