/// Reads the keys of one section, noting what is wrong with them.
struct SectionReader {
    let section: ConfigurationSection

    /// Where the section begins; the first place of the file when it is left out.
    let place: Place

    private let members: [String: TOMLMember]

    /// What has been found wrong so far.
    private(set) var report: ProblemReport

    /// Takes a section and notes the keys it may not hold.
    ///
    /// - Parameters:
    ///   - section: Which section it is.
    ///   - table: Its contents; nil when it is left out.
    ///   - report: What has been found wrong so far.
    init(_ section: ConfigurationSection, table: TOMLNode?, report: ProblemReport) {
        self.section = section
        self.report = report
        place = table?.place ?? Place(line: 1, column: 1)
        let entries = table?.members ?? []
        // A TOML table holds each key once.
        members = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
        let known = section.keys.map(\.name)
        for entry in entries where !known.contains(entry.key) {
            self.report.add(unknown(entry.key, known: known), at: entry.place)
        }
    }

    /// The value of a key, or its default when the key is left out or its value cannot be taken.
    ///
    /// - Parameter key: A key of the section.
    /// - Returns: The value.
    mutating func value<Value>(_ key: ConfigurationKey<Value>) -> Value {
        guard let member = members[key.name] else { return key.fallback }
        return key.format.read(member.value, key.name, &report) ?? key.fallback
    }

    /// Where a key stands; nil when it is left out.
    ///
    /// - Parameter key: A key of the section.
    /// - Returns: The place of the key itself.
    func place<Value>(of key: ConfigurationKey<Value>) -> Place? {
        members[key.name]?.place
    }

    /// Notes that something is wrong with the section beyond a single value.
    ///
    /// - Parameters:
    ///   - text: What is wrong and what was meant.
    ///   - place: Where it stands.
    mutating func refuse(_ text: String, at place: Place) {
        report.add(text, at: place)
    }

    private func unknown(_ key: String, known: [String]) -> String {
        let text = "unknown key \(DisplayText.key(key)) in \(section.header)"
        if let meant = NearestWord.find(key, among: known) {
            return "\(text); did you mean \"\(meant)\"?"
        }
        return text + DocumentReader.home(of: key)
    }
}
