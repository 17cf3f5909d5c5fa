internal import Platform

/// Why there is no whole answer from the API.
///
/// A description names the host and nothing else of a request or an answer.
package enum TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    case nameResolution(host: String)
    case refused(host: String)
    /// The connection could not be made for another reason; an errno value, 0 where none is known.
    case unreachable(host: String, code: Int32)
    case nameTimeout(host: String)
    case connectTimeout(host: String)
    case answerTimeout(host: String)
    case tls(host: String, TLSProblem)
    /// Reset or closed before an answer began.
    case lost(host: String)
    /// Ended within the answer.
    case half(host: String)
    case notHTTP(host: String)
    case redirect(RedirectProblem)
    /// An answer over the limit, in bytes.
    case tooLarge(limit: Int)
    /// A name of this machine that leads elsewhere.
    case notLoopback(host: String)
    /// The proxy of the environment, with its status where it gave one.
    case proxy(status: Int?)
    /// Cancelled, or the transport was stopped.
    case aborted
    /// libcurl's own error code and its sentence for it.
    case library(code: UInt32, text: String)

    package var description: String {
        switch self {
        case .nameResolution(let host): "the name \(host) can't be resolved"
        case .refused(let host): "\(host) refused the connection"
        case .unreachable(let host, let code): "\(host) can't be reached\(Self.suffix(code))"
        case .nameTimeout(let host): "the name \(host) was not resolved in time"
        case .connectTimeout(let host): "no connection to \(host) in time"
        case .answerTimeout(let host): "\(host) did not answer in time"
        case .tls(let host, let problem): "no secure connection to \(host): \(problem)"
        case .lost(let host): "\(host) closed the connection without an answer"
        case .half(let host): "\(host) closed the connection within the answer"
        case .notHTTP(let host): "\(host) does not answer as a web server does"
        case .redirect(let problem): problem.description
        case .tooLarge(let limit): "the answer is larger than \(limit) bytes"
        case .notLoopback(let host): "\(host) is not this machine: plain http is not used to it"
        case .proxy(let status):
            status.map { "the proxy answered \($0)" } ?? "the proxy can't be reached"
        case .aborted: "the request was given up"
        case .library(let code, let text): "libcurl error \(code): \(text)"
        }
    }

    private static func suffix(_ code: Int32) -> String {
        code == 0 ? "" : ": \(SystemError.text(of: code))"
    }
}

/// What is wrong with a server's certificate, or with the trust in it.
package enum TLSProblem: Sendable, Equatable, CustomStringConvertible {
    case wrongHost
    case expired
    case notYetValid
    case unknownAuthority
    /// The check of the certificate failed with another code of OpenSSL's.
    case certificate(code: Int)
    /// The file of trusted authorities can't be read.
    case authorityFile
    case handshake

    package var description: String {
        switch self {
        case .wrongHost: "its certificate is for another host"
        case .expired: "its certificate has expired (or this machine's clock is wrong)"
        case .notYetValid: "its certificate is not yet valid (or this machine's clock is wrong)"
        case .unknownAuthority: "its certificate is from an authority that is not trusted here"
        case .certificate(let code): "its certificate is refused (OpenSSL verify code \(code))"
        case .authorityFile: "the file of trusted authorities can't be read"
        case .handshake: "the TLS handshake failed"
        }
    }

    /// Source: openssl/x509_vfy.h; openssl-verification-options(1).
    init(verifyResult: Int) {
        self =
            switch verifyResult {
            case 62: .wrongHost
            case 10: .expired
            case 9: .notYetValid
            case 2, 18, 19, 20, 21: .unknownAuthority
            default: .certificate(code: verifyResult)
            }
    }
}
