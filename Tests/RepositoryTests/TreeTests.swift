internal import TestRig
internal import Testing

/// The project's files and their texts, without those that hold no text.
private func texts(below folders: String...) async throws -> [(file: String, text: String)] {
    try await Repository.files().compactMap { file in
        guard folders.isEmpty || folders.contains(where: { file.hasPrefix($0 + "/") }) else {
            return nil
        }
        return Repository.text(of: file).map { (file, $0) }
    }
}

@Test("the top level holds what a newcomer expects there and nothing else")
func topLevel() async throws {
    #expect(try await Tree.complaintsAboutTop(of: Repository.files()) == [])
    #expect(
        Tree.complaintsAboutTop(of: ["README.md", ".ci/run", "notes/plan.md", "a.out"]) == [
            "a.out has no place at the top of the project",
            "notes has no place at the top of the project",
        ])
}

@Test("no source is longer than a reader can keep in mind")
func sourceLength() async throws {
    let sources = try await texts(below: "Sources")
    try #require(!sources.isEmpty)
    #expect(sources.flatMap { Tree.complaintsAboutLength(of: $0.file, $0.text) } == [])
    let long = String(repeating: "line\n", count: 401)
    #expect(
        Tree.complaintsAboutLength(of: "Sources/A/B.swift", long) == [
            "Sources/A/B.swift has 401 lines; 400 is the most"
        ])
    #expect(Tree.complaintsAboutLength(of: "Sources/A/B.swift", String(long.dropLast(5))) == [])
}

@Test("nothing is marked as unfinished")
func unfinishedWork() async throws {
    let texts = try await texts(
        below: "Sources", "Tests", "scripts", "sandbox", "Benchmarks", "systemd", "udev", ".ci")
    #expect(texts.flatMap { Tree.complaintsAboutWork(in: $0.file, $0.text) } == [])
    for mark in Tree.leftBehind {
        #expect(
            Tree.complaintsAboutWork(in: "a.py", "x = 1\n# \(mark): y\n\(mark)born") == [
                "a.py:2: \(mark) marks unfinished work"
            ])
    }
}

@Test("no file names a place on somebody's own machine")
func privatePaths() async throws {
    let texts = try await texts()
    #expect(texts.flatMap { Tree.complaintsAboutPaths(in: $0.file, $0.text) } == [])
    #expect(Tree.complaintsAboutPaths(in: "a", "$base/root/x ~/work/y /home/anna/z") == [])
    let home = "/home"
    #expect(
        Tree.complaintsAboutPaths(in: "a", "\ncd \(home)/eve") == [
            "a:2: \(home)/… is a place on one machine"
        ])
}

@Test("every file that a document or script names is there")
func namedFiles() async throws {
    let files = try await Repository.files()
    let folders = ["docs", "sandbox", "scripts", "systemd", "udev", ".ci"]
    for file in files where file.hasSuffix(".md") || file.hasPrefix("scripts/") {
        let named = Set(Tree.paths(in: Repository.text(of: file) ?? "", below: folders))
        for name in named.sorted()
        where !files.contains(where: { $0 == name || $0.hasPrefix(name + "/") }) {
            Issue.record("\(file) names \(name), which is not there")
        }
    }
    #expect(
        Tree.paths(in: "See `docs/a-b.md`, scripts/demo. x/docs/c docs/", below: folders) == [
            "docs/a-b.md", "scripts/demo",
        ])
}

@Test("the README names the two commands to begin with")
func readmeCommands() throws {
    let readme = try #require(Repository.text(of: "README.md"))
    #expect(
        Set(Tree.paths(in: readme, below: ["scripts"])).isSuperset(of: [
            "scripts/demo", "scripts/test",
        ]))
}
