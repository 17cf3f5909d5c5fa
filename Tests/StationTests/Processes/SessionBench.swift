import FoundationEssentials
import Platform
import TestRig
import Testing

/// A station that logs in at the development API's auth server, and what the tests do with it.
struct SessionBench {
    static let anna = (email: "anna@plings.test", password: "anna-password")
    static let bo = (email: "bo@plings.test", password: "bo-password")
    static let apiKey = "k3y-of-the-auth-server"

    let sandbox = SandboxProcess()
    let folder = TestFolder()

    /// Starts with a server whose access tokens are good for so many seconds.
    init(tokenLife: Double = 3600) {
        sandbox.control(
            "settings", #"{"access_token_ttl":\#(tokenLife),"api_key":"\#(Self.apiKey)"}"#)
    }

    var authURL: String { "http://127.0.0.1:\(sandbox.port)" }

    func start(more: String = "", authURL: String? = nil, rest: String = Setting.alone)
        -> StationProcess
    {
        let key = folder.write("api-key", Self.apiKey + "\n")
        return StationProcess(
            in: folder,
            """
            [api]
            endpoint = "\(sandbox.endpoint)"
            auth_url = "\(authURL ?? self.authURL)"
            api_key_file = "\(key)"
            scans_per_minute = 6000
            \(more)
            \(rest)
            """)
    }

    /// Runs plingsctl to its end, with that on its standard input.
    func plingsctl(
        _ station: StationProcess, _ arguments: [String], input: String = ""
    ) -> RunningProgram {
        let program = RunningProgram(
            [Repository.program("plingsctl"), "--socket", station.socket] + arguments)
        program.write(input)
        program.closeInput()
        program.wait(seconds: 60)
        return program
    }

    @discardableResult
    func login(
        _ station: StationProcess, _ account: (email: String, password: String) = anna
    ) -> RunningProgram {
        plingsctl(station, ["login", "--email", account.email], input: account.password + "\n")
    }

    func watch(_ station: StationProcess, types: String = "") throws -> ProtocolClient {
        let client = try ProtocolClient(path: station.socket)
        let filter = types.isEmpty ? "" : #","types":[\#(types)]"#
        _ = try client.call("subscribe", #"{"since":"start"\#(filter)}"#)
        return client
    }

    func submit(_ client: ProtocolClient, _ url: String) throws -> String {
        let reply = try client.call("scan.submit", #"{"url":"\#(url)"}"#)
        return try #require(reply["scan"]?.string)
    }

    func resolution(
        _ client: ProtocolClient, of scan: String, from source: String? = nil
    ) throws -> JSONValue {
        while true {
            let event = try client.nextEvent("resolution", within: .seconds(60))
            let fits = source.map { event["source"] == .string($0) } ?? true
            if event["scan"] == .string(scan), fits { return event }
        }
    }

    func awaitState(_ client: ProtocolClient, _ state: String) throws -> JSONValue {
        while true {
            let event = try client.nextEvent("api", within: .seconds(60))
            if event["state"] == .string(state) { return event }
        }
    }

    /// Waits until nothing is left to deliver.
    func drained(_ client: ProtocolClient) -> Bool {
        Poll.until(seconds: 60) {
            (try? client.call("status")["outbox"]?["scans"]) == .integer(0)
        }
    }

    /// The API's states that the whole log has.
    func states(_ station: StationProcess) throws -> [String] {
        let client = try watch(station)
        guard case .integer(let last) = client.hello["last"] else { return [] }
        var states: [String] = []
        while true {
            let event = try client.nextEvent()
            if event["type"] == .string("api") { states.append(event["state"]?.string ?? "") }
            if case .integer(let seq) = event["seq"], seq >= last { return states }
        }
    }

    // MARK: The auth server

    struct RefreshToken: Decodable {
        let refreshToken: String
        let ended: Bool
        let replacedAt: Double?
    }

    /// Every refresh token that a login has led to; the two that the server begins with left out.
    func refreshTokens() -> [RefreshToken] {
        struct Answer: Decodable {
            let refreshTokens: [RefreshToken]
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let text = sandbox.control("refresh_tokens")
        let answer = try? decoder.decode(Answer.self, from: Data(text.utf8))
        return Array((answer?.refreshTokens ?? []).dropFirst(2))
    }

    /// How many requests of a kind the server has seen.
    func requests(_ op: String) -> Int {
        sandbox.control("log?op=\(op)").ranges(of: #""seq": "#).count
    }

    // MARK: The session's file

    var sessionFile: String { "\(folder.path)/store/session.json" }

    func member(_ name: String) -> String? {
        let session = try? JSONValue(parsing: sessionText())
        return session?[name]?.string
    }

    private func sessionText() throws -> String {
        let data = try Data(contentsOf: URL(fileURLWithPath: sessionFile))
        return String(decoding: data, as: UTF8.self)
    }

    /// Makes the session one of another boot, asked for so many milliseconds later by the clock.
    func moveSession(by offset: Int64, boot: String) throws {
        let text = try sessionText()
        guard case .integer(let asked) = try JSONValue(parsing: text)["askedAt"] else {
            Issue.record("the session has no time")
            return
        }
        let moved = text.replacing("\"askedAt\":\(asked)", with: "\"askedAt\":\(asked + offset)")
            .replacing(member("bootID") ?? "", with: boot)
        folder.write("store/session.json", moved)
    }
}
