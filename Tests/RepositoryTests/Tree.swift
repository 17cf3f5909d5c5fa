internal import FoundationEssentials

/// The rules that every file of the project keeps.
enum Tree {
    /// What may lie at the top, besides files whose names begin with a dot.
    static let top: Set<String> = [
        "Benchmarks", "CHANGELOG.md", "LICENSE", "Package.swift", "README.md", "Sources", "Tests",
        "config.example.toml", "debian", "docs", "sandbox", "scripts", "systemd", "udev",
    ]

    /// The longest that a source file may be.
    static let lines = 400

    /// What marks work that was left unfinished; in pieces, so that this file holds none.
    static let leftBehind = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "st" + "ub"]

    /// Where folders of one machine or one person begin.
    private static let privateFolders = ["Users", "home", "root", "work"]

    /// The home of the person in examples and tests.
    private static let exampleHome = "/home/anna"

    /// What is out of place at the top.
    static func complaintsAboutTop(of files: [String]) -> [String] {
        let names = Set(files.compactMap { $0.split(separator: "/").first.map(String.init) })
        return names.filter { !$0.hasPrefix(".") && !top.contains($0) }.sorted().map {
            "\($0) has no place at the top of the project"
        }
    }

    /// The source that is too long.
    static func complaintsAboutLength(of file: String, _ text: String) -> [String] {
        let count = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        return count > lines ? ["\(file) has \(count) lines; \(lines) is the most"] : []
    }

    /// The lines that mark unfinished work.
    static func complaintsAboutWork(in file: String, _ text: String) -> [String] {
        complaints(in: file, text) { line in
            let words = line.split { !$0.isLetter }
            return leftBehind.first { mark in words.contains { $0 == mark } }.map {
                "\($0) marks unfinished work"
            }
        }
    }

    /// The lines that name a place on somebody's machine.
    static func complaintsAboutPaths(in file: String, _ text: String) -> [String] {
        complaints(in: file, text) { line in
            let line = line.replacing(exampleHome, with: "")
            return privateFolders.lazy.map { "/\($0)/" }.first { names(line, $0) }.map {
                "\($0)… is a place on one machine"
            }
        }
    }

    /// Whether a path in the line begins like this: it is not the rest of a longer one.
    private static func names(_ line: Substring, _ path: String) -> Bool {
        var rest = line[...]
        while let found = rest.firstRange(of: path) {
            let before = rest[..<found.lowerBound].last
            if before.map({ !$0.isLetter && !$0.isNumber && !"._~}-".contains($0) }) ?? true {
                return true
            }
            rest = rest[found.upperBound...]
        }
        return false
    }

    /// The paths that a text names below some folders of the project.
    static func paths(in text: String, below folders: [String]) -> [String] {
        let words = text.split { !$0.isLetter && !$0.isNumber && !"._-/".contains($0) }
        return words.compactMap { word in
            let parts = word.split(separator: "/", omittingEmptySubsequences: false)
            guard let first = parts.first, folders.contains(String(first)) else { return nil }
            let path = word.reversed().drop { ".-/".contains($0) }.reversed()
            return path.contains("/") ? String(path) : nil
        }
    }

    private static func complaints(
        in file: String, _ text: String, _ verdict: (Substring) -> String?
    ) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            number, line in verdict(line).map { "\(file):\(number + 1): \($0)" }
        }
    }
}
