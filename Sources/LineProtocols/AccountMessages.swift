package import Scanning

/// What `account.login` takes.
package struct LoginParameters: Sendable, Codable {
    package let email: String
    package let password: String

    /// The longest that is taken of either, in bytes.
    package static let limit = 1024

    package init(email: String, password: String) {
        self.email = email
        self.password = password
    }

    /// Says what is wrong with them, and nothing of what they hold.
    package func check() throws(RequestError) {
        try Self.check("email", email)
        try Self.check("password", password)
    }

    private static func check(_ path: String, _ text: String) throws(RequestError) {
        guard !text.isEmpty else { throw .invalidParameter(path, "must not be empty") }
        guard text.utf8.count <= limit else {
            throw .invalidParameter(path, "must be at most \(limit) bytes long")
        }
    }
}

extension LoginParameters: CustomStringConvertible, CustomReflectable {
    package var description: String { "an e-mail address and a password" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What `account.login` gives.
package struct LoginResult: Sendable, Hashable, Codable {
    /// Whose session it is, where the server says so.
    package let account: String?
    /// When the first access token expires; the station renews it before.
    package let expiresAt: Timestamp

    package init(account: String?, expiresAt: Timestamp) {
        self.account = account
        self.expiresAt = expiresAt
    }
}

/// What `account.logout` gives.
package struct LogoutResult: Sendable, Hashable, Codable {
    /// Why the auth server could not be told; nil where the session is revoked there too.
    package let notRevoked: String?

    package init(notRevoked: String?) {
        self.notRevoked = notRevoked
    }
}
