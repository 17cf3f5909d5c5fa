/// The file that holds the key of the `apikey` header.
package struct APIKeyFile: Sendable {
    /// The key.
    package let key: Secret
    /// Who can read it besides its owner, in a sentence; the key is used all the same.
    package let warning: String?

    /// Reads the file as it is now.
    ///
    /// - Throws: `AuthFailure.key`, which never holds anything of the contents.
    package static func read(_ path: String) throws(AuthFailure) -> APIKeyFile {
        do throws(TokenError) {
            let file = try TokenFile.read(path)
            return APIKeyFile(key: file.token.secret, warning: file.warning.map(words))
        } catch {
            throw .key(reason: "the API key file \(path): \(words(error))")
        }
    }

    private static func words(_ error: TokenError) -> String {
        switch error {
        case .unreadable(_, let reason): reason
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .empty: "it is empty"
        case .innerWhiteSpace: "white space is in the key: a file holds one key alone"
        case .invalidCharacter: "a character is in it that no key has"
        }
    }

    private static func words(_ warning: TokenFile.Warning) -> String {
        switch warning {
        case .readableByGroup(let mode):
            "the API key file can be read by its group (mode 0\(String(mode, radix: 8)))"
        case .readableByEverybody(let mode):
            "the API key file can be read by everybody (mode 0\(String(mode, radix: 8)))"
        }
    }
}
