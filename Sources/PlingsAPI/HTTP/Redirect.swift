/// What to do about an answer that points elsewhere.
///
/// 301, 302, 307 and 308 to the same scheme, host and port are followed with the same POST, at
/// most three in a row: an API behind a proxy answers so for a missing or a superfluous slash.
/// Browsers turn a POST into a GET after 301 and 302, which no GraphQL server can mean. Anything
/// else is refused: the token and the scan are for the configured server alone.
/// Source: RFC 9110, section 15.4.
enum Redirect: Equatable {
    case none
    case follow(url: String)
    case refuse(RedirectProblem)

    /// The most redirects that one request follows.
    static let limit = 3

    /// Decides from an answer.
    ///
    /// - Parameters:
    ///   - answer: Its status and `Location`.
    ///   - url: Where the request went.
    ///   - followed: How many were followed before.
    /// - Returns: Where to go next, or why not; `none` where the answer is the last one.
    static func decide(_ answer: HTTPAnswer, from url: String, followed: Int) -> Redirect {
        guard (300..<400).contains(answer.status), let target = answer.fields.location else {
            return .none
        }
        guard [301, 302, 303, 307, 308].contains(answer.status) else { return .none }
        return decide(target, answer.status, from: url, followed)
    }

    private static func decide(
        _ target: String, _ status: Int, from url: String, _ followed: Int
    ) -> Redirect {
        guard let origin = WebURL(url), var next = WebURL(url), next.follow(target) else {
            return .refuse(.unreadable)
        }
        guard origin.scheme == next.scheme || next.scheme != "http" else {
            return .refuse(.plainHTTP(host: next.host))
        }
        guard origin.host == next.host else { return .refuse(.otherHost(next.host)) }
        guard next.hasOrigin(of: origin) else { return .refuse(.otherService(next.host)) }
        guard !next.hasCredentials else { return .refuse(.credentials) }
        guard status != 303 else { return .refuse(.seeOther) }
        guard followed < limit else { return .refuse(.tooMany) }
        return .follow(url: next.text)
    }
}

/// Why a redirect is not followed.
package enum RedirectProblem: Sendable, Equatable, CustomStringConvertible {
    case otherHost(String)
    case plainHTTP(host: String)
    /// The same host by another scheme or port.
    case otherService(String)
    case credentials
    case seeOther
    case unreadable
    case tooMany

    package var description: String {
        switch self {
        case .otherHost(let host):
            "the API redirected to another host (\(host.shown(limit: 100))): not followed"
        case .plainHTTP(let host):
            "the API redirected to plain http (\(host.shown(limit: 100))): not followed"
        case .otherService(let host):
            "the API redirected to another scheme or port of \(host): not followed"
        case .credentials: "the API redirected to an address with a user name: not followed"
        case .seeOther: "the API redirected to a page (303): not followed"
        case .unreadable: "the API redirected to something that is not a web address: not followed"
        case .tooMany: "the API redirected more than \(Redirect.limit) times"
        }
    }
}
