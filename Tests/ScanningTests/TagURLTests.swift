import Scanning
import Testing

@Suite("a tag URL")
struct TagURLTests {
    private static let reader = TagURL(hosts: ["s.plings.io"])
    private static let key = "4kyQCd5tMDjJVWJH5h95gUcjq3qTX2cj5nwjVyqBRwLo"

    /// What a text is to be read as, without the URL.
    enum Expected: Sendable, Equatable {
        case identifier(type: String, key: String, path: String, pointer: String?)
        case foreign
        case malformed

        static let abc = Expected.identifier(type: "n", key: "ABC", path: "4.2", pointer: nil)
    }

    struct Text: Sendable, CustomTestStringConvertible {
        let text: String
        let expected: Expected

        init(_ text: String, _ expected: Expected) {
            self.text = text
            self.expected = expected
        }

        var testDescription: String { String(text.prefix(120)) }
    }

    private func check(_ text: Text, by reader: TagURL = reader) {
        let read: Expected =
            switch reader.read(text.text) {
            case .foreign: .foreign
            case .malformed: .malformed
            case .identifier(let found):
                .identifier(
                    type: found.type, key: found.identifier, path: found.path,
                    pointer: found.classPointer)
            }
        #expect(read == text.expected)
    }

    private static let forms: [Text] = [
        Text(
            "https://s.plings.io/?t=q&i=\(key)&p=4.2.3.3.6&cp=4K7mX9abDcE",
            .identifier(type: "q", key: key, path: "4.2.3.3.6", pointer: "4K7mX9abDcE")),
        Text(
            "https://s.plings.io/?t=n&i=\(key)&p=2.G.2.2.7P.9j",
            .identifier(type: "n", key: key, path: "2.G.2.2.7P.9j", pointer: nil)),
        Text("https://s.plings.io/?t=n&i=ABC&p=4.2", .abc),
        Text("https://s.plings.io?t=n&i=ABC&p=4.2", .abc),
        Text("http://s.plings.io/?t=n&i=ABC&p=4.2", .abc),
        Text("http://s.plings.io?p=4.2&i=ABC&t=n", .abc),
        Text(
            "https://s.plings.io/?t=r&i=abc&p=1",
            .identifier(type: "r", key: "abc", path: "1", pointer: nil)),
        Text(
            "https://s.plings.io/?t=b&i=1&p=Z9",
            .identifier(type: "b", key: "1", path: "Z9", pointer: nil)),
    ]

    @Test("every documented form is read", arguments: forms)
    func documentedForms(text: Text) { check(text) }

    @Test("the URL is kept as it was read, with what is not ours")
    func keepsURL() {
        let url = "HTTPS://S.Plings.IO/?tx=9&t=n&i=ABC&svc=a%20b&p=4.2&price=3,50&dur"
        let expected = ScannedIdentifier(
            type: "n", identifier: "ABC", path: "4.2", classPointer: nil, url: url)
        #expect(Self.reader.read("\u{FEFF} \(url)\n") == .identifier(expected))
    }

    private static let schemesAndHosts: [Text] = [
        Text("HTTPS://S.PLINGS.IO/?t=n&i=ABC&p=4.2", .abc),
        Text("HtTp://s.Plings.iO?t=n&i=ABC&p=4.2", .abc),
        Text("https://s.plings.io:443/?t=n&i=ABC&p=4.2", .abc),
        Text("http://s.plings.io:80/?t=n&i=ABC&p=4.2", .abc),
        Text("https://s.plings.io:/?t=n&i=ABC&p=4.2", .abc),
        Text("https://s.plings.io:80/?t=n&i=ABC&p=4.2", .malformed),
        Text("http://s.plings.io:443/?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io:8443/?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io:0443/?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io:x/?t=n&i=ABC&p=4.2", .malformed),
        Text("https://user@s.plings.io/?t=n&i=ABC&p=4.2", .malformed),
        Text("https://user:secret@s.plings.io/?t=n&i=ABC&p=4.2", .malformed),
        Text("https://@s.plings.io/?t=n&i=ABC&p=4.2", .malformed),
        Text("https://evil.example\\@s.plings.io/?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io@evil.example/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://s.plings.io:443@evil.example/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://s.plings.io.evil.example/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://evil.example/s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://evil.example/?u=https://s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://x.s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://s.plings.io./?t=n&i=ABC&p=4.2", .foreign),
        Text("https://s.plings.io%2F?t=n&i=ABC&p=4.2", .foreign),
        Text("https://s%2Eplings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://192.0.2.7/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://[2001:db8::1]/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://[::1]:443/?t=n&i=ABC&p=4.2", .foreign),
        Text("https:///?t=n&i=ABC&p=4.2", .foreign),
        Text("https://?t=n&i=ABC&p=4.2", .foreign),
        Text("https:/s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("https:s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("//s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("ftp://s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("httpss://s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("x https://s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("", .foreign),
        Text("hello", .foreign),
        Text("://", .foreign),
        Text("\u{FEFF}\n", .foreign),
    ]

    @Test("it is ours by scheme and host alone, and plain", arguments: schemesAndHosts)
    func schemeAndHost(text: Text) { check(text) }

    private static let pathsAndFragments: [Text] = [
        Text("https://s.plings.io", .malformed),
        Text("https://s.plings.io/", .malformed),
        Text("https://s.plings.io/?", .malformed),
        Text("https://s.plings.io//?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io/x?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io/%20?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io/?t=n&i=ABC&p=4.2#", .malformed),
        Text("https://s.plings.io/?t=n&i=ABC&p=4.2#top", .malformed),
        Text("https://s.plings.io/#?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io#?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io/;t=n?t=n&i=ABC&p=4.2", .malformed),
    ]

    @Test("a path or a fragment is none of ours", arguments: pathsAndFragments)
    func pathAndFragment(text: Text) { check(text) }

    private static func query(_ query: String, _ expected: Expected) -> Text {
        Text("https://s.plings.io/?\(query)", expected)
    }

    private static func unknownType(_ type: String) -> Expected {
        .identifier(type: type, key: "ABC", path: "4.2", pointer: nil)
    }

    private static let required: [Text] = [
        query("i=ABC&p=4.2", .malformed),
        query("t=n&p=4.2", .malformed),
        query("t=n&i=ABC", .malformed),
        query("t=&i=ABC&p=4.2", .malformed),
        query("t=n&i=&p=4.2", .malformed),
        query("t=n&i=ABC&p=", .malformed),
        query("t=n&i&p=4.2", .malformed),
        query("t&i=ABC&p=4.2", .malformed),
        query("T=Q&I=ABC&P=4.2", .malformed),
        query("t=n&I=ABC&p=4.2", .malformed),
        query("t=x&i=ABC&p=4.2", unknownType("x")),
        query("t=Q&i=ABC&p=4.2", unknownType("Q")),
        query("t=uwb2&i=ABC&p=4.2", unknownType("uwb2")),
        query("t=n&i=ABC&p=4.2&", .abc),
        query("&&t=n&&i=ABC&p=4.2", .abc),
        query("t=n;i=ABC;p=4.2", .malformed),
        query("=&t=n&i=ABC&p=4.2&=x", .abc),
    ]

    @Test("t, i and p are required, in lower case; an unknown t passes", arguments: required)
    func requiredFields(text: Text) { check(text) }

    private static let keysAndPaths: [Text] = [
        query("t=n&i=0&p=4.2", .malformed),
        query("t=n&i=O&p=4.2", .malformed),
        query("t=n&i=I&p=4.2", .malformed),
        query("t=n&i=l&p=4.2", .malformed),
        query("t=n&i=A-B&p=4.2", .malformed),
        query("t=n&i=A+B&p=4.2", .malformed),
        query("t=n&i=AB C&p=4.2", .malformed),
        query("t=n&i=ABC=&p=4.2", .malformed),
        query("t=n&i=Ä&p=4.2", .malformed),
        query("t=n&i=ABC&p=.", .malformed),
        query("t=n&i=ABC&p=4.", .malformed),
        query("t=n&i=ABC&p=.4", .malformed),
        query("t=n&i=ABC&p=4..2", .malformed),
        query("t=n&i=ABC&p=4/2", .malformed),
        query("t=n&i=ABC&p=4,2", .malformed),
        query("t=n&i=ABC&p=４", .malformed),
        query("t=n&i=ABC&p=0.O.l", .identifier(type: "n", key: "ABC", path: "0.O.l", pointer: nil)),
    ]

    @Test("the key is Base58 and the path groups divided by dots", arguments: keysAndPaths)
    func keyAndPath(text: Text) { check(text) }

    private static func pointer(_ pointer: String?) -> Expected {
        .identifier(type: "n", key: "ABC", path: "4.2", pointer: pointer)
    }

    private static let pointers: [Text] = [
        query("t=n&i=ABC&p=4.2&cp=4K7mX9abDcE", pointer("4K7mX9abDcE")),
        query("cp=1&t=n&i=ABC&p=4.2", pointer("1")),
        query("t=n&i=ABC&p=4.2&cp=", pointer(nil)),
        query("t=n&i=ABC&p=4.2&cp", pointer(nil)),
        query("t=n&i=ABC&p=4.2&CP=abc", pointer(nil)),
        query("t=n&i=ABC&p=4.2&cp=0OIl", pointer(nil)),
        query("t=n&i=ABC&p=4.2&cp=a-b", pointer(nil)),
        query("t=n&i=ABC&p=4.2&cp=%00", .malformed),
        query("t=n&i=ABC&p=4.2&cp=\(String(repeating: "a", count: 201))", .malformed),
    ]

    @Test(
        "the class pointer may be missing, and a wrong one takes no identity", arguments: pointers)
    func classPointer(text: Text) { check(text) }

    private static let escapes: [Text] = [
        query("t=%6e&i=%41%42%43&p=4%2e2", .abc),
        query("t=n&i=%41BC&p=4%2E2", .abc),
        query("%74=n&%69=ABC&%70=4.2", .abc),
        query("t=n&i=%2541BC&p=4.2", .malformed),
        query("t=n&i=AB%&p=4.2", .malformed),
        query("t=n&i=AB%4&p=4.2", .malformed),
        query("t=n&i=AB%4g&p=4.2", .malformed),
        query("t=n&i=AB%+4&p=4.2", .malformed),
        query("t=%ff&i=ABC&p=4.2", .malformed),
        query("t=%c3%a9&i=ABC&p=4.2", unknownType("é")),
        query("t=n&i=ABC%26p&p=4.2", .malformed),
        query("t=n%26&i=ABC&p=4.2", unknownType("n&")),
        query("%zz=1&t=n&i=ABC&p=4.2", .abc),
        query("x=%zz&t=n&i=ABC&p=4.2", .abc),
    ]

    @Test("percent-encoding is decoded once", arguments: escapes)
    func percentEncoding(text: Text) { check(text) }

    private static let repeated: [Text] = [
        query("t=n&t=q&i=ABC&i=DEF&p=4.2&p=9", .abc),
        query("t=n&i=0&i=ABC&p=4.2", .malformed),
        query("t=n&i=&i=ABC&p=4.2", .malformed),
        query("t=n&i=%zz&i=ABC&p=4.2", .malformed),
        query("t=n&%69=ABC&i=DEF&p=4.2", .abc),
        query("I=DEF&t=n&i=ABC&p=4.2", .abc),
        query("cp=a&cp=b&t=n&i=ABC&p=4.2", pointer("a")),
    ]

    @Test("the first of repeated fields counts, whatever it is worth", arguments: repeated)
    func repeatedFields(text: Text) { check(text) }

    private static func long(_ count: Int, _ unit: String = "A") -> String {
        String(repeating: unit, count: count)
    }

    private static let lengths: [Text] = [
        query(
            "t=n&i=\(long(200))&p=4.2",
            .identifier(type: "n", key: long(200), path: "4.2", pointer: nil)),
        query("t=n&i=\(long(201))&p=4.2", .malformed),
        query(
            "t=n&i=ABC&p=\(long(200))",
            .identifier(type: "n", key: "ABC", path: long(200), pointer: nil)),
        query("t=n&i=ABC&p=\(long(201))", .malformed),
        query("t=\(long(200))&i=ABC&p=4.2", unknownType(long(200))),
        query("t=\(long(201))&i=ABC&p=4.2", .malformed),
        query("t=\(long(200, "é"))&i=ABC&p=4.2", unknownType(long(200, "é"))),
        query(
            "t=n&i=\(long(200, "%41"))&p=4.2",
            .identifier(type: "n", key: long(200), path: "4.2", pointer: nil)),
        query("t=n&i=\(long(201, "%41"))&p=4.2", .malformed),
        query("t=n&i=ABC&p=4.2&cp=\(long(200, "a"))", pointer(long(200, "a"))),
        query("t=n&i=ABC&p=4.2&note=\(long(5000))", .abc),
    ]

    @Test("a field of 200 characters is read, one of 201 is not", arguments: lengths)
    func fieldLengths(text: Text) { check(text) }

    private static let whiteSpace: [Text] = [
        Text("https://s.plings.io/?t=n&i=ABC&p=4.2\n", .abc),
        Text("https://s.plings.io/?t=n&i=ABC&p=4.2\r\n", .abc),
        Text(" \t\r\nhttps://s.plings.io/?t=n&i=ABC&p=4.2 \u{A0}\u{2028}", .abc),
        Text("\u{FEFF}https://s.plings.io/?t=n&i=ABC&p=4.2", .abc),
        Text("\u{FEFF} https://s.plings.io/?t=n&i=ABC&p=4.2", .abc),
        Text("\u{FEFF}\u{FEFF}https://s.plings.io/?t=n&i=ABC&p=4.2", .foreign),
        Text("https://s.plings.io/?t=n&i=ABC\n&p=4.2", .malformed),
        Text("https://s.plings.io/?t=n&i=ABC&p=4.2&x=\u{0}", .malformed),
        Text("https://s.plings.io/?t=n\u{7F}&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io/?t=n&i=ABC&p=4.2&x=\u{9B}31m", .malformed),
        Text("https://s.plings.io/\u{1B}?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io/?t=n&i=ABC%0A&p=4.2", .malformed),
        Text("https://s.plings.io/?t=n%1b&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io/?t=n%c2%9b&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io/?t=n&i=ABC&p=4.2&x=%0a", .abc),
        Text("https://s.plings.io/?t=n&i= ABC&p=4.2", .malformed),
        Text("https://s.plings.io\u{7}/?t=n&i=ABC&p=4.2", .foreign),
    ]

    @Test(
        "a byte order mark and white space around it go, control characters within don't pass",
        arguments: whiteSpace)
    func outerAndInner(text: Text) { check(text) }

    // A combining mark joins the delimiter before it in Swift's view of characters.
    private static let combining: [Text] = [
        query("t=n&i=ABC&p=4.2&\u{301}note=1", .abc),
        query("\u{301}x=1&t=n&i=ABC&p=4.2", .abc),
        query("t=n&i=ABC&p=4.2&x=\u{301}", .abc),
        query("t=\u{301}n&i=ABC&p=4.2", unknownType("\u{301}n")),
        Text("https://s.plings.io/\u{301}?t=n&i=ABC&p=4.2", .malformed),
        Text("https://s.plings.io/?t=n&i=ABC&p=4.2#\u{301}", .malformed),
        Text("https://s.plings.io@\u{301}evil.example/?t=n&i=ABC&p=4.2", .foreign),
    ]

    @Test("combining marks hide no delimiter", arguments: combining)
    func combiningMarks(text: Text) { check(text) }

    @Test("the configured hosts count, in any case, and no others")
    func configuredHosts() {
        let reader = TagURL(hosts: ["T.Example", "tags.example"])
        check(Text("https://t.example/?t=n&i=ABC&p=4.2", .abc), by: reader)
        check(Text("https://TAGS.example/?t=n&i=ABC&p=4.2", .abc), by: reader)
        check(Text("https://s.plings.io/?t=n&i=ABC&p=4.2", .foreign), by: reader)
        check(Text("https://s.plings.io/?t=n&i=ABC&p=4.2", .foreign), by: TagURL(hosts: []))
    }
}
