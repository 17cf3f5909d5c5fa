internal import FoundationEssentials
package import Scanning

/// A session as the station keeps it across restarts.
package struct Session: Sendable, Equatable {
    package let access: BearerToken
    package let refreshToken: Secret
    /// Whose it is; nil where neither the token nor the server says so.
    package let account: String?
    /// The auth server that issued it, as it was configured: no other one is ever sent it.
    package let server: String
    /// How long the access token is good from when it was asked for.
    package let lifetime: Duration
    /// When it was asked for.
    package let asked: Instant

    /// A time by both clocks: the wall clock may be wrong, the boot's ends with the boot.
    package struct Instant: Sendable, Equatable {
        package let at: Timestamp
        package let bootID: String
        /// CLOCK_BOOTTIME of that boot.
        package let bootNanoseconds: UInt64

        package init(at: Timestamp, bootID: String, bootNanoseconds: UInt64) {
            self.at = at
            self.bootID = bootID
            self.bootNanoseconds = bootNanoseconds
        }
    }

    /// Takes what the server issued.
    ///
    /// - Parameters:
    ///   - issued: The server's answer.
    ///   - server: The server's address as it is configured.
    ///   - previous: The session that it renews, whose account it has where the answer names none.
    ///   - asked: When the request was sent, so that the time on the way counts as used up.
    package init(
        _ issued: IssuedSession, from server: String, renewing previous: Session? = nil,
        asked: Instant
    ) {
        access = issued.access
        refreshToken = issued.refreshToken
        account = issued.account ?? previous?.account
        lifetime = issued.lifetime
        self.server = server
        self.asked = asked
    }

    /// When the access token expires by this machine's clock, which may be wrong.
    package var expiresAt: Timestamp {
        asked.at.advanced(byMilliseconds: Int64(lifetime / .milliseconds(1)))
    }
}

extension Session {
    /// The JSON of the file.
    var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let stored = access.secret.reveal { access in
            refreshToken.reveal { refresh in
                Stored(
                    version: Stored.current, accessToken: access, refreshToken: refresh,
                    account: account, server: server,
                    lifetimeMilliseconds: Int64(lifetime / .milliseconds(1)),
                    askedAt: asked.at.milliseconds, bootID: asked.bootID,
                    bootNanoseconds: asked.bootNanoseconds)
            }
        }
        // Strings and whole numbers alone always have a JSON form.
        return (try? encoder.encode(stored)).map(Array.init) ?? []
    }

    /// Reads the JSON of the file; nil where it is none of ours.
    init?(json: [UInt8]) {
        guard let stored = TolerantJSON.decode(Stored.self, from: json),
            stored.version == Stored.current, let access = try? BearerToken(stored.accessToken),
            !stored.refreshToken.isEmpty, stored.isPlausible
        else { return nil }
        self.access = access
        refreshToken = Secret(stored.refreshToken)
        account = stored.account
        server = stored.server
        lifetime = .milliseconds(stored.lifetimeMilliseconds)
        asked = Instant(
            at: Timestamp(milliseconds: stored.askedAt), bootID: stored.bootID,
            bootNanoseconds: stored.bootNanoseconds)
    }

    private struct Stored: Codable {
        static let current = 1

        let version: Int
        let accessToken: String
        let refreshToken: String
        let account: String?
        let server: String
        let lifetimeMilliseconds: Int64
        /// Milliseconds since 1970-01-01T00:00:00Z.
        let askedAt: Int64
        let bootID: String
        let bootNanoseconds: UInt64

        /// Whether its numbers can be reckoned with: a damaged file must not end the station.
        var isPlausible: Bool {
            let longest = Int64(IssuedSession.longestLifetime * 1000)
            return (1...longest).contains(lifetimeMilliseconds)
                && bootNanoseconds < 1 << 62 && askedAt.magnitude < 1 << 52
        }
    }
}

extension Session: CustomStringConvertible {
    package var description: String { "a session of \(account ?? "an unnamed account")" }
}
