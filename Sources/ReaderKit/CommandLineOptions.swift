/// A command line of options of the form `--name VALUE`, `--name=VALUE` or `--name`.
package struct CommandLineOptions: Sendable {
    /// Options with a value, in their order.
    package let values: [(name: String, value: String)]
    /// Options without.
    package let flags: Set<String>

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - valued: The options that take a value, without dashes.
    ///   - known: The options that take none.
    /// - Throws: `UsageError` with a sentence for the user.
    package init(
        _ arguments: [String], valued: Set<String>, flags known: Set<String>
    ) throws(UsageError) {
        var values: [(name: String, value: String)] = []
        var flags: Set<String> = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                throw UsageError("unexpected argument “\(argument)”")
            }
            let parts = argument.dropFirst(2)
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(String.init)
            let name = parts[0]
            if known.contains(name), parts.count == 1 {
                flags.insert(name)
            } else if valued.contains(name) {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw UsageError("--\(name) needs a value")
                }
                values.append((name, value))
            } else {
                throw UsageError("unknown option “\(argument)”")
            }
        }
        self.values = values
        self.flags = flags
    }

    /// The values of one option, in their order.
    package func all(_ name: String) -> [String] {
        values.filter { $0.name == name }.map(\.value)
    }
}

/// A command line that makes no sense.
package struct UsageError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
