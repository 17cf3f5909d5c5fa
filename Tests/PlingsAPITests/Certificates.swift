/// Keys and certificates made by openssl, in a directory of their own.
final class Certificates {
    private let directory: TemporaryDirectory

    /// The authority that has signed all but the self-signed one.
    var authority: String { path("ca.pem") }

    /// Makes an authority.
    init() throws {
        directory = try TemporaryDirectory()
        try Program.run(
            ["openssl", "req", "-x509", "-subj", "/CN=Test authority", "-days", "2"]
                + key("ca") + ["-out", authority])
    }

    /// A certificate and its key.
    struct Pair: Sendable {
        let certificate: String
        let key: String
    }

    /// A certificate for the names, signed by the authority.
    ///
    /// - Parameters:
    ///   - name: What its files are called.
    ///   - subject: `DNS:…` or `IP:…`, comma-separated.
    ///   - days: How long it is valid; negative for one that has expired.
    /// - Returns: Where its files are.
    /// - Throws: `Program.Missing` without openssl.
    func signed(_ name: String, for subject: String, days: Int = 2) throws -> Pair {
        try Program.run(
            ["openssl", "req", "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(subject)"]
                + key(name) + ["-out", path("\(name).csr")])
        try Program.run([
            "openssl", "x509", "-req", "-in", path("\(name).csr"), "-CA", authority, "-CAkey",
            path("ca.key"), "-CAcreateserial", "-copy_extensions", "copy", "-days", "\(days)",
            "-out", path("\(name).pem"),
        ])
        return Pair(certificate: path("\(name).pem"), key: path("\(name).key"))
    }

    /// A certificate that nobody but itself has signed.
    func selfSigned(for subject: String) throws -> Pair {
        try Program.run(
            [
                "openssl", "req", "-x509", "-subj", "/CN=self", "-addext",
                "subjectAltName=\(subject)", "-days", "2",
            ] + key("self") + ["-out", path("self.pem")])
        return Pair(certificate: path("self.pem"), key: path("self.key"))
    }

    private func key(_ name: String) -> [String] {
        [
            "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            path("\(name).key"),
        ]
    }

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }
}
