internal import Glibc
internal import LineProtocols
internal import Platform

/// Logging in and out at the station.
struct LoginCommand {
    /// The station asks the auth server, up to three times, 20 seconds each.
    static let patience = Duration.seconds(90)

    let path: String
    let notices: Notices

    /// Asks for what is missing, and logs in.
    ///
    /// The password is read from the terminal without showing it, or else it is all that standard
    /// input holds, but for a line end. It is never an argument, which everybody could read.
    ///
    /// - Parameter email: The address; nil asks for it on the terminal.
    /// - Returns: What the person is told.
    /// - Throws: `UsageError`; `CommandRefusal`; `ConnectionError`; `Waiter.Interruption`.
    func login(email: String?) throws -> String {
        let prompt = try SecretPrompt()
        guard let email = try email ?? prompt.line("E-mail: ") else {
            throw UsageError(
                "login needs --email where standard input is no terminal", topic: "login")
        }
        let password = try prompt.secret("Password: ")
        guard !password.isEmpty else {
            throw UsageError("the password is empty", topic: "login")
        }
        let parameters = LoginParameters(email: email, password: password)
        let result = try call("account.login", parameters, LoginResult.self)
        let account = result.account.map { " as \(TerminalText.escape($0, limit: 200))" } ?? ""
        return "Logged in\(account). The station renews the session by itself.\n"
    }

    /// Logs out.
    ///
    /// - Returns: What the person is told.
    /// - Throws: As `login`.
    func logout() throws -> String {
        let result = try call("account.logout", EmptyObject(), LogoutResult.self)
        if let reason = result.notRevoked {
            notices.say(
                "the station has forgotten the session, but the auth server could not be told: "
                    + reason)
        }
        return "Logged out. Scans are kept until somebody logs in again.\n"
    }

    private func call<Result: Decodable>(
        _ method: String, _ parameters: some Encodable, _ type: Result.Type
    ) throws -> Result {
        var connection = try StationConnection(to: path, patience: Self.patience)
        do {
            let reply = try connection.call(method, parameters)
            guard let result = try? JSONLine.decode(type, from: reply) else {
                throw ConnectionError.garbled(
                    path: path, reason: "the reply to \(method) is incomplete")
            }
            return result
        } catch let error as RequestError where error.reason == .notAllowed {
            throw NotAllowed(message: error.message)
        } catch let error as RequestError where error.code == .unknownMethod {
            throw CommandRefusal("this plingsd is too old to log in: update it")
        }
    }
}

/// Why the station did not do it, in a sentence.
struct CommandRefusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
