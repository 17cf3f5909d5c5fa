import Glibc
import Platform
import TestRig
import Testing

@Suite("paths")
struct FilePathTests {
    private static let parts: [(path: String, folder: String, last: String)] = [
        ("/run/plingsd/plingsd.sock", "/run/plingsd", "plingsd.sock"),
        ("/plingsd.sock", "/", "plingsd.sock"),
        ("plingsd.sock", ".", "plingsd.sock"),
        ("a/b", "a", "b"),
        ("./a", ".", "a"),
        ("/", "/", ""),
        ("", ".", ""),
    ]

    @Test("a path is a folder and what lies in it", arguments: parts)
    func split(path: String, folder: String, last: String) {
        #expect(FilePath.folder(of: path) == folder)
        #expect(FilePath.lastComponent(path) == last)
    }

    @Test("a folder is made with those above it, with the mode that was asked for")
    func makeFolders() throws {
        let folder = TestFolder()
        try FilePath.makeFolder(folder.path("a/b/c"), mode: 0o700)
        for name in ["a", "a/b", "a/b/c"] {
            #expect(mode(of: folder.path(name)) == S_IFDIR | 0o700)
        }
        // Again, and as a part of another one: what is there stays as it is.
        try FilePath.makeFolder(folder.path("a/b/c"), mode: 0o755)
        try FilePath.makeFolder(folder.path("a/b/d/"), mode: 0o755)
        #expect(mode(of: folder.path("a/b/c")) == S_IFDIR | 0o700)
        #expect(mode(of: folder.path("a/b/d")) == S_IFDIR | 0o755)
    }

    @Test("a folder that can't be made is an error that names the one that fails")
    func obstacle() throws {
        let folder = TestFolder()
        folder.write("file", "x")
        let path = folder.path("file/below")
        do throws(SystemError) {
            try FilePath.makeFolder(path, mode: 0o755)
            Issue.record("it was made")
        } catch {
            #expect(error == SystemError("mkdir", path, code: ENOTDIR))
            #expect(error.description == "mkdir \(path): Not a directory")
        }
    }

    @Test("what is there is told from what is not, and what can be run from what can't")
    func existence() throws {
        let folder = TestFolder()
        folder.write("script", "#!/bin/sh\n")
        let script = folder.path("script")
        #expect(FilePath.exists(script))
        #expect(!FilePath.exists(folder.path("other")))
        #expect(!FilePath.isExecutable(script))
        #expect(chmod(script, 0o755) == 0)
        #expect(FilePath.isExecutable(script))
        #expect(!FilePath.isExecutable(folder.path("other")))
    }

    @Test("the program that runs knows where it is")
    func ownProgram() {
        #expect(FilePath.ownProgram.hasPrefix("/"))
        #expect(FilePath.isExecutable(FilePath.ownProgram))
    }

    private static let patterns: [(String, String, Bool)] = [
        ("*", "anything", true), ("*", "", true), ("ACS ACR122U*", "ACS ACR122U 00 00", true),
        ("ACS ACR122U*", "acs acr122u 00 00", false), ("door", "door", true),
        ("door", "doors", false), ("?oor", "door", true), ("[dm]oor", "moor", true),
        ("*122*", "ACR122U", true), ("", "", true), ("", "x", false), ("*", "a/b", true),
    ]

    @Test("a pattern fits the whole text, and case counts", arguments: patterns)
    func glob(pattern: String, text: String, fits: Bool) {
        #expect(Glob.matches(pattern, text) == fits)
    }

    @Test("the machine has a name, the boot an id, and the clocks go on")
    func machine() {
        #expect(!Machine.hostName.isEmpty)
        #expect(Clocks.bootID.count == 36)
        #expect(Clocks.bootID == Clocks.bootID)
        let monotonic = Clocks.monotonicNanoseconds()
        let boot = Clocks.bootNanoseconds()
        #expect(boot >= monotonic)
        #expect(Clocks.bootNanoseconds() >= boot)
        #expect(Clocks.monotonicNanoseconds() >= monotonic)
        #expect(Clocks.realMilliseconds() > 0)
    }

    @Test("an error says which call, on what, and the system's sentence")
    func systemError() {
        #expect(SystemError("open", "/x", code: EACCES).description == "open /x: Permission denied")
        #expect(SystemError("poll", "", code: EINVAL).description == "poll: Invalid argument")
        #expect(SystemError.text(of: 99_999) == "error 99999")
    }
}
