import Glibc
import Platform
import TestRig
import Testing

@Suite("why a program can't be run")
struct ProgramFaultTests {
    private let folder = TestFolder()

    private func file(_ name: String, _ text: String, mode: mode_t = 0o755) throws -> String {
        let path = folder.write(name, text)
        #expect(chmod(path, mode) == 0)
        return path
    }

    private func says(_ program: String) -> String? {
        ProgramFault.look(at: program, folders: "\(folder.path):/usr/bin:/bin")?.description
    }

    @Test("what can be run has no fault, as a path and as a name in PATH")
    func runnable() throws {
        #expect(says("/bin/sh") == nil)
        #expect(says("sh") == nil)
        #expect(says(try file("script", "#!/bin/sh -e\nexit 0\n")) == nil)
        #expect(says("script") == nil)
        #expect(says(try file("spaced", "#! /bin/sh\n")) == nil)
    }

    @Test("what is missing is said to be missing")
    func missing() throws {
        #expect(says("/nowhere/reader") == "/nowhere/reader is not there")
        #expect(says("/bin/sh/reader") == "/bin/sh/reader is not there")
        #expect(
            says("no-such-reader") == "there is no program no-such-reader in the folders of PATH")
        #expect(says(folder.path) == "\(folder.path) is a folder")
    }

    @Test("what is there and can't be run is told apart")
    func notRunnable() throws {
        let closed = try file("closed", "#!/bin/sh\n", mode: 0o644)
        #expect(says(closed) == "\(closed) is not executable")
        #expect(says("closed") == "\(closed) is not executable")
        let lost = try file("lost", "#!/nowhere/python3 -u\n")
        #expect(says(lost) == "the interpreter of \(lost), /nowhere/python3, is not there")
        let text = try file("text", "print('x')\n")
        #expect(
            says(text)
                == "\(text) is neither a program for this machine nor a script that begins with #!")
    }
}
