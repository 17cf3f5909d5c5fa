internal import FoundationEssentials

/// Reads what an auth server answered.
///
/// Only the server's own words for it end a session or refuse a password. What a proxy, a portal
/// or a wrong address could have answered decides nothing, so that no outage logs a station out.
enum AuthAnswer {
    /// The words that are final, of the current form and of the one before it.
    ///
    /// Source: Supabase Auth, error codes; RFC 6749, section 5.2 (`invalid_grant`).
    static let finalCodes: Set<String> = [
        "invalid_credentials", "invalid_grant", "email_not_confirmed", "user_banned",
        "user_not_found", "refresh_token_not_found", "refresh_token_already_used",
        "session_not_found", "session_expired",
    ]
    private static let limitCodes: Set<String> = [
        "over_request_rate_limit", "over_email_send_rate_limit",
    ]

    /// Reads the answer to a request for a session.
    ///
    /// - Parameters:
    ///   - answer: What came.
    ///   - now: Seconds since 1970-01-01T00:00:00Z, for a Retry-After that is a date.
    ///   - hasKey: Whether an API key was sent.
    /// - Returns: The session.
    /// - Throws: `AuthFailure`.
    static func session(
        in answer: HTTPAnswer, now: Int64, hasKey: Bool
    ) throws(AuthFailure) -> IssuedSession {
        try check(answer, now: now, hasKey: hasKey)
        guard let session = IssuedSession(json: answer.body) else {
            throw .unclear(
                reason: "the auth server's answer holds no session",
                retryAfter: RetryAfter.read(answer.fields, now: now))
        }
        return session
    }

    /// Throws what a refusal means; returns for a success.
    static func check(
        _ answer: HTTPAnswer, now: Int64, hasKey: Bool
    ) throws(AuthFailure) {
        guard !(200..<300).contains(answer.status) else { return }
        let retryAfter = RetryAfter.read(answer.fields, now: now)
        let code = code(in: answer.body)
        if let code, finalCodes.contains(code) { throw .refused(code: code) }
        if answer.status == 429 || code.map(limitCodes.contains) ?? false {
            throw .limited(
                reason: "the auth server asks for fewer requests", retryAfter: retryAfter)
        }
        let word = code.map { ", \($0.shown(limit: 64))" } ?? ""
        if answer.status == 401 || answer.status == 403 {
            let reason =
                hasKey
                ? "the auth server refuses the API key"
                : "the auth server wants an API key: set `api_key_file` under [api]"
            throw .key(reason: "\(reason) (HTTP \(answer.status)\(word))")
        }
        throw .unclear(
            reason: "the auth server answers HTTP \(answer.status)\(word)", retryAfter: retryAfter)
    }

    private struct Refusal: Decodable {
        let code: String?

        private enum Key: String, CodingKey {
            case errorCode = "error_code"
            case code, error
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            // `code` is a number beside `error_code`, and the word itself in the newest form.
            let words = [Key.errorCode, .code, .error].lazy.compactMap { key in
                try? members.decode(String.self, forKey: key)
            }
            code = words.first(where: Self.isCode)
        }

        /// Whether it looks like a code; anything else might be what was sent, in whatever escaping.
        private static func isCode(_ word: String) -> Bool {
            (1...100).contains(word.utf8.count)
                && word.utf8.allSatisfy { byte in
                    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                        || Character(Unicode.Scalar(byte)).isLetter && byte < 0x80
                        || (0x30...0x39).contains(byte)
                }
        }
    }

    private static func code(in body: [UInt8]) -> String? {
        TolerantJSON.decode(Refusal.self, from: body)?.code
    }
}

/// A session as the auth server has just issued it.
package struct IssuedSession: Sendable, Equatable {
    package let access: BearerToken
    package let refreshToken: Secret
    /// How long the access token is good, from when the server made it.
    package let lifetime: Duration
    /// Whose session it is.
    package let account: String?

    package init(
        access: BearerToken, refreshToken: Secret, lifetime: Duration, account: String?
    ) {
        self.access = access
        self.refreshToken = refreshToken
        self.lifetime = lifetime
        self.account = account
    }

    /// What holds where a server does not say how long: Supabase's own default.
    private static let usualLifetime = 3600.0
    /// The longest that is believed.
    static let longestLifetime = 30 * 86_400.0
    /// The shortest, in seconds: a station that renewed a token more often would do little else.
    static let shortestLifetime = 1.0
    private static let refreshTokenLimit = 4096

    /// Reads the server's JSON; nil where a token is missing or can't stand in a header.
    init?(json: [UInt8]) {
        guard let answer = TolerantJSON.decode(Answer.self, from: json),
            let access = try? BearerToken(answer.access_token), !answer.refresh_token.isEmpty,
            answer.refresh_token.utf8.count <= Self.refreshTokenLimit
        else { return nil }
        let seconds = answer.expires_in ?? Self.usualLifetime
        guard seconds >= Self.shortestLifetime else { return nil }
        self.access = access
        refreshToken = Secret(answer.refresh_token)
        lifetime = .milliseconds(Int64(min(seconds, Self.longestLifetime) * 1000))
        account = access.account ?? answer.user?.id.flatMap(Self.account)
    }

    /// The id of a user; nil where it is none that an account can have.
    private static func account(_ id: String) -> String? {
        !id.isEmpty && id.utf8.count <= BearerToken.accountLimit ? id : nil
    }

    // The members' names are the server's.
    private struct Answer: Decodable {
        let access_token: String
        let refresh_token: String
        let expires_in: Double?
        let user: User?
    }

    private struct User: Decodable {
        let id: String?
    }
}
