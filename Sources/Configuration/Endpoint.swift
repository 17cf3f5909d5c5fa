import Glibc

/// Host names as they stand in a configuration.
enum HostName {
    /// Whether a text is a host name in ASCII.
    ///
    /// Source: RFC 1123, section 2.1, and RFC 1035, section 2.3.4 (63 bytes a label, 253 in all);
    /// the underscore as local resolvers allow it.
    ///
    /// - Parameter name: The text, lower case.
    /// - Returns: Whether it is one.
    static func isValid(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return name.utf8.count <= 253 && labels.allSatisfy(isLabel)
    }

    /// The host name inside a URL or an address with a port.
    ///
    /// - Parameter text: Any text, lower case.
    /// - Returns: The host name; nil when there is none.
    static func within(_ text: String) -> String? {
        var rest = Substring(text)
        for scheme in ["https://", "http://"] where rest.hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.count)
        }
        let name = String(rest.prefix { !":/?#".contains($0) })
        return name != text && isValid(name) ? name : nil
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard (1...63).contains(label.count), label.first != hyphen, label.last != hyphen else {
            return false
        }
        return label.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                hyphen, UInt8(ascii: "_"):
                true
            default:
                false
            }
        }
    }
}

/// The rules for the address of the Plings API.
enum Endpoint {
    /// Why an address is refused.
    struct Refusal: Error {
        /// What the address must be, to follow the key.
        let text: String
    }

    /// Longer addresses are refused.
    static let maxLength = 2048

    /// Checks an address.
    ///
    /// Nothing of the address is repeated in a refusal: it may hold a password or a token.
    ///
    /// Source: RFC 3986, section 3.
    ///
    /// - Parameter text: The address.
    /// - Throws: Why it is refused.
    static func check(_ text: String) throws(Refusal) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let afterScheme = text.dropFirst(scheme.count)
        guard scheme == "https" || scheme == "http", afterScheme.hasPrefix("://") else {
            throw Refusal(text: "must be a URL that begins with https:// or http://")
        }
        guard text.utf8.allSatisfy(isURLByte), !text.contains("#") else {
            throw Refusal(
                text: "must be a URL of plain ASCII without spaces, quotation marks and \"#\"")
        }
        let authority = afterScheme.dropFirst(3).prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else {
            throw Refusal(
                text: "must not hold a user name or password; the token belongs in the file that "
                    + "\"token_file\" names")
        }
        let host = try host(of: authority)
        guard scheme == "https" || isLoopback(host) else {
            throw Refusal(
                text: "must begin with https://: plain http, which anyone on the way can read, is "
                    + "allowed only to this machine (127.0.0.0/8, [::1] or localhost)")
        }
    }

    private static func isURLByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    private static func host(of authority: Substring) throws(Refusal) -> String {
        let host: String
        let rest: Substring
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = String(authority[..<end].dropFirst())
            rest = authority[end...].dropFirst()
            var address = in6_addr()
            guard inet_pton(AF_INET6, host, &address) == 1 else {
                throw Refusal(text: "must hold a valid IPv6 address between the brackets")
            }
        } else {
            host = authority.prefix { $0 != ":" }.lowercased()
            rest = authority.dropFirst(host.count)
            guard HostName.isValid(host) else {
                throw Refusal(text: "must hold a valid host name after https://")
            }
        }
        guard rest.isEmpty || isPort(rest) else {
            throw Refusal(text: "must hold a port from 1 to 65535 after the host's \":\"")
        }
        return host
    }

    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        guard text.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits)
        else { return false }
        return (1...65535).contains(port)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            return UInt32(bigEndian: four.s_addr) >> 24 == 127
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        return withUnsafeBytes(of: six) { bytes in
            bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }
}

extension ValueFormat where Value == String {
    /// The address of an API: https, or http to this machine itself.
    static var endpoint: ValueFormat { address(example: "https://api.plings.io/graphql") }

    /// The address of an auth server, to which paths are added.
    static var authServer: ValueFormat {
        address(example: "https://auth.plings.io") { text throws(Endpoint.Refusal) in
            guard !text.contains("?") else {
                throw Endpoint.Refusal(text: "must be a URL without \"?\"")
            }
        }
    }

    private static func address(
        example: String,
        also check: @escaping @Sendable (String) throws(Endpoint.Refusal) -> Void = { _ in }
    ) -> ValueFormat {
        ValueFormat(
            label: "URL (https, or http to this machine itself)",
            read: { node, key, report in
                let wanted = "a URL such as \"\(example)\""
                guard
                    let text = line(
                        node, key, wanted: wanted, maxLength: Endpoint.maxLength, &report)
                else { return nil }
                do throws(Endpoint.Refusal) {
                    try Endpoint.check(text)
                    try check(text)
                    return text
                } catch {
                    report.add("\"\(key)\" \(error.text)", at: node.place)
                    return nil
                }
            },
            literal: { "\"\($0)\"" })
    }
}
