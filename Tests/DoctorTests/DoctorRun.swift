import Glibc
import Platform
import TestRig
import Testing

/// The built `plingsctl doctor`, run as a process of its own in a made-up place.
struct DoctorRun {
    /// What it found, by check; the last one of several of the same check.
    let findings: [String: Found]
    let ending: ChildProcess.Ending?
    /// Everything that it wrote, byte for byte.
    let text: String

    struct Found: Equatable {
        let state: String
        let text: String
        let command: String?
    }

    /// Runs it on a thread of its own, away from the pool that the tests share.
    ///
    /// - Parameters:
    ///   - place: Where the station is that it looks at.
    ///   - options: Besides `--json` and the configuration.
    ///   - environment: Added to the place's.
    init(
        _ place: Place, _ options: [String] = [], environment: [String: String] = [:]
    ) async {
        let arguments =
            [Repository.program("plingsctl"), "doctor", "--json", "--config", place.configuration]
            + options
        let variables = place.environment.merging(environment) { $1 }
        let program = await withCheckedContinuation { continuation in
            Threads.start(name: "doctor") {
                let program = RunningProgram(arguments, environment: variables)
                program.closeInput()
                program.wait(seconds: 30)
                continuation.resume(returning: program)
            }
        }
        ending = program.wait(seconds: 0)
        text = program.output + program.errors
        let list = try? JSONValue(parsing: program.output)
        var findings: [String: Found] = [:]
        for entry in list?.array ?? [] {
            guard let check = entry["check"]?.string, let state = entry["state"]?.string,
                let text = entry["text"]?.string
            else {
                Issue.record("no finding: \(entry)")
                continue
            }
            findings[check] = Found(state: state, text: text, command: entry["command"]?.string)
        }
        if list == nil { Issue.record("no findings: \(text)") }
        self.findings = findings
        program.kill()
    }

    /// Expects a problem in just these words.
    func expectProblem(
        _ check: String, _ text: String, command: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(check, "problem", text, command, sourceLocation)
        #expect(ending == .exit(1), sourceLocation: sourceLocation)
    }

    func expectNote(
        _ check: String, _ text: String, command: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(check, "note", text, command, sourceLocation)
    }

    func expectOK(
        _ check: String, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(check, "ok", text, nil, sourceLocation)
    }

    private func expect(
        _ check: String, _ state: String, _ text: String, _ command: String?,
        _ sourceLocation: SourceLocation
    ) {
        let expected = Found(state: state, text: text, command: command)
        let found = findings[check]
        #expect(found == expected, "\(self.text)", sourceLocation: sourceLocation)
    }
}

/// Another user than root, for whom things are closed.
enum Nobody {
    static let uid: UInt32 = 65_534

    /// What goes before a command that is run as this user.
    static let prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]

    /// Whether the tests may take on another user, and that user may run what was built.
    static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        let program = RunningProgram(prefix + [Repository.program("plingsctl"), "version"])
        return program.wait() == .exit(0)
    }()
}

/// A folder with the parts of a station, none of which is this machine's own.
final class Place: Sendable {
    let folder = TestFolder()

    var configuration: String { "\(folder.path)/config.toml" }
    var socket: String { "\(folder.path)/s.sock" }
    var store: String { "\(folder.path)/store" }

    /// A configuration with a store and a socket of its own, and no PC/SC reader unless told.
    init(_ more: String = "", readers: Bool = false) {
        configure(more, readers: readers)
        // As on a machine without systemd.
        for name in ["systemctl", "journalctl"] { try? script(name, "exit 1") }
    }

    func configure(_ more: String, readers: Bool = false) {
        folder.write(
            "config.toml",
            """
            [store]
            directory = "\(store)"
            [socket]
            path = "\(socket)"
            [readers]
            automatic = \(readers)
            \(more)
            """)
    }

    /// No pcscd and no systemd but what the test makes.
    var environment: [String: String] {
        [
            "PCSCLITE_CSOCK_NAME": "\(folder.path)/no-pcscd", "PLINGSD_SOCKET": "",
            "PATH": "\(folder.path)/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": folder.path, "no_proxy": "", "https_proxy": "", "http_proxy": "",
        ]
    }

    /// A program of this name in PATH that is a shell script.
    func script(_ name: String, _ text: String) throws {
        try FilePath.makeFolder("\(folder.path)/bin", mode: 0o755)
        folder.write("bin/\(name)", "#!/bin/sh\n\(text)\n", mode: 0o755)
    }

    /// systemd's words about plingsd, and the journal's last line.
    func service(_ properties: [String], lastWords: String = "") throws {
        let shown = (["Id=plingsd.service"] + properties).joined(separator: "\\n")
        try script("systemctl", "printf '\(shown)\\n'")
        try script("journalctl", "printf '%s\\n' '\(lastWords)'")
    }
}
