import LineProtocols
import Scanning
import Testing

@testable import StationClient

@Suite("The command line")
struct InvocationTests {
    private func command(_ line: String) throws -> Invocation.Command {
        try Invocation(line.split(separator: " ").map(String.init)).command
    }

    @Test("watch has its options in any order, before or after the socket")
    func watch() throws {
        let line = """
            --socket=/s watch --types scan,api --count 3 --json --since 0 --types job --reader a \
            --log 0197C9A4-5D5C-7F0E-8A39-2F6D1C0B7E55 --color never
            """
        let invocation = try Invocation(line.split(separator: " ").map(String.init))
        var options = WatchOptions()
        options.json = true
        options.count = 3
        options.colour = .never
        options.subscription = SubscribeParameters(
            types: ["scan", "api", "job"], readers: ["a"], since: .after(0), log: Lines.log)
        #expect(invocation.socket == "/s")
        #expect(invocation.command == .watch(options))
        #expect(try command("watch --since start") != command("watch"))
        #expect(try command("watch --since now") == .watch(WatchOptions()))
    }

    @Test("the socket may be named after the command; the later one counts")
    func socket() throws {
        #expect(try Invocation(["--socket", "/a", "status", "--socket", "/b"]).socket == "/b")
        #expect(try Invocation(["status"]).socket == nil)
    }

    @Test("help is for the command it stands beside")
    func help() throws {
        #expect(try command("--help") == .help(topic: nil))
        #expect(try command("help") == .help(topic: nil))
        #expect(try command("help watch") == .help(topic: "watch"))
        #expect(try command("submit -h") == .help(topic: "submit"))
        #expect(try command("--help submit") == .help(topic: "submit"))
        #expect(try command("--version") == .version)
    }

    @Test("outbox lists unless it is told otherwise")
    func outbox() throws {
        #expect(try command("outbox") == .outbox(OutboxOptions(.list(nil))))
        #expect(try command("outbox list") == command("outbox"))
        var all = OutboxOptions(.retry(id: nil))
        all.force = true
        #expect(try command("outbox retry --force --all") == .outbox(all))
        var done = OutboxOptions(.list(.done))
        done.json = true
        done.limit = 3
        #expect(try command("outbox --limit 3 --state done --json") == .outbox(done))
        #expect(try command("outbox discard s1") == .outbox(OutboxOptions(.discard(id: "s1"))))
        #expect(try command("metrics") == .metrics)
    }

    @Test("doctor takes a configuration, and the socket as the others do")
    func doctor() throws {
        let invocation = try Invocation(
            ["doctor", "--json", "--config", "/c.toml", "--socket", "/s"])
        var options = DoctorOptions()
        options.json = true
        options.configuration = "/c.toml"
        #expect(invocation.socket == "/s")
        #expect(invocation.command == .doctor(options))
        #expect(try command("doctor") == .doctor(DoctorOptions()))
        #expect(try command("doctor --help") == .help(topic: "doctor"))
    }

    @Test("after -- everything is an operand")
    func operands() throws {
        #expect(try command("submit -- --url") == .submit(url: "--url"))
        #expect(try command("-- submit u") == .submit(url: "u"))
    }

    // Not in the macro: interpolations there crash the compiler of Swift 6.0.3.
    private static let mistaken: [(String, String)] = [
        (
            "",
            "a command is missing: watch, status, submit, outbox, metrics, doctor, login, logout, "
                + "version, help"
        ),
        ("outbox lsit", "there is no command outbox lsit; did you mean list?"),
        ("outbox list x", "outbox list takes no argument x"),
        ("outbox --state atention", "there is no state atention; did you mean attention?"),
        ("outbox --limit none", "--limit is a number from 1 on, not none"),
        ("outbox show", "outbox show takes the id of one job"),
        ("outbox show a b", "outbox show takes the id of one job"),
        ("outbox retry", "outbox retry takes the id of one job, or --all"),
        ("outbox retry a --all", "outbox retry takes the id of one job, or --all"),
        ("outbox discard a b", "outbox discard takes the id of one job, or --all"),
        ("outbox list --force", "outbox list has no option --force"),
        ("outbox retry a --limit 3", "outbox retry has no option --limit"),
        ("metrics now", "metrics takes no argument now"),
        ("wtach", "there is no command wtach; did you mean watch?"),
        ("xyz", "there is no command xyz"),
        ("help sumbit", "there is no command sumbit; did you mean submit?"),
        ("--sokcet /s status", "there is no option --sokcet; did you mean --socket?"),
        ("status --since 4", "there is no option --since"),
        ("watch -x", "there is no option -x"),
        ("watch --json=1", "the option --json takes no value"),
        ("watch --since", "the option --since needs a value"),
        ("watch --reader --json", "the option --reader needs a value"),
        ("--socket= status", "the option --socket needs a path"),
        ("watch --since -4", "--since is a seq, start or now, not -4"),
        (
            "watch --since 99999999999999999999",
            "--since is a seq, start or now, not 99999999999999999999"
        ),
        ("watch --count 0", "--count is a number from 1 on, not 0"),
        ("watch --count many", "--count is a number from 1 on, not many"),
        ("watch --types ,", "--types needs at least one type of event"),
        ("watch --color red", "--color is auto, always or never, not red"),
        ("watch --log \(Lines.log)", "--log goes with a number for --since"),
        ("watch --since start --log \(Lines.log)", "--log goes with a number for --since"),
        ("watch --since 4 --log mine", "--log is the id of an event log, not mine"),
        ("watch now", "watch takes no argument now"),
        ("status door", "status takes no argument door"),
        ("version 2", "version takes no argument 2"),
        ("submit", "submit takes one URL"),
        ("submit a b", "submit takes one URL"),
    ]

    @Test("what can't be carried out is said, with what was probably meant", arguments: mistaken)
    func mistakes(line: String, sentence: String) {
        do {
            let command = try command(line)
            Issue.record("taken as \(command)")
        } catch {
            #expect("\(error)" == sentence)
        }
    }
}

@Suite("Sentences about sockets and gaps")
struct SentenceTests {
    @Test("the person's word goes before the environment's, and that before what exists")
    func socketPath() throws {
        let environment = ["PLINGSD_SOCKET": "/e", "XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/h"]
        let path = StationSocket.path
        #expect(try path("/n", environment, { _ in true }) == "/n")
        #expect(try path(nil, environment, { _ in true }) == "/e")
        let without = ["PLINGSD_SOCKET": "", "XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/h"]
        #expect(try path(nil, without, { _ in true }) == "/run/plingsd/plingsd.sock")
        let personal = "/run/user/7/plingsd/plingsd.sock"
        #expect(try path(nil, without, { $0 == personal }) == personal)
        let state = "/h/.local/state/plingsd/plingsd.sock"
        #expect(try path(nil, without, { $0 == state }) == state)
        #expect(
            throws: ConnectionError.noSocket(
                paths: ["/run/plingsd/plingsd.sock", personal, state])
        ) {
            try path(nil, without, { _ in false })
        }
    }

    @Test("without any socket every place is named")
    func noSocket() {
        let sentence = """
            no station is running: there is no socket at /a, /b or /c. Start the station with \
            `systemctl start plingsd`, or with `plingsd` from the build folder.
            """
        #expect(ConnectionError.noSocket(paths: ["/a", "/b", "/c"]).description == sentence)
    }

    @Test(
        "who may not connect is told what would help",
        arguments: [
            (
                SocketAccess.File(owner: "plingsd", group: "plings", mode: 0o660),
                "it is for members of the group plings. To become one: `sudo usermod -aG plings "
                    + "$USER`, then log in again."
            ),
            (
                SocketAccess.File(owner: "anna", group: "anna", mode: 0o600),
                "only its owner anna and root may. Try `sudo plingsctl`."
            ),
            (
                SocketAccess.File(owner: "root", group: "root", mode: 0o660),
                "only its owner root and root may. Try `sudo plingsctl`."
            ),
            (nil, "its folder is closed to you. Try `sudo plingsctl`."),
        ])
    func denied(file: SocketAccess.File?, advice: String) {
        let error = ConnectionError.denied(SocketAccess(path: "/s", file: file))
        #expect(error.description == "you may not connect to /s: \(advice)")
    }

    // Not in the macro: interpolations there crash the compiler of Swift 6.0.3.
    private static let missing: [(Int64, Int64, String?, String)] = [
        (4, 21, nil, "events 5–20 are no longer kept"),
        (4, 6, Lines.log, "event 5 is no longer kept"),
        (99, 1, nil, "the log does not reach event 99: going on with event 1"),
        (
            Int64.max, 1, nil,
            "the log does not reach event 9223372036854775807: going on with event 1"
        ),
        (
            4, 1, Lines.otherLog,
            "the log was replaced: going on with event 1 of the log \(Lines.log)"
        ),
    ]

    @Test("what the log does not have is told", arguments: missing)
    func gaps(requested: Int64, first: Int64, askedLog: String?, sentence: String) {
        let gap = SubscribeResult.Gap(requested: requested, first: first)
        #expect(GapNotice.sentence(gap, askedLog: askedLog, log: Lines.log) == sentence)
    }
}
