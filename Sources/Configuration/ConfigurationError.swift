/// Everything that is wrong with a configuration, in the order of the file.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One thing that is wrong, and where it stands.
    package struct Problem: Sendable, Equatable, CustomStringConvertible {
        /// The file's path as the caller gave it.
        package let file: String

        /// The line, from 1; nil when the file as a whole is meant.
        package let line: Int?

        /// The column in Unicode code points, from 1; nil when the file as a whole is meant.
        package let column: Int?

        /// What is wrong and what was meant.
        package let text: String

        /// `FILE:LINE:COLUMN: text`, or `FILE: text` when the file as a whole is meant.
        package var description: String {
            let name = DisplayText.escaped(file)
            guard let line, let column else { return "\(name): \(text)" }
            return "\(name):\(line):\(column): \(text)"
        }
    }

    /// The problems; never empty.
    package let problems: [Problem]

    /// The problems, one a line.
    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

extension ConfigurationError {
    /// An error about the file as a whole.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - text: What is wrong with it.
    init(file: String, text: String) {
        problems = [Problem(file: file, line: nil, column: nil, text: text)]
    }
}
