internal import Platform

/// The address of the API, checked once: https anywhere, plain http only to this machine.
package struct Endpoint: Sendable, Equatable {
    /// The URL as libcurl writes it.
    let url: String
    /// The host as messages name it.
    package let host: String
    /// True for plain http: only a loopback address may be connected to, and no proxy is used.
    let isPlain: Bool

    /// Checks the address.
    ///
    /// - Throws: `EndpointError`, which says what to change.
    package init(_ text: String) throws(EndpointError) {
        let isPrintable = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
        guard isPrintable, text.utf8.count <= 2048, let url = WebURL(text), !url.host.isEmpty else {
            throw .unreadable
        }
        guard !url.hasCredentials else { throw .credentials }
        switch url.scheme {
        case "https": isPlain = false
        case "http":
            guard Self.isLoopback(url.host) else { throw .plainHTTP(host: url.host) }
            isPlain = true
        default: throw .scheme(url.scheme)
        }
        self.url = url.text
        host = url.host
    }

    /// Whether a host is named so that it can only be this machine.
    ///
    /// The address it resolves to is checked again when it is connected to.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// Why the API can't be talked to as configured.
package enum EndpointError: Error, Sendable, Equatable, CustomStringConvertible {
    case unreadable
    case scheme(String)
    case credentials
    case plainHTTP(host: String)
    case certificateFile(path: String, reason: String)
    case library(String)

    package var description: String {
        switch self {
        case .unreadable: "the API's address is not a URL"
        case .scheme(let scheme): "the API's address must begin with https://, not \(scheme)://"
        case .credentials: "the API's address must not hold a user name or password"
        case .plainHTTP(let host):
            "plain http would show the token to the network: only https is used to \(host)"
        case .certificateFile(let path, let reason): "the certificate file \(path): \(reason)"
        case .library(let reason): "libcurl can't be used: \(reason)"
        }
    }
}
