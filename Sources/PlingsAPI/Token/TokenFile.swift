internal import Glibc
internal import Platform

/// What a token file held when it was read.
package struct TokenFile: Sendable, Equatable {
    package let token: BearerToken
    /// Something about the file that an operator should know; the token is used all the same.
    package let warning: Warning?

    /// The longest token, in bytes, white space around it included.
    package static let sizeLimit = 16 << 10

    /// Who can read the token besides its owner.
    package enum Warning: Sendable, Equatable, CustomStringConvertible {
        /// The file's permission bits.
        case readableByGroup(mode: UInt32)
        case readableByEverybody(mode: UInt32)

        package var description: String {
            switch self {
            case .readableByGroup(let mode):
                "the token file can be read by its group (mode 0\(String(mode, radix: 8)))"
            case .readableByEverybody(let mode):
                "the token file can be read by everybody (mode 0\(String(mode, radix: 8)))"
            }
        }
    }

    /// Reads the file as it is now; the caller reads again when it changes.
    ///
    /// - Throws: `TokenError`, which never holds anything of the contents.
    package static func read(_ path: String) throws(TokenError) -> TokenFile {
        let credentials = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
        return try read(path, credentials: credentials)
    }

    /// Reads the file as it is now.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - credentials: The directory of what systemd handed over. Such a file is opened to the
    ///     service by an access list, whose mask then shows as the group's bits.
    ///     Source: systemd.exec(5), LoadCredential=; acl(5).
    /// - Returns: The token.
    /// - Throws: `TokenError`.
    static func read(_ path: String, credentials: String?) throws(TokenError) -> TokenFile {
        let file: SmallFile
        do throws(SystemError) {
            file = try SmallFile.read(path, limit: sizeLimit)
        } catch {
            throw .unreadable(path: path, reason: SystemError.text(of: error.code))
        }
        guard file.bytes.count <= sizeLimit else { throw .tooLong(limit: sizeLimit) }
        guard let text = String(validating: file.bytes, as: UTF8.self) else {
            throw .invalidCharacter
        }
        let isCredential = credentials.map { path.hasPrefix($0 + "/") } ?? false
        return TokenFile(
            token: try BearerToken(text), warning: warning(file.mode, isCredential))
    }

    private static func warning(_ mode: UInt32, _ isCredential: Bool) -> Warning? {
        if mode & 0o004 != 0 { return .readableByEverybody(mode: mode) }
        guard mode & 0o040 != 0, !isCredential else { return nil }
        return .readableByGroup(mode: mode)
    }
}
