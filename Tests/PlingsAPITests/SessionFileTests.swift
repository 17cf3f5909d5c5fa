import Glibc
import Platform
import Scanning
import TestRig
import Testing

@testable import PlingsAPI

@Suite("The session's file")
struct SessionFileTests {
    private let folder: TestFolder
    private var path: String { folder.path + "/session.json" }

    init() throws {
        folder = TestFolder()
    }

    private func session(_ refresh: String = "r1", account: String? = "u1") throws -> Session {
        let issued = IssuedSession(
            access: try BearerToken(tokenText), refreshToken: Secret(refresh),
            lifetime: .milliseconds(3_600_500), account: account)
        return Session(
            issued, from: "https://auth.plings.io",
            asked: Session.Instant(
                at: Timestamp(milliseconds: 1_780_000_000_123), bootID: "b1", bootNanoseconds: 77))
    }

    @Test("what was written is read again, whole, by another process too")
    func roundTrip() async throws {
        let written = try session()
        try await SessionFile(path: path).write(written)
        #expect(await SessionFile(path: path).read() == .session(written))
        #expect(written.expiresAt == Timestamp(milliseconds: 1_780_003_600_623))
    }

    @Test("it is for its owner alone, whatever lay there before, and nothing is left beside it")
    func mode() async throws {
        folder.write("session.json", "old", mode: 0o666)
        folder.write("session.json.new", "half", mode: 0o666)
        let file = SessionFile(path: path)
        try await file.write(try session())
        try await file.write(try session("r2", account: nil))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(access(path + ".new", F_OK) != 0)
        let last = try session("r2", account: nil)
        #expect(await file.read() == .session(last))
    }

    @Test("a half new one, left by a kill, does not touch the one before")
    func killed() async throws {
        let file = SessionFile(path: path)
        let written = try session()
        try await file.write(written)
        folder.write("session.json.new", #"{"version":1,"acc"#)
        #expect(await file.read() == .session(written))
    }

    @Test("what is no session is told apart from none, and shows nothing of its contents")
    func unusable() async throws {
        let file = SessionFile(path: path)
        #expect(await file.read() == .none)
        for text in ["", "{}", #"{"version":2}"#, tokenText] {
            folder.write("session.json", text)
            let unusable = SessionFile.Contents.unusable("\(path) does not hold a session")
            #expect(await file.read() == unusable)
        }
    }

    private static let damages: [(member: String, value: String)] = [
        ("lifetimeMilliseconds", "0"), ("lifetimeMilliseconds", "9223372036854775807"),
        ("bootNanoseconds", "18446744073709551615"), ("askedAt", "9223372036854775807"),
        ("askedAt", "-9223372036854775808"), ("version", "2"),
    ]

    @Test("numbers that nobody can reckon with make it unusable", arguments: damages)
    func numbers(_ row: (member: String, value: String)) async throws {
        let file = SessionFile(path: path)
        try await file.write(try session())
        let text = String(decoding: try session().json, as: UTF8.self)
        let start = try #require(text.firstRange(of: "\"\(row.member)\":")).upperBound
        let rest = text[start...].drop { $0 != "," && $0 != "}" }
        let damaged = text[..<start] + row.value + rest
        folder.write("session.json", String(damaged))
        let unusable = SessionFile.Contents.unusable("\(path) does not hold a session")
        #expect(await file.read() == unusable)
    }

    @Test("a removed session is gone, and removing none is fine")
    func remove() async throws {
        let file = SessionFile(path: path)
        try await file.write(try session())
        try await file.remove()
        try await file.remove()
        #expect(await file.read() == .none)
    }

    @Test("where it can't be written the one before stays, and the call is named")
    func failure() async throws {
        let missing = SessionFile(path: folder.path + "/none/session.json")
        let written = try session()
        var failure: SystemError?
        do {
            try await missing.write(written)
        } catch {
            failure = error
        }
        let sentence = "open \(folder.path)/none/session.json.new: No such file or directory"
        #expect(failure?.description == sentence)
    }

    @Test("a session shows no token")
    func hidden() throws {
        let session = try session("r3fresh")
        var shown = "\(session) \(String(reflecting: session))"
        dump(session, to: &shown)
        #expect(!shown.contains(tokenText))
        #expect(!shown.contains("r3fresh"))
    }
}
