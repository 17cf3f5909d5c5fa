internal import CCurl
internal import Glibc
internal import Platform

/// Which certificate authorities are trusted.
struct CertificateStore: Sendable, Equatable {
    /// A PEM file; nil leaves libcurl its own default.
    let file: String?
    /// Whether the default directory of certificates is left out.
    let onlyFile: Bool

    /// Trusts the authorities of a file and no other, or without a file those of the system.
    ///
    /// The system's are read from its bundle alone where it has one: with a directory besides,
    /// libcurl parses the whole store again for each connection in place of sharing it.
    /// Source: CURLOPT_CA_CACHE_TIMEOUT(3).
    ///
    /// - Throws: `EndpointError.certificateFile` where the file can't be read or holds none.
    init(file: String?) throws(EndpointError) {
        if let file {
            try Self.check(file)
            self.file = file
        } else {
            self.file = Self.systemBundle
        }
        onlyFile = self.file != nil
    }

    private static var systemBundle: String? {
        guard let path = plings_curl_version()?.pointee.cainfo.map({ String(cString: $0) }),
            access(path, R_OK) == 0
        else { return nil }
        return path
    }

    /// The largest file that is looked into, well over every system's bundle.
    private static let sizeLimit = 4 << 20

    private static func check(_ path: String) throws(EndpointError) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try SmallFile.read(path, limit: sizeLimit).bytes
        } catch {
            throw .certificateFile(path: path, reason: SystemError.text(of: error.code))
        }
        guard bytes.count <= sizeLimit else {
            throw .certificateFile(path: path, reason: "larger than \(sizeLimit) bytes")
        }
        guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
            throw .certificateFile(path: path, reason: "no certificate in PEM form is in it")
        }
    }
}
