/// The environment this process was started with.
package enum ProcessEnvironment {
    /// The variables by name.
    package static var current: [String: String] {
        var variables: [String: String] = [:]
        for entry in ChildProcess.environment() {
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        }
        return variables
    }
}
