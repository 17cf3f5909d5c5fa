/// Reads a whole configuration, noting everything that is wrong with it.
struct DocumentReader {
    private let sections: [String: TOMLMember]

    /// What has been found wrong so far.
    private(set) var report: ProblemReport

    /// Takes a document and notes the sections it may not hold.
    ///
    /// - Parameters:
    ///   - root: The document's root table; nil reads as an empty document.
    ///   - report: Where problems are noted.
    init(root: TOMLNode?, report: ProblemReport) {
        self.report = report
        let entries = root?.members ?? []
        sections = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
        let known = ConfigurationKeys.sections.map(\.name)
        for entry in entries where !known.contains(entry.key) {
            self.report.add(Self.unknown(entry, known: known), at: entry.place)
        }
    }

    /// Reads one section.
    ///
    /// - Parameters:
    ///   - section: Which section.
    ///   - make: Makes its value.
    /// - Returns: The value.
    mutating func read<Value>(
        _ section: ConfigurationSection, _ make: (inout SectionReader) -> Value
    ) -> Value {
        var table = sections[section.name]?.value
        if let found = table, found.type != .table {
            refuseForm(section, found)
            table = nil
        }
        return read(section, table, make)
    }

    /// Reads a section that may stand several times.
    ///
    /// - Parameters:
    ///   - section: Which section.
    ///   - make: Makes the value of one of them; nil when it cannot be taken.
    /// - Returns: The values in the order of the file.
    mutating func readList<Value>(
        _ section: ConfigurationSection, _ make: (inout SectionReader) -> Value?
    ) -> [Value] {
        guard let node = sections[section.name]?.value else { return [] }
        guard node.type == .array, let items = node.items else {
            refuseForm(section, node)
            return []
        }
        return items.compactMap { item in
            guard item.type == .table else {
                refuseForm(section, item)
                return nil
            }
            return read(section, item, make)
        }
    }

    /// The section in which a key would be right, for the end of a message.
    ///
    /// - Parameter key: A key found elsewhere.
    /// - Returns: For example `; it belongs in [api]`; empty unless one section alone has the key.
    static func home(of key: String) -> String {
        let homes = ConfigurationKeys.sections.filter { section in
            section.keys.contains { $0.name == key }
        }
        guard let home = homes.first, homes.count == 1 else { return "" }
        return "; it belongs in \(home.header)"
    }

    private mutating func read<Value>(
        _ section: ConfigurationSection, _ table: TOMLNode?,
        _ make: (inout SectionReader) -> Value
    ) -> Value {
        var reader = SectionReader(section, table: table, report: report)
        let value = make(&reader)
        report = reader.report
        return value
    }

    private mutating func refuseForm(_ section: ConfigurationSection, _ node: TOMLNode) {
        let text =
            switch node.type {
            case .table: "each \(section.name) is written \(section.header), not [\(section.name)]"
            case .array where node.items?.first?.type == .table && section.name == "readers":
                "[[readers]] holds what is set once for all readers and is written [readers]; did "
                    + "you mean [[reader]]?"
            case .array where node.items?.first?.type == .table:
                "there is one section \(section.header); it is not written [[\(section.name)]]"
            default:
                "\"\(section.name)\" must be a section, \(section.header), not \(node.type.noun)"
            }
        report.add(text, at: node.place)
    }

    private static func unknown(_ entry: TOMLMember, known: [String]) -> String {
        guard isSection(entry.value) else {
            return "unknown key \(DisplayText.key(entry.key)) outside all sections"
                + home(of: entry.key)
        }
        let meant = NearestWord.find(entry.key, among: known).flatMap { name in
            ConfigurationKeys.sections.first { $0.name == name }
        }
        let hint = meant.map { "; did you mean \($0.header)?" } ?? ""
        return "unknown section [\(DisplayText.word(entry.key))]\(hint)"
    }

    private static func isSection(_ node: TOMLNode) -> Bool {
        node.type == .table || node.items?.first?.type == .table
    }
}
