import Configuration
import Testing

@Suite("damaged files")
struct MutationTests {
    /// A generator with a fixed course, so that a failure can be repeated.
    ///
    /// Source: SplitMix64, Steele, Lea and Flood, OOPSLA 2014.
    struct SplitMix64: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private static let fragments = [
        "[", "]", "[[", "]]", "{", "}", "\"", "\"\"\"", "'''", "=", ".", ",", "#", "\n", "\\",
        "\\u",
        "\0", "é", "\u{FEFF}", "-", "_", "0x", "1e9", "inf", "1979-05-27", "true", "reader",
        " = 1\n",
    ]

    @Test("a damaged file is read or refused with places, never worse", arguments: 0..<8)
    func damaged(seed: UInt64) throws {
        let original = Array(try ExampleFile.uncommented().utf8)
        var generator = SplitMix64(state: seed)
        for _ in 0..<250 {
            let text = String(decoding: Self.mutate(original, &generator), as: UTF8.self)
            let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
            do {
                let read = try StationConfiguration.parse(text, file: "c.toml")
                #expect(!read.scan.hosts.isEmpty)
            } catch {
                #expect(!error.problems.isEmpty)
                #expect(error.problems.count <= 201)
                #expect(error.problems.allSatisfy { (1...lines).contains($0.line ?? 1) })
                #expect(error.description.utf8.count < 100_000)
            }
        }
    }

    private static func mutate(
        _ original: [UInt8], _ generator: inout SplitMix64
    ) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 1...40, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[start] = UInt8.random(in: 0...255, using: &generator)
            case 1 where bytes.count > 200: bytes.removeSubrange(start..<end)
            case 2: bytes.insert(contentsOf: bytes[start..<end], at: end)
            case 3: bytes.insert(contentsOf: bytes[start..<end].reversed(), at: start)
            default:
                let fragment = fragments.randomElement(using: &generator) ?? ""
                bytes.insert(contentsOf: Array(fragment.utf8), at: start)
            }
        }
        return bytes
    }
}
