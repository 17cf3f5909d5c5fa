/// Keys and certificates made by openssl, in a directory of their own.
package final class Certificates {
    private let folder = TestFolder()

    /// The authority that has signed all but the self-signed one.
    package var authority: String { path("ca.pem") }

    /// Makes an authority.
    package init() throws {
        try PipedProgram.run(
            ["openssl", "req", "-x509", "-subj", "/CN=Test authority", "-days", "2"]
                + key("ca") + ["-out", authority])
    }

    /// The validity of a certificate that has expired.
    package static let past = ["-not_before", "20200101000000Z", "-not_after", "20210101000000Z"]

    /// A certificate and its key.
    package struct Pair: Sendable {
        package let certificate: String
        package let key: String
    }

    /// A certificate for the names, signed by the authority.
    ///
    /// - Parameters:
    ///   - name: What its files are called.
    ///   - subject: `DNS:…` or `IP:…`, comma-separated.
    ///   - validity: Options of `openssl x509`.
    /// - Returns: Where its files are.
    /// - Throws: `PipedProgram.Missing` without openssl.
    package func signed(_ name: String, for subject: String, validity: [String] = ["-days", "2"])
        throws
        -> Pair
    {
        try PipedProgram.run(
            ["openssl", "req", "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(subject)"]
                + key(name) + ["-out", path("\(name).csr")])
        let sign = [
            "openssl", "x509", "-req", "-in", path("\(name).csr"), "-CA", authority, "-CAkey",
            path("ca.key"), "-CAcreateserial", "-copy_extensions", "copy", "-out",
            path("\(name).pem"),
        ]
        do {
            try PipedProgram.run(sign + validity)
        } catch is PipedProgram.Failed where validity == Self.past {
            // Before 3.4 openssl knows no such options, but takes a negative number of days.
            try PipedProgram.run(sign + ["-days", "-1"])
        }
        return Pair(certificate: path("\(name).pem"), key: path("\(name).key"))
    }

    /// A certificate that nobody but itself has signed.
    package func selfSigned(for subject: String) throws -> Pair {
        try PipedProgram.run(
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

    private func path(_ name: String) -> String { folder.path(name) }
}
