internal import FuzzTargets
internal import Testing

@Suite("kept inputs of the fuzzer")
struct CorpusTests {
    private static let names = FuzzTarget.all.map(\.name)

    @Test("every kept input is taken or refused, and what must hold holds", arguments: names)
    func replay(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let corpus = try #require(Corpus(target), "the corpus is missing or is no hexadecimal")
        #expect(corpus.inputs.count >= 10)
        for input in corpus.inputs {
            #expect(throws: Never.self) { try target.run(input) }
        }
    }

    @Test("no kept input gives a planted bug away", arguments: names)
    func planted(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let corpus = try #require(Corpus(target))
        let reached = corpus.inputs.filter { (try? target.run($0)) == true }
        #expect(reached.isEmpty)
    }
}
