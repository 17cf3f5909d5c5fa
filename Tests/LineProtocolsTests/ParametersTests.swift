import LineProtocols
import Testing

@Suite("the parameters of a request")
struct ParametersTests {
    struct Wrong: Sendable, CustomTestStringConvertible {
        let parameters: String
        let path: String
        let says: String

        init(_ parameters: String, _ path: String, _ says: String) {
            self.parameters = parameters
            self.path = path
            self.says = says
        }

        var testDescription: String { parameters }
    }

    private func request(_ parameters: String?) throws -> StationRequest {
        let member = parameters.map { ",\"params\":\($0)" } ?? ""
        let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"any\"\(member)}"
        guard case .request(let request) = StationRequest.read(Array(line.utf8)) else {
            throw RequestError.unknownMethod("not a request: \(line)")
        }
        return request
    }

    private func read<Parameters: Decodable>(
        _ parameters: String?, as type: Parameters.Type
    ) throws -> Parameters {
        try request(parameters).parameters(type)
    }

    /// Why parameters are refused.
    private func refusal<Parameters: Decodable>(
        of parameters: String?, as type: Parameters.Type
    ) throws -> RequestError {
        let request = try request(parameters)
        do throws(RequestError) {
            _ = try request.parameters(type)
        } catch {
            return error
        }
        throw RequestError.unknownMethod("accepted: \(parameters ?? "nothing")")
    }

    private static let sinceSentence = "since: must be a seq, \"start\" or \"now\""

    private static let wrongSubscriptions: [Wrong] = [
        Wrong(#"{"types":"scan"}"#, "types", "types: has the wrong type"),
        Wrong(#"{"types":{}}"#, "types", "types: has the wrong type"),
        Wrong(#"{"types":[1]}"#, "types[0]", "types[0]: has the wrong type"),
        Wrong(#"{"types":["scan",2]}"#, "types[1]", "types[1]: has the wrong type"),
        Wrong(#"{"types":["scan","api",null]}"#, "types[2]", "types[2]: has the wrong type"),
        Wrong(#"{"readers":7}"#, "readers", "readers: has the wrong type"),
        Wrong(#"{"readers":["door",["x"]]}"#, "readers[1]", "readers[1]: has the wrong type"),
        Wrong(#"{"log":5}"#, "log", "log: has the wrong type"),
        Wrong(#"{"since":-1}"#, "since", sinceSentence),
        Wrong(#"{"since":1.5}"#, "since", sinceSentence),
        Wrong(#"{"since":9223372036854775808}"#, "since", sinceSentence),
        Wrong(#"{"since":1e400}"#, "since", sinceSentence),
        Wrong(#"{"since":"begin"}"#, "since", sinceSentence),
        Wrong(#"{"since":"12"}"#, "since", sinceSentence),
        Wrong(#"{"since":true}"#, "since", sinceSentence),
        Wrong(#"{"since":[1]}"#, "since", sinceSentence),
        Wrong(#"{"since":{}}"#, "since", sinceSentence),
    ]

    @Test("a wrong member of a subscription is named", arguments: wrongSubscriptions)
    func subscriptions(wrong: Wrong) throws {
        let error = try refusal(of: wrong.parameters, as: SubscribeParameters.self)
        #expect(error.code == .invalidParameters)
        #expect(error.path == wrong.path)
        #expect(error.message == wrong.says)
        #expect(error.reason == nil)
    }

    private static let wrongSubmissions: [Wrong] = [
        Wrong("{}", "url", "url: is missing"),
        Wrong(#"{"URL":"x"}"#, "url", "url: is missing"),
        Wrong(#"{"url":null}"#, "url", "url: has the wrong type"),
        Wrong(#"{"url":1}"#, "url", "url: has the wrong type"),
        Wrong(#"{"url":["x"]}"#, "url", "url: has the wrong type"),
    ]

    @Test("a wrong member of a submission is named", arguments: wrongSubmissions)
    func submissions(wrong: Wrong) throws {
        let error = try refusal(of: wrong.parameters, as: SubmitParameters.self)
        #expect(error.code == .invalidParameters)
        #expect(error.path == wrong.path)
        #expect(error.message == wrong.says)
    }

    @Test("a member that is missing is named also where there are no parameters at all")
    func absentParameters() throws {
        let error = try refusal(of: nil, as: SubmitParameters.self)
        #expect(error.code == .invalidParameters)
        #expect(error.path == "url")
        #expect(error.message == "url: is missing")
    }

    private static let stateSentence =
        "state: must be one of queued, running, waiting, done, attention, discarded, exported"

    private static let wrongListings: [Wrong] = [
        Wrong(#"{"state":"refused"}"#, "state", stateSentence),
        Wrong(#"{"state":""}"#, "state", stateSentence),
        Wrong(#"{"state":7}"#, "state", "state: has the wrong type"),
        Wrong(#"{"limit":1.5}"#, "params", "params: holds a number that does not fit"),
        Wrong(#"{"limit":1e30}"#, "params", "params: holds a number that does not fit"),
        Wrong(#"{"kind":7}"#, "kind", "kind: has the wrong type"),
    ]

    @Test("a wrong word of a listing is told with those there are", arguments: wrongListings)
    func listings(wrong: Wrong) throws {
        let error = try refusal(of: wrong.parameters, as: JobsParameters.self)
        #expect(error.path == wrong.path)
        #expect(error.message == wrong.says)
    }

    @Test("a decision takes the same words of a state")
    func decisions() throws {
        let error = try refusal(of: #"{"state":"refused"}"#, as: DecisionParameters.self)
        #expect(error.message == Self.stateSentence)
    }

    private static let wrongLogins: [Wrong] = [
        Wrong("{}", "email", "email: is missing"),
        Wrong(#"{"email":"a@b"}"#, "password", "password: is missing"),
        Wrong(#"{"email":"a@b","password":7}"#, "password", "password: has the wrong type"),
        Wrong(#"{"email":"","password":"p"}"#, "email", "email: must not be empty"),
        Wrong(#"{"email":"a@b","password":""}"#, "password", "password: must not be empty"),
        Wrong(
            #"{"email":"a@b","password":"\#(String(repeating: "p", count: 1025))"}"#, "password",
            "password: must be at most 1024 bytes long"),
    ]

    @Test("a wrong member of a login is named, and nothing of it shown", arguments: wrongLogins)
    func logins(wrong: Wrong) {
        var found: RequestError?
        do throws(RequestError) {
            let line = #"{"id":1,"method":"account.login","params":\#(wrong.parameters)}"#
            guard case .request(let request) = StationRequest.read(Array(line.utf8)) else {
                Issue.record("no request")
                return
            }
            try request.parameters(LoginParameters.self).check()
        } catch {
            found = error
        }
        #expect(found?.path == wrong.path)
        #expect(found?.message == wrong.says)
    }

    @Test("a login shows neither address nor password")
    func hiddenLogin() {
        let login = LoginParameters(email: "anna@b", password: "correct horse")
        var shown = "\(login) \(String(reflecting: login))"
        dump(login, to: &shown)
        #expect(!shown.contains("anna"))
        #expect(!shown.contains("horse"))
    }

    private struct Deep: Decodable {
        struct Place: Decodable { let object: String }
        let places: [Place]
    }

    @Test("a path leads through objects and lists")
    func deepPath() throws {
        let error = try refusal(
            of: #"{"places":[{"object":"a"},{"object":5}]}"#, as: Deep.self)
        #expect(error.path == "places[1].object")
    }

    struct Right: Sendable, CustomTestStringConvertible {
        let parameters: String?
        let expected: SubscribeParameters

        init(_ parameters: String?, _ expected: SubscribeParameters) {
            self.parameters = parameters
            self.expected = expected
        }

        var testDescription: String { parameters ?? "none" }
    }

    private static let rightSubscriptions: [Right] = [
        Right(nil, .init()),
        Right("{}", .init()),
        Right(#"{"later":1}"#, .init()),
        Right(#"{"since":"start"}"#, .init(since: .start)),
        Right(#"{"since":"now"}"#, .init(since: .now)),
        Right(#"{"since":0}"#, .init(since: .after(0))),
        Right(#"{"since":9223372036854775807}"#, .init(since: .after(.max))),
        Right(
            #"{"types":["scan"],"readers":[],"since":12,"log":"a"}"#,
            .init(types: ["scan"], readers: [], since: .after(12), log: "a")),
        Right(#"{"types":null,"since":null}"#, .init()),
    ]

    @Test("what is right is read, and what is not known ignored", arguments: rightSubscriptions)
    func reads(right: Right) throws {
        #expect(try read(right.parameters, as: SubscribeParameters.self) == right.expected)
    }

    private static let starts: [SubscribeParameters.Since] = [.after(0), .after(77), .start, .now]

    @Test("where a subscription begins is written as it is read", arguments: starts)
    func sinceRoundTrip(since: SubscribeParameters.Since) throws {
        let parameters = SubscribeParameters(since: since)
        let text = String(decoding: try JSONLine.encode(parameters), as: UTF8.self)
        #expect(try read(text, as: SubscribeParameters.self) == parameters)
    }
}
