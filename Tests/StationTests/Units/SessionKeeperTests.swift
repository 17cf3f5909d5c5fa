import FoundationEssentials
import LineProtocols
import Platform
import PlingsAPI
import Scanning
import ServiceManager
import TestRig
import Testing

@testable import Station

@Suite("Keeping a session")
@LoopActor
struct SessionKeeperTests {
    private let api: ScriptedAPI
    private let folder: TestFolder
    private let keeper: SessionKeeper
    private let told = Told()
    private var path: String { "\(folder.path)/state/session.json" }

    /// What the keeper told, and what was on disk then.
    private final class Told {
        var credentials: [Credential] = []
        var onDisk: [String] = []

        /// The latest, in a word.
        var last: String {
            switch credentials.last {
            case .token(let token, _)?: token.secret.reveal { $0 }
            case .missing(let reason, _)?: "missing: \(reason)"
            case .awaited?: "awaited"
            case .unreachable(let reason, _)?: "unreachable: \(reason)"
            case nil: "nothing"
            }
        }
    }

    init() throws {
        api = try ScriptedAPI()
        api.script = { _ in nil }
        folder = TestFolder()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/state", withIntermediateDirectories: false)
        let client = try PlingsClient(
            endpoint: api.endpoint, caFile: nil, timeout: .seconds(10), userAgent: "test")
        let url = "http://127.0.0.1:\(api.port)"
        let path = "\(folder.path)/state/session.json"
        let auth = try AuthClient(
            url: url, apiKeyFile: nil, timeout: .seconds(10), sharing: client)
        keeper = SessionKeeper(
            client: auth, file: SessionFile(path: path), server: url, log: Log(level: .error))
        keeper.onChange = { [told] credential in
            told.credentials.append(credential)
            let data = try? Data(contentsOf: URL(fileURLWithPath: path))
            told.onDisk.append(data.map { String(decoding: $0, as: UTF8.self) } ?? "")
        }
    }

    private func end() async {
        await keeper.stop()
        api.stop()
    }

    private nonisolated static func session(_ name: String, seconds: Double = 3600)
        -> ScriptedAPI.Reply
    {
        ScriptedAPI.Reply(
            body: #"{"access_token":"access-\#(name)","refresh_token":"refresh-\#(name)","#
                + #""expires_in":\#(seconds),"user":{"id":"user-\#(name)"}}"#)
    }

    /// The first request that waits and has this in its body.
    private func request(with text: String) async throws -> ScriptedAPI.Request {
        _ = await eventually { api.waiting.contains { $0.body.contains(text) } }
        return try #require(api.waiting.first { $0.body.contains(text) })
    }

    private func login(_ name: String, seconds: Double = 3600) async throws {
        async let result = keeper.login(email: "a@b", password: Secret("pw-\(name)"))
        api.answer(
            try await request(with: "pw-\(name)"), Self.session(name, seconds: seconds))
        _ = try await result
    }

    @Test("a token is told only once its session is on disk")
    func storedFirst() async throws {
        await keeper.start()
        #expect(told.last == "missing: nobody is logged in; log in with: plingsctl login")
        try await login("one", seconds: 2)
        #expect(told.last == "access-one")
        #expect(told.onDisk.last?.contains("refresh-one") == true)
        api.answer(try await request(with: "refresh-one"), Self.session("two"))
        #expect(await eventually { told.last == "access-two" })
        #expect(told.onDisk.last?.contains("refresh-two") == true)
        await end()
    }

    @Test(
        "a renewed session that can't be stored is not used; it is stored later, not renewed again")
    func notStored() async throws {
        await keeper.start()
        try await login("one", seconds: 2)
        try FileManager.default.moveItem(
            atPath: "\(folder.path)/state", toPath: "\(folder.path)/away")
        api.answer(try await request(with: "refresh-one"), Self.session("two"))
        #expect(
            await eventually { told.last.hasPrefix("unreachable: the session can't be stored") })
        #expect(!told.last.contains("refresh"))
        try FileManager.default.moveItem(
            atPath: "\(folder.path)/away", toPath: "\(folder.path)/state")
        #expect(await eventually { told.last == "access-two" })
        #expect(api.waiting.isEmpty, "the server is not asked again")
        #expect(told.onDisk.last?.contains("refresh-two") == true)
        await end()
    }

    @Test("a login that can't be stored is said, leaves the session before, and is revoked")
    func loginNotStored() async throws {
        await keeper.start()
        try await login("one")
        try FileManager.default.moveItem(
            atPath: "\(folder.path)/state", toPath: "\(folder.path)/away")
        async let refused = refusal(of: "two")
        api.answer(try await request(with: "pw-two"), Self.session("two"))
        let error = await refused
        #expect(error?.reason == .full)
        #expect(error?.message.hasPrefix("logged in, but the session can't be stored: ") == true)
        #expect(told.last == "access-one")
        #expect(await eventually { api.waiting.contains { $0.body.isEmpty } }, "it is revoked")
        await end()
    }

    /// What a login is refused with; nil where it is not.
    private func refusal(of name: String) async -> RequestError? {
        do throws(RequestError) {
            _ = try await keeper.login(email: "a@b", password: Secret("pw-\(name)"))
            return nil
        } catch {
            return error
        }
    }

    @Test("what a renewal brings after a login is void")
    func loginMeanwhile() async throws {
        await keeper.start()
        try await login("one", seconds: 2)
        let renewal = try await request(with: "refresh-one")
        try await login("other")
        api.answer(renewal, Self.session("two"))
        // The next request of the keeper's comes after it has taken in that answer.
        async let again = keeper.login(email: "a@b", password: Secret("pw-third"))
        api.answer(try await request(with: "pw-third"), Self.session("third"))
        _ = try await again
        #expect(told.last == "access-third")
        let accounts = told.credentials.map(\.account)
        #expect(!accounts.contains("user-two"))
        #expect(told.onDisk.last?.contains("refresh-third") == true)
        await end()
    }

    @Test("what a renewal brings after a logout is void, and leaves no file")
    func logoutMeanwhile() async throws {
        await keeper.start()
        try await login("one", seconds: 2)
        let renewal = try await request(with: "refresh-one")
        async let result = keeper.logout()
        _ = await eventually { told.last.hasPrefix("missing") }
        api.answer(renewal, Self.session("two"))
        _ = await eventually { api.waiting.contains { $0.token == "Bearer access-one" } }
        let revoking = try #require(api.waiting.first { $0.token == "Bearer access-one" })
        api.answer(revoking, ScriptedAPI.Reply(body: "{}"))
        let ended = try await result
        #expect(ended == LogoutResult(notRevoked: nil))
        #expect(told.last.hasPrefix("missing"))
        #expect(!FileManager.default.fileExists(atPath: path))
        await end()
    }

    @Test("a stop waits for a renewal that is under way, and not for long")
    func stop() async throws {
        await keeper.start()
        try await login("one", seconds: 2)
        let renewal = try await request(with: "refresh-one")
        async let stopped: Void = keeper.stop(within: .seconds(60))
        api.answer(renewal, Self.session("two"))
        await stopped
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(String(decoding: data, as: UTF8.self).contains("refresh-two"))
        try await login("three", seconds: 2)
        await keeper.stop(within: .milliseconds(1))
        await end()
    }

    @Test("one login at a time: another meanwhile is told so")
    func busy() async throws {
        await keeper.start()
        async let first = keeper.login(email: "a@b", password: Secret("pw-one"))
        let request = try await request(with: "pw-one")
        var refusal: RequestError?
        do {
            _ = try await keeper.login(email: "a@b", password: Secret("pw-two"))
        } catch {
            refusal = error
        }
        #expect(refusal?.reason == .busy)
        #expect(refusal?.message == "another login or logout is under way")
        api.answer(request, Self.session("one"))
        _ = try await first
        await end()
    }

    @Test("a damaged file is no session, and is said without its contents")
    func damaged() async throws {
        folder.write("state/session.json", #"{"version":1,"refreshToken":"s3cret"#)
        await keeper.start()
        let sentence = "\(path) does not hold a session; log in with: plingsctl login"
        #expect(told.last == "missing: " + sentence)
        await end()
    }
}
