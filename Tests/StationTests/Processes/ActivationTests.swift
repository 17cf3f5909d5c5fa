import Glibc
import Platform
import TestRig
import Testing

@Suite("A socket that systemd has made", .serialized)
struct ActivationTests {
    private let folder = TestFolder()
    private var socket: String { "\(folder.path)/given.sock" }

    /// A configuration that has the socket somewhere else.
    private func daemon() -> [String] {
        let configuration = folder.write(
            "config.toml",
            """
            [store]
            directory = "\(folder.path)/store"
            [socket]
            path = "\(folder.path)/own.sock"
            [readers]
            automatic = false
            """)
        return [Repository.program("plingsd"), "--config", configuration]
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("is used with its own mode, said where the configuration differs, and left at the end")
    func used() throws {
        let program = RunningProgram(
            ["systemd-socket-activate", "--listen=\(socket)"] + daemon())
        defer { program.kill() }
        #expect(Poll.until { FilePath.exists(socket) })
        chmod(socket, 0o640)
        let client = try ProtocolClient(path: socket)
        #expect(try client.call("status").error == nil)
        #expect(mode(socket) == 0o640)
        #expect(!FilePath.exists("\(folder.path)/own.sock"))
        let words = program.errors
        #expect(words.contains("systemd's socket is used as its unit has it"), "\(words)")
        #expect(words.contains("path \(socket), not \(folder.path)/own.sock"), "\(words)")
        #expect(words.contains("mode 0640, not 0660"), "\(words)")
        program.signal(SIGTERM)
        #expect(program.wait() == .exit(0))
        #expect(FilePath.exists(socket), "it is systemd's to remove")
        #expect(client.problems.isEmpty)
    }

    /// Hands a descriptor of some kind over, as systemd does, and becomes the daemon.
    private static let hand = """
        import os, socket, sys
        kind, path, *command = sys.argv[1:]
        def bound(family, type, address):
            made = socket.socket(family, type)
            made.bind(address)
            return made
        if kind == "pipe":
            given = [os.pipe()[0]]
        elif kind == "network":
            made = bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
            made.listen()
            given = [made.detach()]
        elif kind == "datagrams":
            given = [bound(socket.AF_UNIX, socket.SOCK_DGRAM, path).detach()]
        elif kind == "connection":
            given = [socket.socketpair()[0].detach()]
        elif kind == "abstract":
            made = bound(socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + path)
            made.listen()
            given = [made.detach()]
        else:
            given = []
            for number in range(2):
                made = bound(socket.AF_UNIX, socket.SOCK_STREAM, path + str(number))
                made.listen()
                given.append(made.detach())
        # Out of the way first: what is handed over begins at 3.
        given = [os.dup2(number, 20 + index) for index, number in enumerate(given)]
        for index, number in enumerate(given):
            os.dup2(number, 3 + index, inheritable=True)
        os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(given))}
        os.execv(command[0], command)
        """

    private static let wrong: [(kind: String, why: String)] = [
        ("pipe", "what systemd has handed over is no socket"),
        ("network", "systemd has handed over a network socket, and not a Unix socket"),
        ("datagrams", "a Unix socket that is no stream: use ListenStream="),
        ("connection", "a connection, and not a listening socket: use Accept=no"),
        ("abstract", "a socket without a file"),
        ("two", "systemd has handed over 2 sockets, and the station takes one"),
    ]

    @Test("of a wrong kind is refused with the reason", arguments: wrong)
    func refused(_ row: (kind: String, why: String)) {
        let program = RunningProgram(
            ["/usr/bin/python3", "-c", Self.hand, row.kind, socket] + daemon())
        defer { program.kill() }
        #expect(program.wait() == .exit(1))
        #expect(program.errors.hasPrefix("plingsd: "), "\(program.errors)")
        #expect(program.errors.contains(row.why), "\(program.errors)")
        #expect(!FilePath.exists("\(folder.path)/own.sock"))
    }
}
