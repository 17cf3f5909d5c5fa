import NFCForum
import Testing

@Suite("Recorded talks with tags")
struct RecordedTalkTests {
    private static let talks = RecordedTag.named(".talk")

    /// Commands and answers in turn: lines that begin with > and <.
    private func script(_ talk: RecordedTag) throws -> [(String, String)] {
        let lines = try talk.lines(".talk").filter { !$0.hasPrefix("#") }
        let marks = lines.indices.map { $0.isMultiple(of: 2) ? ">" : "<" }
        #expect(lines.map { String($0.prefix(1)) } == marks)
        let texts = lines.map { String($0.dropFirst(2)) }
        return stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
    }

    @Test("the tag is read as expected, with exactly these commands", arguments: talks)
    func talk(talk: RecordedTag) throws {
        let script = try script(talk)
        var tag = ScriptedCommands(script)
        let outcome = try Type4Reader.read(over: &tag, messageLimit: 24 * 1024)
        #expect(tag.rest.isEmpty)
        let report = try RecordedTag.describe(outcome) + ["commands: \(script.count)"]
        let expected = try talk.lines(".expected")
        #expect(report == expected)
    }

    @Test("a recorded talk says what it is", arguments: talks)
    func headers(talk: RecordedTag) throws {
        #expect(try talk.headers(".talk") == RecordedTag.headerKeys)
    }

    @Test("there are recorded talks at all")
    func present() {
        #expect(Self.talks.count >= 5)
    }
}

extension RecordedTag {
    fileprivate static func describe(_ outcome: Type4Reader.Outcome) throws -> [String] {
        guard case .ndef(let message) = outcome else { return ["outcome: \(outcome)"] }
        return try describe(message: message)
    }
}
