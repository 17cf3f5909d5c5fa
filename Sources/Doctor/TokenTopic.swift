internal import PlingsAPI
internal import Platform
internal import Scanning

/// What was found out about the token, which itself is nowhere in here.
struct TokenFacts: Sendable, Equatable {
    /// The token's file; nil where none is configured.
    var file: String?
    var content: Content
    /// What the kernel says of the file; nil where it does not.
    var look: FileLook?
    /// The service's user; nil where there is none.
    var service: SystemUser?
    /// Whether root looks, who can read what the station can't.
    var isRoot: Bool
    /// Whether an auth server is configured, so that the station can be logged in.
    var canLogIn = false
    /// The configuration's file.
    var configuration = ""

    enum Content: Sendable, Equatable {
        /// No file is configured. Where the station was logged in it keeps a session of its own.
        case none(hasSession: Bool)
        /// The session can be read.
        case session(account: String?)
        case missing
        /// Only others may read it.
        case closed
        case unusable(reason: String)
        case good(account: String?, expiry: Int64?)
    }

    /// What there is to say, apart from what the API makes of the token.
    ///
    /// - Parameter now: CLOCK_REALTIME in milliseconds.
    /// - Returns: The findings, at least one.
    func findings(now: Int64) -> [Finding] {
        let file = file ?? ""
        let parts = [
            "file": file, "word": ShellWord.quoted(file), "mode": look?.modeText ?? "",
            "owner": look?.ownerName ?? "",
        ]
        switch content {
        case .none(let hasSession):
            return hasSession ? [] : [nothing]
        case .session(let account):
            let words = account.map { "as the account \($0)" } ?? "as an account without a name"
            return [TokenDiagnosis.session.finding(["account": words])]
        case .missing: return [TokenDiagnosis.missing.finding(parts)]
        case .closed: return [TokenDiagnosis.closed.finding(parts)]
        case .unusable(let reason):
            let more = parts.merging(["reason": reason]) { $1 }
            return [TokenDiagnosis.unusable.finding(more)] + permissions(parts)
        case .good(let account, let expiry):
            return [lifetime(account, expiry, now, parts)] + permissions(parts)
        }
    }

    private var nothing: Finding {
        guard !canLogIn else { return TokenDiagnosis.notLoggedIn.finding() }
        return TokenDiagnosis.none.finding(["configuration": ShellWord.quoted(configuration)])
    }

    private func lifetime(
        _ account: String?, _ expiry: Int64?, _ now: Int64, _ parts: [String: String]
    ) -> Finding {
        let time = expiry.map { Self.text(seconds: $0) }
        if let expiry, let time, expiry * 1000 <= now {
            return TokenDiagnosis.expired.finding(parts.merging(["time": time]) { $1 })
        }
        let more = [
            "account": account.map { "of the account \($0)" } ?? "of an account it does not name",
            "validity": time.map { "valid until \($0)" } ?? "says no end",
        ]
        return TokenDiagnosis.good.finding(parts.merging(more) { $1 })
    }

    /// To the second: `2026-11-29T23:46:26Z`.
    static func text(seconds: Int64) -> String {
        String(Timestamp(milliseconds: seconds * 1000).text.dropLast(5)) + "Z"
    }

    private func permissions(_ parts: [String: String]) -> [Finding] {
        guard let look else { return [] }
        if isRoot, let service, !look.lets(service, do: 4) {
            return [TokenDiagnosis.notForStation.finding(parts)]
        }
        if look.mode & 0o004 != 0 { return [TokenDiagnosis.exposed.finding(parts)] }
        return look.mode & 0o040 != 0 ? [TokenDiagnosis.groupReads.finding(parts)] : []
    }
}

extension TokenFacts {
    /// Where a station that was logged in keeps its session.
    private static let session = "session.json"

    /// Reads the token's file, or the session.
    ///
    /// - Parameters:
    ///   - surroundings: As whom.
    ///   - file: What `token_file` says.
    ///   - store: The station's state directory.
    ///   - now: CLOCK_REALTIME in milliseconds.
    /// - Returns: The facts, and the token apart from them, for the API alone.
    static func look(
        _ surroundings: Surroundings, file: String?, store: String,
        now: Int64 = Clocks.realMilliseconds()
    ) -> (TokenFacts, BearerToken?) {
        var facts = TokenFacts(
            file: file, content: .missing, look: nil,
            service: SystemUser(named: Surroundings.serviceUser), isRoot: surroundings.isRoot)
        guard let file else {
            let path = "\(store)/\(session)"
            guard case .session(let session) = SessionFile.contents(of: path) else {
                // A folder that is closed to us may hold one as well.
                facts.content = .none(hasSession: Self.mayExist(path))
                return (facts, nil)
            }
            facts.content = .session(account: session.account)
            // One that has expired is renewed by the station, and says nothing here.
            return (facts, session.expiresAt.milliseconds > now ? session.access : nil)
        }
        do {
            facts.look = try FileLook(file)
            let token = try TokenFile.read(file).token
            facts.content = .good(account: token.account, expiry: token.expiry)
            return (facts, token)
        } catch {
            facts.content = content(after: error, file)
            return (facts, nil)
        }
    }

    private static func mayExist(_ path: String) -> Bool {
        do throws(SystemError) {
            _ = try FileLook(path)
            return true
        } catch {
            return error.meansClosed
        }
    }

    private static func content(after error: any Error, _ file: String) -> Content {
        if let error = error as? SystemError {
            if error.meansAbsent { return .missing }
            return error.meansClosed ? .closed : .unusable(reason: error.description)
        }
        guard case .unreadable = error as? TokenError else {
            return .unusable(reason: "\(error)")
        }
        return FileLook.isClosed(file) ? .closed : .unusable(reason: "\(error)")
    }
}
