extension StationConfiguration {
    /// What holds without a configuration file.
    package static let defaults: StationConfiguration = {
        var document = DocumentReader(root: nil, report: ProblemReport(file: "", directory: ""))
        return StationConfiguration(&document)
    }()

    /// Reads a configuration file; blocks for as long as its file system does.
    ///
    /// - Parameters:
    ///   - path: The file, at most 1 MiB.
    ///   - hasGroup: Whether the machine has a group of that name.
    /// - Returns: The configuration.
    /// - Throws: Why the file cannot be read, or everything that is wrong with it.
    package static func load(
        path: String, hasGroup: @escaping (String) -> Bool = { _ in true }
    ) throws(ConfigurationError) -> StationConfiguration {
        guard let configuration = try loadIfPresent(path: path, hasGroup: hasGroup) else {
            throw ConfigurationFile.missing(path)
        }
        return configuration
    }

    /// Reads a configuration file that need not exist; blocks for as long as its file system does.
    ///
    /// - Parameters:
    ///   - path: The file, at most 1 MiB.
    ///   - hasGroup: Whether the machine has a group of that name.
    /// - Returns: The configuration; nil when there is no such file.
    /// - Throws: Why the file cannot be read, or everything that is wrong with it.
    package static func loadIfPresent(
        path: String, hasGroup: @escaping (String) -> Bool = { _ in true }
    ) throws(ConfigurationError) -> StationConfiguration? {
        guard let text = try ConfigurationFile.read(path) else { return nil }
        let directory = try ConfigurationFile.directory(of: path)
        return try parse(text, ProblemReport(file: path, directory: directory, hasGroup: hasGroup))
    }

    /// Reads a configuration text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - file: The path of its file, for messages and for paths relative to its folder.
    /// - Returns: The configuration.
    /// - Throws: Everything that is wrong with it.
    package static func parse(
        _ text: String, file: String
    ) throws(ConfigurationError) -> StationConfiguration {
        try parse(
            text, ProblemReport(file: file, directory: PathText.directory(of: file)))
    }

    private static func parse(
        _ text: String, _ report: ProblemReport
    ) throws(ConfigurationError) -> StationConfiguration {
        let root: TOMLNode
        do throws(TOMLFault) {
            root = try TOMLNode.parse(text)
        } catch {
            throw error.asError(in: text, report)
        }
        var document = DocumentReader(root: root, report: report)
        let configuration = StationConfiguration(&document)
        if let error = document.report.error { throw error }
        return configuration
    }
}
