/// A place in a configuration text; both numbers count from 1.
struct Place: Sendable, Equatable, Comparable {
    let line: Int

    /// In Unicode code points.
    let column: Int

    static func < (left: Place, right: Place) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// What has been found wrong so far with one configuration text.
struct ProblemReport {
    /// More problems than this are counted, not listed.
    static let maxListed = 200

    /// The file's path as it is named in messages.
    let file: String

    /// The folder that relative paths start from; empty for the working directory.
    let directory: String

    /// Whether the machine has a group of that name.
    let hasGroup: (String) -> Bool

    private var found: [(place: Place, text: String)] = []

    /// An empty report.
    ///
    /// - Parameters:
    ///   - file: The file's path as it is named in messages.
    ///   - directory: The folder that relative paths start from.
    ///   - hasGroup: Whether the machine has a group of that name.
    init(
        file: String, directory: String, hasGroup: @escaping (String) -> Bool = { _ in true }
    ) {
        self.hasGroup = hasGroup
        self.file = file
        self.directory = directory
    }

    /// Notes one problem.
    ///
    /// - Parameters:
    ///   - text: What is wrong and what was meant.
    ///   - place: Where it stands.
    mutating func add(_ text: String, at place: Place) {
        found.append((place, text))
    }

    /// The problems in the order of the file; nil when there are none.
    var error: ConfigurationError? {
        guard !found.isEmpty else { return nil }
        // The place decides and, within one place, the order of finding.
        let ordered = found.enumerated().sorted {
            ($0.element.place, $0.offset) < ($1.element.place, $1.offset)
        }
        var problems = ordered.prefix(Self.maxListed).map { entry in
            ConfigurationError.Problem(
                file: file, line: entry.element.place.line, column: entry.element.place.column,
                text: entry.element.text)
        }
        if found.count > Self.maxListed {
            problems.append(
                ConfigurationError.Problem(
                    file: file, line: nil, column: nil,
                    text: "\(found.count - Self.maxListed) more problems are not shown"))
        }
        return ConfigurationError(problems: problems)
    }
}
