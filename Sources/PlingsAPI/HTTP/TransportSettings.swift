internal import CCurl

/// What every transfer of a transport has in common.
struct TransportSettings: Sendable {
    let certificates: CertificateStore
    let userAgent: String

    // All times stand here; the whole request's own comes with each request.

    /// The longest wait for a connection: longer ones succeed about as often as a second attempt.
    static let connectTimeout = Duration.seconds(5)
    /// How long a connection may lie unused and be used again, in seconds: servers and address
    /// translators between close idle ones after a minute or so.
    static let idleConnection = 60
    /// How old a connection may be and be used again, in seconds, so that a changed address or
    /// certificate is noticed.
    static let oldestConnection = 3600

    /// The longest answer of all, whatever a request would take, in bytes.
    static let answerLimit = 8 << 20
    /// The longest head of an answer, in bytes.
    static let headLimit = 64 << 10

    /// Sets what does not change from request to request.
    func apply(to easy: CurlEasy) throws(TransportError) {
        try easy.set(CURLOPT_POST, on: true)
        try easy.set(CURLOPT_USERAGENT, userAgent)
        try easy.set(CURLOPT_ACCEPT_ENCODING, "gzip")
        try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try easy.set(CURLOPT_FOLLOWLOCATION, on: false)
        try easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, on: true)
        try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, on: true)
        try easy.set(CURLOPT_MAXAGE_CONN, Self.idleConnection)
        try easy.set(CURLOPT_MAXLIFETIME_CONN, Self.oldestConnection)
        try applyThreadRules(to: easy)
        try applyTrust(to: easy)
    }

    private func applyThreadRules(to easy: CurlEasy) throws(TransportError) {
        try easy.set(CURLOPT_NOSIGNAL, on: true)
        // Without it a transfer that is dropped while its name is being resolved holds up the
        // thread, and all other transfers, until the name server answers.
        // Source: CURLOPT_QUICK_EXIT(3).
        try easy.set(CURLOPT_QUICK_EXIT, on: true)
    }

    private func applyTrust(to easy: CurlEasy) throws(TransportError) {
        try easy.set(CURLOPT_SSL_VERIFYPEER, on: true)
        try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
        try easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        guard certificates.onlyFile else { return }
        try easy.set(CURLOPT_CAINFO, certificates.file)
        try easy.set(CURLOPT_CAPATH, nil)
    }
}

extension TransportSettings {
    /// Settings as the configuration has them.
    ///
    /// - Parameters:
    ///   - caFile: A PEM file of the certificate authorities to trust in place of the system's.
    ///   - userAgent: What servers see; control characters in it are left out.
    /// - Throws: `EndpointError` where the file can't be used.
    init(caFile: String?, userAgent: String) throws(EndpointError) {
        self.init(
            certificates: try CertificateStore(file: caFile),
            userAgent: HTTPHeader(name: "User-Agent", value: userAgent).safeValue)
    }
}
