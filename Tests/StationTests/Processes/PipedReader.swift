import Glibc
import Platform
import Synchronization
import TestRig

/// A reader program that says what a test writes into a pipe.
final class PipedReader: Sendable {
    /// What makes it a reader of the station.
    let configuration: String
    private let name: String
    private let pipe: Descriptor
    private let lastToken = Mutex(0)

    init(in folder: TestFolder, name: String) throws {
        self.name = name
        let path = "\(folder.path)/\(name).pipe"
        guard mkfifo(path, 0o600) == 0 else { throw SystemError("mkfifo", path) }
        // Both ends, so that neither opening nor writing waits for the program.
        pipe = try Descriptor.open(path, O_RDWR)
        let script = Setting.script(
            folder, name: name, [Setting.introduction, Setting.device(name)],
            then: "exec cat \(path); cat")
        // Taps come faster than from any hand, and all of them count.
        configuration = "[scan]\nflap_limit = 0\n" + script
    }

    /// Puts a tag on the reader and takes it away.
    func tap(_ url: String) {
        let token = lastToken.withLock { last in
            last += 1
            return last
        }
        say(Setting.arrive(name, token: "\(token)", url: url))
        say(#"{"depart":{"device":"\#(name)","token":"\#(token)","bootNanoseconds":1}}"#)
        say(#"{"alive":{}}"#)
    }

    private func say(_ line: String) {
        _ = Array("\(line)\n".utf8).withUnsafeBytes { pipe.write($0) }
    }
}
