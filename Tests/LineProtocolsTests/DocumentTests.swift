import LineProtocols
import Platform
import Scanning
import TestRig
import Testing

/// A fenced block of a page.
struct Fence: Sendable, CustomTestStringConvertible {
    /// The words after the fence: the language, then what it is.
    let words: [String]
    let lines: [String]

    var testDescription: String { "\(words.joined(separator: " ")): \(lines.first ?? "")" }

    /// All blocks of a page.
    static func all(in page: String) -> [Fence] {
        var fences: [Fence] = []
        var open: (words: [String], lines: [String])?
        let text = Repository.text(of: page) ?? ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("```") else {
                open?.lines.append(String(line))
                continue
            }
            if let (words, lines) = open { fences.append(Fence(words: words, lines: lines)) }
            open =
                open == nil ? (line.dropFirst(3).split(separator: " ").map(String.init), []) : nil
        }
        return fences
    }
}

@Suite("the protocols' documentation")
struct DocumentTests {
    private static let station = Fence.all(in: "docs/protocol.md")
    private static let readers = Fence.all(in: "docs/reader-protocol.md")

    private static func kind(_ words: [String]) -> ProtocolValidator.Kind? {
        switch words {
        case ["json", "server"]: .server
        case ["json", "client"]: .client
        case ["json", "reader"]: .reader
        default:
            words.count == 3 && words.starts(with: ["json", "reply"]) ? .reply(words[2]) : nil
        }
    }

    private static let examples = (station + readers).filter { $0.words.first == "json" }

    @Test("every example is a line as the schema has it", arguments: examples)
    func examplesAreValid(fence: Fence) throws {
        let kind = try #require(Self.kind(fence.words))
        #expect(!fence.lines.isEmpty)
        for line in fence.lines {
            #expect(ProtocolValidator.shared.check(Array(line.utf8), as: kind) == nil)
        }
    }

    @Test("every block is an example, or of a language that is none")
    func languages() {
        let others = (Self.station + Self.readers).compactMap(\.words.first)
            .filter { $0 != "json" }
        #expect(Set(others) == ["sh", "toml", "python"])
    }

    @Test("every request in it is one to the station, with parameters that can be read")
    func requests() throws {
        for line in Self.lines("client") {
            guard case .request(let request) = StationRequest.read(Array(line.utf8)) else {
                Issue.record("no request: \(line)")
                continue
            }
            switch request.method {
            case "subscribe": _ = try request.parameters(SubscribeParameters.self)
            case "scan.submit": _ = try request.parameters(SubmitParameters.self)
            case "outbox.list": _ = try request.parameters(JobsParameters.self)
            case "outbox.get": _ = try request.parameters(JobParameters.self)
            case "outbox.retry", "outbox.discard":
                _ = try request.parameters(DecisionParameters.self)
            case "account.login": _ = try request.parameters(LoginParameters.self)
            default: _ = try request.parameters(EmptyObject.self)
            }
        }
    }

    @Test("every reader's line in it is a message to the station")
    func readerLines() throws {
        var kinds: Set<String> = []
        for fence in Self.readers where fence.words == ["json", "reader"] {
            for line in fence.lines {
                _ = try JSONLine.decode(ReaderMessage.self, from: Array(line.utf8))
                kinds.formUnion(try JSONValue(parsing: line).object?.keys.map { $0 } ?? [])
            }
        }
        #expect(kinds == ["reader", "device", "arrive", "depart", "alive"])
    }

    private static func lines(_ kind: String) -> [String] {
        station.filter { $0.words == ["json", kind] }.flatMap(\.lines)
    }

    @Test("every event, outcome, reason and state has an example or a row")
    func complete() throws {
        let events = try Self.lines("server").compactMap { try JSONValue(parsing: $0)["params"] }
        #expect(Set(events.compactMap { $0["type"]?.string }) == Set(Event.types))
        let text = try #require(Repository.text(of: "docs/protocol.md"))
        let outcomes: [ResolutionEvent.Outcome] = [
            .knownObject, .unknownSpecific, .unknownGeneral, .duplicate, .error, .offline,
        ]
        let reasons: [ResolutionEvent.OfflineReason] = [
            .network, .unauthorised, .notConfigured, .waiting,
        ]
        let states: [APIState] = [.online, .offline, .unauthorised, .notConfigured]
        let words =
            outcomes.map(\.rawValue) + reasons.map(\.rawValue) + states.map(\.rawValue)
            + Unrecognised.allCases.map(\.rawValue)
        for word in words { #expect(text.contains("\n| `\(word)` |"), "\(word)") }
    }

    @Test("every link within the pages leads somewhere")
    func links() throws {
        for page in ["docs/protocol.md", "docs/reader-protocol.md"] {
            let text = try #require(Repository.text(of: page))
            let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
                .map { $0.drop { $0 == "#" }.dropFirst().lowercased() }
                .map { String($0.map { $0 == " " ? "-" : $0 }.filter { !",.*".contains($0) }) }
            for part in text.split(separator: "](").dropFirst() {
                let target = part.prefix { $0 != ")" }
                if target.hasPrefix("#") {
                    #expect(headings.contains(String(target.dropFirst())), "\(target)")
                } else {
                    #expect(FilePath.exists(Repository.path("docs/\(target)")), "\(target)")
                }
            }
        }
    }
}
