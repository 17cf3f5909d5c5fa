internal import PlingsAPI

/// What the station has to show to the API.
enum Credential: Equatable {
    case token(BearerToken, account: String?)
    /// There is none, and only a person can change that.
    case missing(String, account: String?)
    /// There will be another one in a moment.
    case awaited(account: String?)
    /// There is none that is good, since the auth server can't be asked.
    case unreachable(String, account: String?)

    /// Whose scans they are that are made now; nil where nobody knows.
    var account: String? {
        switch self {
        case .token(_, let account), .missing(_, let account), .awaited(let account),
            .unreachable(_, let account):
            account
        }
    }
}
