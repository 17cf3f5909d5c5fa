internal import FoundationEssentials

/// The token that every request carries.
package struct BearerToken: Sendable, Equatable {
    /// The token itself.
    package let secret: Secret
    /// Whose it is: the `sub` of a JWT, nil where the token has none that can be read.
    ///
    /// Nothing is verified; that is the API's business. Source: RFC 7519, section 4.1.2.
    package let account: String?

    /// The longest account that is taken, in bytes.
    static let accountLimit = 200

    /// Takes a token, with white space around it.
    ///
    /// - Throws: `TokenError` where it can't stand in a header.
    package init(_ text: String) throws(TokenError) {
        let bytes = Array(text.utf8).trimmingWhiteSpace()
        guard !bytes.isEmpty else { throw .empty }
        guard !bytes.contains(where: Self.isWhiteSpace) else { throw .innerWhiteSpace }
        guard bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .invalidCharacter }
        secret = Secret(String(decoding: bytes, as: UTF8.self))
        account = Self.subject(ofJWT: bytes)
    }

    fileprivate static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    private struct Claims: Decodable {
        let sub: String
    }

    private static func subject(ofJWT token: [UInt8]) -> String? {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = decodeBase64URL(parts[1]),
            let claims = TolerantJSON.decode(Claims.self, from: Array(payload)),
            !claims.sub.isEmpty, claims.sub.utf8.count <= accountLimit
        else { return nil }
        return claims.sub
    }

    /// Source: RFC 4648, section 5; RFC 7515, section 2 (no padding).
    private static func decodeBase64URL(_ text: ArraySlice<UInt8>) -> Data? {
        var standard = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        standard += Array(repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: Data(standard))
    }
}

extension BearerToken: CustomStringConvertible {
    package var description: String { Secret.mask }
}

extension [UInt8] {
    fileprivate func trimmingWhiteSpace() -> [UInt8] {
        guard let first = firstIndex(where: { !BearerToken.isWhiteSpace($0) }),
            let last = lastIndex(where: { !BearerToken.isWhiteSpace($0) })
        else { return [] }
        return Array(self[first...last])
    }
}

/// Why there is no usable token.
package enum TokenError: Error, Sendable, Equatable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    /// Longer than the limit, in bytes.
    case tooLong(limit: Int)
    case empty
    case innerWhiteSpace
    case invalidCharacter

    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "the token file \(path): \(reason)"
        case .tooLong(let limit): "the token is longer than \(limit) bytes"
        case .empty: "the token is empty"
        case .innerWhiteSpace: "the token has white space in it: a file holds one token alone"
        case .invalidCharacter: "the token has a character in it that no token has"
        }
    }
}
