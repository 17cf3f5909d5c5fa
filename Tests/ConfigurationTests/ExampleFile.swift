import FoundationEssentials

/// The example file at the top of the project, as an installer reads it.
enum ExampleFile {
    /// A key as the example shows it for the first time in its section.
    struct Entry: Equatable {
        let key: String
        let value: String

        /// The comment before the key, on one line.
        let comment: String
    }

    /// The file's text.
    static func text() throws -> String {
        let top = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: top.appendingPathComponent("config.example.toml"))
        return String(decoding: data, as: UTF8.self)
    }

    /// The file's text with every key and header in use.
    static func uncommented(without left: [String] = []) throws -> String {
        let lines = try text().split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in
            let content = line.dropFirst(2)
            if let key = assignment(content)?.key, left.contains(key) { return String(line) }
            let isUnused = line.hasPrefix("# ") && (isHeader(content) || assignment(content) != nil)
            return String(isUnused ? content : line)
        }.joined(separator: "\n")
    }

    /// The keys that are in use in the file as it is.
    static func linesInUse() throws -> [Substring] {
        try text().split(separator: "\n").filter { !$0.hasPrefix("#") && !isHeader($0) }
    }

    /// The keys of every section, by the section's header.
    static func entries() throws -> [String: [Entry]] {
        var entries: [String: [Entry]] = [:]
        var header = ""
        var comment: [Substring] = []
        for line in try text().split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.hasPrefix("# ") ? line.dropFirst(2) : line
            if isHeader(content) {
                header = String(content)
                comment = []
            } else if let (key, value) = assignment(content) {
                let isFirst = !entries[header, default: []].contains { $0.key == key }
                if isFirst {
                    entries[header, default: []].append(
                        Entry(key: key, value: value, comment: comment.joined(separator: " ")))
                }
                comment = []
            } else if line.hasPrefix("# ") {
                comment.append(content)
            } else {
                comment = []
            }
        }
        return entries
    }

    private static func isHeader(_ line: Substring) -> Bool {
        line.hasPrefix("[") && line.hasSuffix("]") && !line.contains(" ")
    }

    private static func assignment(_ line: Substring) -> (key: String, value: String)? {
        guard let equals = line.firstIndex(of: "="), line[..<equals].hasSuffix(" ") else {
            return nil
        }
        let key = line[..<equals].dropLast()
        let isKey = !key.isEmpty && key.allSatisfy { $0.isLetter || $0 == "_" }
        return isKey ? (String(key), String(line[equals...].dropFirst(2))) : nil
    }
}
