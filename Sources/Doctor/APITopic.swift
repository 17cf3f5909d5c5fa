internal import Configuration
internal import Platform
internal import PlingsAPI
internal import Scanning

/// What came of one question to the API.
struct APIFacts: Sendable, Equatable {
    let outcome: Outcome
    /// `endpoint` as messages and commands name it.
    var host = ""
    var url = ""
    /// The configuration's file.
    var file: String
    /// How long the question could take, in seconds.
    var seconds: Int64
    /// Whether a token was sent along.
    var hadToken = false
    /// Where it was read; nil where it was the session's.
    var tokenFile: String?
    /// Whether the environment has a proxy between this machine and the API.
    var usesProxy = false

    enum Outcome: Sendable, Equatable {
        case notConfigured
        /// The configuration could not be read.
        case unknown
        case wrongSetting(reason: String)
        case examined(APIExamination)
    }

    /// The API's clock, in seconds since 1970-01-01T00:00:00Z, where it told.
    var date: Int64? {
        guard case .examined(let examination) = outcome else { return nil }
        return examination.date
    }

    /// What there is to say.
    ///
    /// - Parameter clock: This machine's clock, which may be the cause.
    /// - Returns: The findings; none where the token's own say it.
    func findings(clock: ClockFacts) -> [Finding] {
        switch outcome {
        case .notConfigured: return [finding(.notConfigured)]
        case .unknown: return [finding(.unknown)]
        case .wrongSetting(let reason): return [finding(.wrongSetting, ["reason": reason])]
        case .examined(let examination): return [examined(examination.verdict, clock)]
        }
    }

    private func examined(_ verdict: APIExamination.Verdict, _ clock: ClockFacts) -> Finding {
        switch verdict {
        case .welcome: return finding(hadToken ? .answers : .reachable)
        case .unauthorised:
            return hadToken ? refused : finding(.reachable)
        case .refused(let code): return finding(.strange, ["reason": "it answers \(code)"])
        case .trouble(let status): return finding(.trouble, ["status": "\(status)"])
        case .page(let status): return finding(.portal, ["status": "\(status)"])
        case .nothingThere(let status): return finding(.nothingThere, ["status": "\(status)"])
        case .strange(let status):
            return finding(.strange, ["reason": "it answers HTTP \(status) without GraphQL"])
        case .unreachable(let error): return unreachable(error, clock)
        }
    }

    private var refused: Finding {
        guard let tokenFile else { return TokenDiagnosis.sessionRefused.finding(["host": host]) }
        return TokenDiagnosis.refused.finding([
            "host": host, "token": tokenFile, "word": ShellWord.quoted(tokenFile),
        ])
    }

    private func unreachable(_ error: TransportError, _ clock: ClockFacts) -> Finding {
        // With a proxy between, it is the proxy that is connected to.
        if usesProxy, error.isAboutConnecting { return finding(.proxy) }
        switch error {
        case .nameResolution: return finding(.name)
        case .refused: return finding(.refuses)
        case .unreachable: return finding(.noNetwork, ["reason": "\(error)"])
        case .nameTimeout: return finding(.nameTimeout)
        case .connectTimeout: return finding(.connectTimeout)
        case .answerTimeout: return finding(.answerTimeout)
        case .proxy(nil): return finding(.proxy)
        case .proxy(let status?): return finding(.proxyStatus, ["status": "\(status)"])
        case .tls(_, let problem): return certificate(problem, clock)
        case .redirect(let problem): return finding(.redirected, ["reason": "\(problem)"])
        case .lost, .half, .notHTTP, .tooLarge, .notLoopback, .aborted, .library:
            return finding(.strange, ["reason": "\(error)"])
        }
    }

    private func certificate(_ problem: TLSProblem, _ clock: ClockFacts) -> Finding {
        switch problem {
        case .expired, .notYetValid:
            if clock.isSuspect { return finding(.clock, ["time": clock.text]) }
            return finding(problem == .expired ? .expired : .notYetValid)
        case .wrongHost: return finding(.wrongHost)
        case .unknownAuthority: return finding(.authority)
        case .certificate, .authorityFile, .handshake:
            return finding(.tls, ["reason": "\(problem)"])
        }
    }

    private func finding(_ diagnosis: APIDiagnosis, _ more: [String: String] = [:]) -> Finding {
        let parts = [
            "host": host, "url": ShellWord.quoted(url), "file": ShellWord.quoted(file),
            "seconds": "\(seconds)",
        ]
        return diagnosis.finding(parts.merging(more) { $1 })
    }
}

extension APIFacts {
    /// Asks the API once; blocks for the limit at most.
    init(
        _ surroundings: Surroundings, _ configuration: ConfigurationFacts, token: BearerToken?,
        within limit: Duration
    ) {
        file = configuration.file
        seconds = limit.components.seconds
        let api = configuration.configuration.api
        guard let endpoint = api.endpoint else {
            outcome = configuration.isKnown ? .notConfigured : .unknown
            return
        }
        url = endpoint
        hadToken = token != nil
        tokenFile = api.tokenFile
        do throws(EndpointError) {
            let examiner = try APIExaminer(
                endpoint: endpoint, caFile: api.caFile, timeout: limit,
                userAgent: "plingsctl/\(ProductVersion.current)")
            host = examiner.endpoint.host
            usesProxy = ProxySetting.applies(to: host, endpoint, surroundings.environment)
            outcome = .examined(Self.ask(examiner, token, within: limit))
        } catch {
            outcome = .wrongSetting(reason: error.description)
        }
    }

    /// Waits on this thread for what is answered on the transport's.
    private static func ask(
        _ examiner: APIExaminer, _ token: BearerToken?, within limit: Duration
    ) -> APIExamination {
        guard let answer = try? Handover<APIExamination>() else {
            return APIExamination(.unreachable(.aborted))
        }
        Task { answer.give(await examiner.examine(token: token)) }
        let deadline = Handover<APIExamination>.deadline(after: limit + LookLimit.grace / 2)
        let examination = answer.take(until: deadline)
        examiner.stop(within: .milliseconds(200))
        return examination
            ?? APIExamination(.unreachable(.answerTimeout(host: examiner.endpoint.host)))
    }
}

extension TransportError {
    /// Whether no connection came about.
    fileprivate var isAboutConnecting: Bool {
        switch self {
        case .refused, .unreachable, .connectTimeout: true
        default: false
        }
    }
}

/// The proxy of the environment, as libcurl understands it.
enum ProxySetting {
    /// Whether a proxy stands between.
    ///
    /// Source: libcurl-env(3), CURLOPT_NOPROXY(3).
    ///
    /// - Parameters:
    ///   - host: The API's host.
    ///   - url: Its address; plain http goes to this machine alone, and never through a proxy.
    ///   - environment: The environment by name.
    /// - Returns: Whether the environment names one that this host is not exempt from.
    static func applies(to host: String, _ url: String, _ environment: [String: String]) -> Bool {
        func first(_ names: String...) -> String {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        }
        let proxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        guard !proxy.isEmpty, !url.lowercased().hasPrefix("http://") else { return false }
        let exempt = first("no_proxy", "NO_PROXY").split { $0 == "," || $0 == " " }
        return !exempt.contains { entry in
            let name = entry.drop { $0 == "." }.lowercased()
            return name == "*" || host == name || host.hasSuffix(".\(name)")
        }
    }
}
