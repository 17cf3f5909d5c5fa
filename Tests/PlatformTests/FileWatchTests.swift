import Glibc
import Platform
import TestRig
import Testing

@Suite("watching a file")
struct FileWatchTests {
    private let folder = TestFolder()

    init() throws {
        folder.write("token", "first")
    }

    /// Whether something to read comes within a time.
    private func isReadable(_ number: Int32, within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Whether a change is noticed, and once it was taken note of nothing more.
    private func isNoticed(_ change: () throws -> Bool) throws -> Bool {
        let watch = try FileWatch(folders: [folder.path])
        let number = watch.descriptor.number
        let before = isReadable(number, within: 0)
        guard try change(), isReadable(number, within: 10_000) else { return false }
        watch.drain()
        return !before && !isReadable(number, within: 0)
    }

    private func write(_ text: String) throws -> Bool {
        folder.write("token", text)
        return true
    }

    private func move(_ name: String, to other: String) -> Bool {
        rename(folder.path(name), folder.path(other)) == 0
    }

    @Test("writing to it is noticed")
    func written() throws {
        let isNoticed = try isNoticed { try write("second") }
        #expect(isNoticed)
    }

    @Test("another file that is renamed onto it is noticed")
    func replaced() throws {
        folder.write("token.new", "second")
        let isNoticed = try isNoticed { move("token.new", to: "token") }
        #expect(isNoticed)
    }

    @Test("its being moved away, removed and made anew is noticed")
    func comesAndGoes() throws {
        let changes: [() throws -> Bool] = [
            { move("token", to: "old") }, { unlink(folder.path("old")) == 0 },
            { try write("new") }, { symlink("token", folder.path("link")) == 0 },
        ]
        for change in changes {
            let isNoticed = try isNoticed(change)
            #expect(isNoticed)
        }
    }

    @Test("several folders are watched at once")
    func folders() throws {
        let other = TestFolder()
        let watch = try FileWatch(folders: [folder.path, other.path])
        let number = watch.descriptor.number
        other.write("y", "x")
        #expect(isReadable(number, within: 10_000))
        watch.drain()
        _ = try write("second")
        #expect(isReadable(number, within: 10_000))
    }

    @Test("a folder that is missing is an error that names it")
    func missingFolder() {
        let missing = folder.path("missing")
        do throws(SystemError) {
            _ = try FileWatch(folders: [missing])
            Issue.record("it is watched")
        } catch {
            #expect(error == SystemError("inotify_add_watch", missing, code: ENOENT))
        }
    }
}
