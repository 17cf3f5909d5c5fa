import Glibc
import Platform
import TestRig
import Testing

@testable import PlingsAPI

/// A JWT around a payload that is given in JSON.
private func jwt(_ payload: String) -> String {
    let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var encoded: [UInt8] = []
    var bits = 0
    var count = 0
    for byte in payload.utf8 {
        bits = bits << 8 | Int(byte)
        count += 8
        while count >= 6 {
            count -= 6
            encoded.append(base64[bits >> count & 63])
        }
        bits &= 1 << count - 1
    }
    if count > 0 { encoded.append(base64[bits << (6 - count) & 63]) }
    return "eyJhbGciOiJIUzI1NiJ9." + String(decoding: encoded, as: UTF8.self) + ".c2ln"
}

private let accounts: [(String, String?)] = [
    (
        jwt(#"{"sub":"11111111-1111-1111-1111-111111111111","exp":1}"#),
        "11111111-1111-1111-1111-111111111111"
    ),
    (jwt(#"{"sub":"Åsa?>~"}"#), "Åsa?>~"),
    (jwt(#"{"sub":"a"}"#), "a"),
    (jwt(#"{"sub":"ab"}"#), "ab"),
    (jwt(#"{"sub":""}"#), nil),
    (jwt(#"{"sub":7}"#), nil),
    (jwt(#"{"iss":"x"}"#), nil),
    (jwt(#"{"sub":"\#(String(repeating: "x", count: 201))"}"#), nil),
    (jwt("no json"), nil),
    ("a.%%%.c", nil),
    ("token-anna", nil),
    ("a.b", nil),
]

private let badTokens: [(String, TokenError, String)] = [
    ("", .empty, "the token is empty"),
    (" \n\t", .empty, "the token is empty"),
    (
        "two tokens", .innerWhiteSpace,
        "the token has white space in it: a file holds one token alone"
    ),
    (
        "a\r\nX-Header: b", .innerWhiteSpace,
        "the token has white space in it: a file holds one token alone"
    ),
    ("a\u{0}b", .invalidCharacter, "the token has a character in it that no token has"),
    ("a\u{7f}b", .invalidCharacter, "the token has a character in it that no token has"),
    ("nyckelå", .invalidCharacter, "the token has a character in it that no token has"),
]

@Suite("Tokens")
struct TokenTests {
    @Test("the account is the sub of a JWT where it can be read", arguments: accounts)
    func account(_ token: String, _ account: String?) throws {
        #expect(try BearerToken(token).account == account)
    }

    @Test("white space around a token is no part of it")
    func trimmed() throws {
        #expect(try BearerToken("\n\t abc.def \r\n") == BearerToken("abc.def"))
    }

    @Test("what can't stand in a header is no token", arguments: badTokens)
    func refused(_ text: String, _ error: TokenError, _ sentence: String) {
        #expect(throws: error) { try BearerToken(text) }
        #expect(error.description == sentence)
    }

    @Test("a token shows itself nowhere")
    func hidden() throws {
        let token = try BearerToken(tokenText)
        let file = TokenFile(token: token, warning: nil)
        var dumped = ""
        dump(file, to: &dumped)
        dump(token, to: &dumped)
        dump(token.secret, to: &dumped)
        let shown = [
            "\(token)", "\(token.secret)", "\(file)", String(reflecting: token),
            String(reflecting: file), String(reflecting: token.secret), dumped,
        ]
        for text in shown { #expect(!text.contains("s3cr3t")) }
        #expect("\(token)" == "•••")
    }

    @Test("a secret is masked wherever it is repeated")
    func masked() {
        let secret = Secret("abc")
        #expect(secret.masked(in: "xabcabc\u{301}ab") == "x••••••\u{301}ab")
        #expect(secret.masked(in: "ab") == "ab")
        #expect(Secret("").masked(in: "ab") == "ab")
    }
}

@Suite("Token files")
struct TokenFileTests {
    @Test("a file for its owner alone is read without a warning")
    func read() throws {
        let folder = TestFolder()
        let path = folder.write("token", "token-anna\n")
        let file = try TokenFile.read(path)
        let token = try BearerToken("token-anna")
        #expect(file == TokenFile(token: token, warning: nil))
    }

    @Test("a file that others can read is used, with a warning")
    func readableByOthers() throws {
        let folder = TestFolder()
        let world = try TokenFile.read(folder.write("world", "t", mode: 0o644))
        #expect(world.warning == .readableByEverybody(mode: 0o644))
        #expect(
            world.warning?.description == "the token file can be read by everybody (mode 0644)")
        let group = try TokenFile.read(folder.write("group", "t", mode: 0o640))
        #expect(group.warning == .readableByGroup(mode: 0o640))
        #expect(
            group.warning?.description == "the token file can be read by its group (mode 0640)")
    }

    @Test("a credential of systemd's is no reason to warn")
    func credential() throws {
        let folder = TestFolder()
        let path = folder.write("token", "t", mode: 0o440)
        #expect(try TokenFile.read(path, credentials: folder.path).warning == nil)
        let other = try TokenFile.read(path, credentials: "/elsewhere")
        #expect(other.warning == .readableByGroup(mode: 0o440))
    }

    @Test("what is no token file is refused with its path and the reason")
    func refused() throws {
        let folder = TestFolder()
        let fifo = folder.path + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        let cases: [(String, String)] = [
            ("/none/such", "the token file /none/such: No such file or directory"),
            (folder.path, "the token file \(folder.path): Invalid argument"),
            (fifo, "the token file \(fifo): Invalid argument"),
            (
                folder.write("long", String(repeating: "x", count: 16_385)),
                "the token is longer than 16384 bytes"
            ),
            (folder.write("empty", ""), "the token is empty"),
        ]
        for (path, sentence) in cases {
            let error = thrown(TokenError.self) { _ = try TokenFile.read(path) }
            #expect(error?.description == sentence)
        }
    }

    @Test("the longest token is taken")
    func longest() throws {
        let folder = TestFolder()
        let path = folder.write("token", String(repeating: "x", count: 16_384))
        _ = try TokenFile.read(path)
    }
}
