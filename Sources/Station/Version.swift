/// The version of this program.
package enum Version {
    /// As `--version`, the hello and the HTTP User-Agent give it.
    package static let current = "0.1.0"
}
