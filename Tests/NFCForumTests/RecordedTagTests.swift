import FoundationEssentials
import NFCForum
import Scanning
import Testing

/// A tag's memory in Fixtures, and beside it what is expected of it, line for line.
struct RecordedTag: Sendable, CustomTestStringConvertible {
    let name: String
    var testDescription: String { name }

    static let folder =
        String(#filePath.dropLast("RecordedTagTests.swift".count))
        + "Fixtures/"

    static let all = named(".tag")

    /// The recordings whose files end in this.
    static func named(_ suffix: String) -> [RecordedTag] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(suffix) }.sorted()
            .map { RecordedTag(name: String($0.dropLast(suffix.count))) }
    }

    static let headerKeys = ["device", "library version", "oddity", "source"]

    /// What stands in front of the colons of the header.
    func headers(_ suffix: String) throws -> [String] {
        try lines(suffix).filter { $0.hasPrefix("# ") }
            .map { String($0.dropFirst(2).prefix { $0 != ":" }) }
    }

    func lines(_ suffix: String) throws -> [String] {
        let path = Self.folder + name + suffix
        let data = try Data(contentsOf: URL(filePath: path))
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The memory: lines of a page number and 16 bytes, then the number of pages.
    func memory() throws -> [UInt8] {
        var memory: [UInt8] = []
        for line in try lines(".tag") where !line.hasPrefix("#") {
            let parts = line.split(separator: ":")
            if parts[0] == "pages" {
                let count = 4 * (Int(parts[1].drop { $0 == " " }) ?? 0)
                memory += [UInt8](repeating: 0, count: max(0, count - memory.count))
            } else {
                #expect(Int(parts[0], radix: 16) == memory.count / 4)
                memory += bytes(String(parts[1]))
            }
        }
        return memory
    }
}

@Suite("Recorded tags")
struct RecordedTagTests {
    @Test("a recorded tag is read as expected, with no more reads", arguments: RecordedTag.all)
    func recorded(tag: RecordedTag) throws {
        var transport = MemoryTag(try tag.memory())
        let outcome = try Type2Reader.read(over: &transport)
        let report = try describe(outcome) + ["reads: \(transport.reads.count)"]
        let expected = try tag.lines(".expected")
        #expect(report == expected)
    }

    @Test("a recorded tag says what it is", arguments: RecordedTag.all)
    func headers(tag: RecordedTag) throws {
        #expect(try tag.headers(".tag") == RecordedTag.headerKeys)
    }

    @Test("there are recorded tags at all")
    func present() {
        #expect(RecordedTag.all.count >= 10)
    }

    private func describe(_ outcome: Type2Reader.Outcome) throws -> [String] {
        guard case .ndef(let bytes) = outcome else { return ["outcome: \(outcome)"] }
        return try RecordedTag.describe(message: bytes)
    }
}

extension RecordedTag {
    /// What a message says, line for line.
    static func describe(message bytes: [UInt8]) throws -> [String] {
        let message = try NDEFMessage(bytes)
        guard let chosen = message.chosen(isTagURL: { _ in false }) else {
            return ["outcome: ndef"] + (message.isBlank ? ["isBlank"] : [])
        }
        return ["outcome: ndef"] + describe(chosen)
    }

    private static func describe(_ content: NDEFContent) -> [String] {
        switch content {
        case .smartPoster(let poster):
            ["smartPoster: \(poster.uri)"] + poster.titles.map { "title: \($0.text)" }
        case .uri(let text): ["uri: \(text)"]
        case .absoluteURI(let text): ["absoluteURI: \(text)"]
        case .text(let record): ["text: \(record.text)", "language: \(record.language)"]
        }
    }
}
