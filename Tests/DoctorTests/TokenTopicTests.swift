import Glibc
import PlingsAPI
import Scanning
import TestRig
import Testing

@testable import Doctor

@Suite("What is said of the token")
struct TokenTopicTests {
    private static let now: Int64 = 1_780_000_000_000
    private let folder = TestFolder()

    /// A token with these claims, unsigned.
    private static func jwt(_ claims: String) -> String {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var bits: UInt32 = 0
        var count = 0
        var text: [UInt8] = []
        for byte in claims.utf8 {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        return "e30.\(String(decoding: text, as: UTF8.self)).s3cr3t"
    }

    private func findings(
        _ file: String?, canLogIn: Bool = false, configuration: String = ""
    ) -> [Finding] {
        var surroundings = Surroundings(environment: [:])
        surroundings.user = 1000
        var (facts, _) = TokenFacts.look(surroundings, file: file, store: folder.path)
        facts.canLogIn = canLogIn
        facts.configuration = configuration
        return facts.findings(now: Self.now)
    }

    @Test("its account and its end are told, and nothing of the token itself")
    func good() {
        let claims = #"{"sub":"anna","exp":1780003600}"#
        let file = folder.write("token", Self.jwt(claims))
        let findings = findings(file)
        #expect(
            findings.map(\.text) == [
                "the token in \(file) is of the account anna and valid until 2026-05-28T21:26:40Z"
            ])
        let other = folder.write("token", "opaque")
        #expect(
            self.findings(other).map(\.text) == [
                "the token in \(file) is of an account it does not name and says no end"
            ])
    }

    @Test("one that has expired is told with when")
    func expired() {
        let file = folder.write("token", Self.jwt(#"{"sub":"anna","exp":1779999999.5}"#))
        let findings = findings(file)
        #expect(
            findings.map(\.text) == [
                "the token in \(file) expired at 2026-05-28T20:26:39Z: it must be replaced by a new "
                    + "one"
            ])
        #expect(findings[0].command == "sudoedit \(file)")
    }

    @Test("none at all, and a file that is not there, are told apart")
    func missing() {
        let none = findings(nil, configuration: "/etc/plingsd/my config.toml")
        #expect(
            none.map(\.text) == [
                "there is no token for the API, so nothing is delivered: neither `auth_url` nor "
                    + "`token_file` is set under [api]"
            ])
        #expect(none[0].command == "sudoedit '/etc/plingsd/my config.toml'")
        let anonymous = findings(nil, canLogIn: true)
        #expect(
            anonymous.map(\.text) == [
                "nobody has logged the station in, so nothing is delivered"
            ])
        #expect(anonymous[0].command == "plingsctl login")
        folder.write("session.json", "{}")
        #expect(findings(nil) == [])
        #expect(
            findings("\(folder.path)/none").map(\.text) == [
                "the token file \(folder.path)/none is not there"
            ])
    }

    @Test("a session is told with whose it is; its token is tried while it has not expired")
    func session() async throws {
        let asked = Session.Instant(
            at: Timestamp(milliseconds: Self.now), bootID: "b", bootNanoseconds: 1)
        let issued = IssuedSession(
            access: try BearerToken("a.b.c"), refreshToken: Secret("r"), lifetime: .seconds(3600),
            account: "anna")
        try await SessionFile(path: "\(folder.path)/session.json").write(
            Session(issued, from: "https://auth.plings.io", asked: asked))
        let surroundings = Surroundings(environment: [:])
        for (age, isTried) in [(3599, true), (3600, false)] {
            let now = Self.now + Int64(age) * 1000
            let (facts, token) = TokenFacts.look(
                surroundings, file: nil, store: folder.path, now: now)
            #expect(
                facts.findings(now: now).map(\.text) == [
                    "the station is logged in as the account anna"
                ])
            #expect((token != nil) == isTried)
        }
    }

    @Test("one that others can read is told, by everybody a problem and by its group a note")
    func exposed() {
        let file = folder.write("token", "opaque")
        chmod(file, 0o644)
        let everybody = findings(file)
        #expect(everybody.map(\.check) == ["token-good", "token-exposed"])
        #expect(
            everybody[1].text
                == "everybody on this machine can read the token file \(file) (mode 0644)")
        #expect(everybody[1].command == "sudo chmod 0600 \(file)")
        chmod(file, 0o640)
        let group = findings(file)
        #expect(group.map(\.check) == ["token-good", "token-group-reads"])
        #expect(group[1].text == "the group of the token file \(file) can read it (mode 0640)")
    }

    @Test("what is no token is told without what it is")
    func unusable() {
        let file = folder.write("token", "s3cr3t with blanks")
        let findings = findings(file)
        #expect(
            findings.map(\.text) == [
                "the token can't be used: the token has white space in it: a file holds one token "
                    + "alone"
            ])
        folder.write("token", "")
        #expect(self.findings(file).map(\.text) == ["the token can't be used: the token is empty"])
        #expect(self.findings(folder.path)[0].check == "token-unusable")
    }

    @Test("a file that root reads and plingsd can't is told with its owner")
    func notForStation() {
        let facts = TokenFacts(
            file: "/etc/plingsd/token", content: .good(account: nil, expiry: nil),
            look: FileLook(uid: 0, gid: 0, mode: 0o600),
            service: SystemUser(name: "plingsd", uid: 990, gid: 990, groups: [990, 20]),
            isRoot: true)
        let finding = facts.findings(now: Self.now)[1]
        #expect(
            finding.text == "plingsd may not read the token file /etc/plingsd/token: it belongs to "
                + "root, mode 0600")
        #expect(
            finding.command == "sudo chown plingsd:plings /etc/plingsd/token && sudo chmod 0600 "
                + "/etc/plingsd/token")
    }

    @Test("a file's mode is read as the kernel reads it")
    func modes() {
        let member = SystemUser(name: "a", uid: 5, gid: 7, groups: [7, 8])
        #expect(FileLook(uid: 1, gid: 8, mode: 0o640).lets(member, do: 4))
        #expect(!FileLook(uid: 1, gid: 8, mode: 0o604).lets(member, do: 4))
        #expect(!FileLook(uid: 5, gid: 8, mode: 0o040).lets(member, do: 4))
        #expect(FileLook(uid: 1, gid: 2, mode: 0o004).lets(member, do: 4))
        let root = SystemUser(name: "root", uid: 0, gid: 0, groups: [0])
        #expect(FileLook(uid: 1, gid: 2, mode: 0).lets(root, do: 6))
    }

    @Test("a file that is closed to us is a note, with what opens it")
    func closed() {
        let facts = TokenFacts(
            file: "/etc/plingsd/token", content: .closed, look: nil, service: nil, isRoot: false)
        #expect(
            facts.findings(now: Self.now).map(\.text) == [
                "the token file /etc/plingsd/token may not be read by you, so the token was not "
                    + "tried: run as root to try it"
            ])
    }
}
