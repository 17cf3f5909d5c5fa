internal import FoundationEssentials

extension BearerToken {
    /// When the token ends, in seconds since 1970-01-01T00:00:00Z: the `exp` of a JWT, nil where it
    /// has none that can be read.
    ///
    /// Nothing is verified; that is the API's business. Source: RFC 7519, section 4.1.4; RFC 4648,
    /// section 5 (base64url).
    package var expiry: Int64? {
        secret.reveal { text -> Int64? in
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            var payload = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
            payload += String(repeating: "=", count: (4 - payload.utf8.count % 4) % 4)
            guard let data = Data(base64Encoded: payload),
                let claims = TolerantJSON.decode(Expiring.self, from: Array(data)),
                claims.exp >= 0, claims.exp < 253_402_300_800
            else { return nil }
            return Int64(claims.exp)
        }
    }
}

private struct Expiring: Decodable {
    /// A NumericDate, which may have a fraction.
    let exp: Double
}
