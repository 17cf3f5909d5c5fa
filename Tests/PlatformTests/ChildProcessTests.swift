import Glibc
import Platform
import Testing

@Suite("a child process")
struct ChildProcessTests {
    private func shell(_ script: String) throws -> ChildProcess {
        try ChildProcess(["/bin/sh", "-c", script])
    }

    @Test("its output and its complaints come separately, and its exit status")
    func streams() throws {
        let child = try shell("echo out; echo err >&2; exit 7")
        #expect(child.output.textToTheEnd() == "out\n")
        #expect(child.errors.textToTheEnd() == "err\n")
        let ending = child.reap(blocking: true)
        #expect(ending == .exit(7))
        #expect(ending?.description == "exit status 7")
    }

    @Test("a program that is found in PATH gets its arguments unchanged")
    func arguments() throws {
        let words = ["a b", "", "*", "$HOME", "é\n"]
        let child = try ChildProcess(["printf", "%s|"] + words)
        #expect(child.output.textToTheEnd() == words.map { "\($0)|" }.joined())
        #expect(child.reap(blocking: true) == .exit(0))
    }

    @Test("what ended it by a signal is told as that")
    func signalled() throws {
        let child = try shell("kill -9 $$")
        let ending = child.reap(blocking: true)
        #expect(ending == .signal(SIGKILL))
        #expect(ending?.description == "signal 9")
    }

    @Test("it is ended by a signal that is sent to it, and not reaped while it runs")
    func signalling() throws {
        let child = try shell("echo up; exec sleep 600")
        var byte = [UInt8](repeating: 0, count: 3)
        #expect(byte.withUnsafeMutableBytes { child.output.read(into: $0) } == .bytes(3))
        #expect(child.reap() == nil)
        child.signal(SIGTERM)
        #expect(child.reap(blocking: true) == .signal(SIGTERM))
    }

    @Test("a program that does not exist is an error with its name")
    func missing() {
        do throws(SystemError) {
            _ = try ChildProcess(["/nowhere/no-such-program"])
            Issue.record("it was started")
        } catch {
            #expect(
                error.description
                    == "posix_spawn /nowhere/no-such-program: No such file or directory")
        }
    }

    @Test("its input ends when it is closed, and what was written before it comes")
    func closeInput() throws {
        let child = try shell("cat; echo end")
        child.input.write("before\n")
        child.closeInput()
        #expect(child.output.textToTheEnd() == "before\nend\n")
        #expect(child.reap(blocking: true) == .exit(0))
        // The number is not free for somebody else: a write that comes late goes nowhere.
        #expect(child.input.write("late") == 4)
    }

    @Test("it inherits nothing but its three streams")
    func descriptors() throws {
        // Without close-on-exec, so that only the spawning can keep them away.
        let leaked = dup(0)
        let number = dup2(leaked, 200)
        defer {
            close(leaked)
            close(number)
        }
        let child = try ChildProcess(["/bin/ls", "-1", "/proc/self/fd"])
        let open = child.output.textToTheEnd().split(separator: "\n")
        // The fourth is the folder that ls reads.
        #expect(open == ["0", "1", "2", "3"])
        #expect(child.reap(blocking: true) == .exit(0))
    }

    @Test("no signal is blocked or ignored in it, though this process ignores SIGPIPE")
    func signals() throws {
        Signals.block([])
        let child = try ChildProcess(["/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"])
        let sets = child.output.textToTheEnd().split(separator: "\n").map { $0.suffix(16) }
        #expect(sets.count == 2)
        // Signals 32 and 33 are glibc's own; posix_spawn of some versions has children ignore them.
        let glibcsOwn: UInt64 = 0x1_8000_0000
        for set in sets { #expect(UInt64(set, radix: 16).map { $0 & ~glibcsOwn } == 0) }
        #expect(child.reap(blocking: true) == .exit(0))
    }

    @Test("it leads a process group of its own, which a terminal's signals don't reach")
    func group() throws {
        let child = try shell("cat")
        #expect(getpgid(child.pid) == child.pid)
        child.closeInput()
        #expect(child.reap(blocking: true) == .exit(0))
    }

    @Test("it has the environment it is given, or ours")
    func environment() throws {
        let given = try ChildProcess(["/usr/bin/env"], environment: ["A=1", "B=x=y"])
        #expect(given.output.textToTheEnd() == "A=1\nB=x=y\n")
        #expect(given.reap(blocking: true) == .exit(0))
        let ours = try ChildProcess(["/usr/bin/env"])
        let entries = Set(ours.output.textToTheEnd().split(separator: "\n").map(String.init))
        #expect(entries.contains("PATH=\(ProcessEnvironment.current["PATH"] ?? "")"))
        #expect(ours.reap(blocking: true) == .exit(0))
    }

    @Test("an event loop notices its end")
    func ending() async throws {
        let user = try LoopUser()
        let child = try shell("read line")
        let number = child.ending.number
        try await user.run { user in
            var watch: EventLoop.WatchID?
            watch = try user.loop.watch(number, for: .readable) { _ in
                user.note("ended")
                if let watch { user.loop.unwatch(watch) }
            }
        }
        #expect(child.reap() == nil)
        child.closeInput()
        #expect(await user.first(1) == ["ended"])
        #expect(child.reap() == .exit(1))
    }
}
