/// The reader names met so far, and the line each stands in.
struct ReaderNames {
    private var lines: [String: Int] = [:]

    /// Takes a name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - line: Its line.
    /// - Returns: The line in which the name is already given; nil when it is new.
    mutating func take(_ name: String, line: Int) -> Int? {
        if let earlier = lines[name] { return earlier }
        lines[name] = line
        return nil
    }
}

extension StationConfiguration.ReaderEntry {
    /// Reads one listed reader; nil when its kind or its command is missing or cannot be taken.
    ///
    /// - Parameters:
    ///   - section: The reader's section.
    ///   - names: The names of the readers before it.
    init?(_ section: inout SectionReader, _ names: inout ReaderNames) {
        typealias Keys = ConfigurationKeys.Reader
        let written = section.value(Keys.kind)
        name = section.value(Keys.name)
        let match = section.value(Keys.match)
        let command = section.value(Keys.command)
        if let name, let place = section.place(of: Keys.name),
            let earlier = names.take(name, line: place.line)
        {
            section.refuse(
                "the name \(DisplayText.value(name)) is already given in line \(earlier)", at: place
            )
        }
        switch written {
        case nil:
            Self.refuseMissingKind(&section)
            return nil
        case .pcsc:
            Self.refuse(Keys.command, only: .exec, &section)
            kind = .pcsc(match: match)
        case .exec:
            Self.refuse(Keys.match, only: .pcsc, &section)
            if section.place(of: Keys.command) == nil {
                section.refuse("a reader of kind \"exec\" needs \"command\"", at: section.place)
            }
            guard let command else { return nil }
            kind = .exec(command: command)
        }
    }

    private static func refuseMissingKind(_ section: inout SectionReader) {
        guard section.place(of: ConfigurationKeys.Reader.kind) == nil else { return }
        let kinds = DisplayText.choice(ReaderKind.allCases.map(\.rawValue))
        section.refuse("each reader needs \"kind\": \(kinds)", at: section.place)
    }

    private static func refuse<Value>(
        _ key: ConfigurationKey<Value>, only kind: ReaderKind, _ section: inout SectionReader
    ) {
        guard let place = section.place(of: key) else { return }
        section.refuse(
            "\"\(key.name)\" is for readers of kind \"\(kind.rawValue)\" only", at: place)
    }
}
