/// The version of all programs, which are released together.
package enum ProductVersion {
    /// As `--version`, the hello and the HTTP User-Agent give it.
    package static let current = "0.1.0"
}
