import FoundationEssentials
import Glibc
import Platform
import TestRig
import Testing

@Suite("Logging in and out", .serialized)
struct LoginTests {
    @Test("a login is stored for the station's user alone, and outlives a restart")
    func stored() throws {
        let bench = SessionBench()
        let station = bench.start()
        let client = try bench.watch(station)
        let before = try bench.awaitState(client, "unauthorised")
        #expect(
            before["reason"] == .string("nobody is logged in; log in with: plingsctl login"))
        let login = bench.login(station)
        #expect(login.wait() == .exit(0))
        let account = try #require(bench.member("account"))
        let sentence = "Logged in as \(account). The station renews the session by itself.\n"
        #expect(login.output == sentence)
        _ = try bench.awaitState(client, "online")
        #expect(try client.call("status")["account"] == .string(account))
        var status = stat()
        #expect(stat(bench.sessionFile, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        station.program.kill()
        let again = bench.start()
        let later = try bench.watch(again)
        _ = try bench.awaitState(later, "online")
        #expect(bench.requests("auth.password") == 1)
        #expect(client.problems.isEmpty && later.problems.isEmpty)
    }

    @Test("what keeps a login from working is said in a sentence")
    func failures() throws {
        let bench = SessionBench()
        let station = bench.start()
        let wrong = bench.login(station, ("anna@plings.test", "guess"))
        #expect(wrong.wait() == .exit(1))
        #expect(
            wrong.errors == "plingsctl: the auth server refuses this e-mail address and password\n")
        bench.sandbox.control("settings", #"{"auth_error_style":"oauth"}"#)
        #expect(bench.login(station, ("anna@plings.test", "guess")).errors == wrong.errors)
        bench.sandbox.control(
            "faults", #"{"op":"auth.*","kind":"http","status":429,"retry_after":7,"count":1}"#)
        #expect(
            bench.login(station).errors
                == "plingsctl: the auth server asks for fewer requests; try again in 7 s\n")
        bench.sandbox.control("faults", #"{"op":"auth.*","kind":"html","count":1}"#)
        #expect(
            bench.login(station).errors
                == "plingsctl: the auth server's answer holds no session\n")
        bench.folder.write("api-key", "another-key")
        #expect(
            bench.login(station).errors
                == "plingsctl: the auth server refuses the API key (HTTP 401)\n")
        bench.folder.write("api-key", "")
        let file = "\(bench.folder.path)/api-key"
        let empty = "plingsctl: the API key file \(file): it is empty\n"
        #expect(bench.login(station).errors == empty)
        bench.folder.write("api-key", SessionBench.apiKey)
        bench.sandbox.control("outage", #"{"mode":"refuse"}"#)
        let away = "the auth server can't be asked: 127.0.0.1 refused the connection\n"
        #expect(bench.login(station).errors == "plingsctl: " + away)
        #expect(access(bench.sessionFile, F_OK) != 0)
    }

    @Test("without an API key a server that wants one is told as wanting one, with the key to set")
    func withoutKey() {
        let bench = SessionBench()
        let station = StationProcess(
            in: bench.folder,
            """
            [api]
            endpoint = "\(bench.sandbox.endpoint)"
            auth_url = "\(bench.authURL)"
            """)
        let sentence =
            "the auth server wants an API key: set `api_key_file` under [api] (HTTP 401)\n"
        #expect(bench.login(station).errors == "plingsctl: " + sentence)
    }

    @Test("without an auth server in the configuration a login says which keys are missing")
    func notConfigured() throws {
        let bench = SessionBench()
        let station = StationProcess(in: bench.folder, Setting.api(bench.sandbox, in: bench.folder))
        let client = try ProtocolClient(path: station.socket)
        let reply = try client.call("account.login", #"{"email":"a@b","password":"c"}"#)
        #expect(reply.reason == "notConfigured")
        #expect(try client.call("account.logout").reason == "notConfigured")
        let empty = try client.call("account.login", #"{"email":"a@b","password":""}"#)
        #expect(empty.path == "password")
        let sentence = "nobody can log in: [api] endpoint and auth_url are not both set\n"
        #expect(bench.login(station).errors == "plingsctl: " + sentence)
        #expect(client.problems.isEmpty)
    }

    @Test("a logout forgets and revokes the session; without the server it forgets all the same")
    func logout() throws {
        let bench = SessionBench()
        let station = bench.start()
        let client = try bench.watch(station)
        bench.login(station)
        _ = try bench.awaitState(client, "online")
        let logout = bench.plingsctl(station, ["logout"])
        #expect(logout.wait() == .exit(0))
        #expect(logout.output == "Logged out. Scans are kept until somebody logs in again.\n")
        #expect(logout.errors == "")
        let ended = try bench.awaitState(client, "unauthorised")
        #expect(ended["reason"]?.string?.contains("log in with: plingsctl login") == true)
        #expect(bench.refreshTokens().map(\.ended) == [true])
        #expect(access(bench.sessionFile, F_OK) != 0)
        bench.login(station)
        bench.sandbox.control("outage", #"{"mode":"refuse"}"#)
        let alone = bench.plingsctl(station, ["logout"])
        #expect(alone.wait() == .exit(0))
        #expect(
            alone.errors.hasPrefix(
                "plingsctl: the station has forgotten the session, but the auth server could not "
                    + "be told: the auth server can't be asked: 127.0.0.1 "))
        #expect(access(bench.sessionFile, F_OK) != 0)
        #expect(client.problems.isEmpty)
    }

    @Test("another account leaves the scans of the one before waiting, and shows how many")
    func otherAccount() throws {
        let bench = SessionBench()
        let station = bench.start()
        bench.login(station)
        let client = try bench.watch(station)
        _ = try bench.awaitState(client, "online")
        bench.sandbox.control("faults", #"{"op":"resolveIdentifier","status":503,"count":-1}"#)
        let url = bench.sandbox.url(of: "bike")
        var scans: [String] = []
        for _ in 0..<3 { scans.append(try bench.submit(client, url)) }
        bench.login(station, SessionBench.bo)
        bench.sandbox.control("faults", method: "DELETE")
        let other = try bench.submit(client, bench.sandbox.url(of: "drill"))
        _ = try bench.resolution(client, of: other, from: "api")
        #expect(bench.sandbox.scanEvents().compactMap(\.idempotencyKey) == [other])
        let outbox = try client.call("status")["outbox"]
        #expect(outbox?["held"] == .integer(3))
        #expect(outbox?["scans"] == .integer(3))
        #expect(bench.plingsctl(station, ["status"]).output.contains("3 of another account"))
        bench.login(station)
        #expect(bench.drained(client))
        #expect(bench.sandbox.scanEvents().compactMap(\.idempotencyKey) == [other] + scans)
        #expect(try client.call("status")["outbox"]?["held"] == nil)
        #expect(client.problems.isEmpty)
    }

    @Test("a session of another auth server is not sent to this one")
    func otherServer() throws {
        let bench = SessionBench()
        let station = bench.start()
        bench.login(station)
        _ = try bench.awaitState(try bench.watch(station), "online")
        station.stop()
        let server = try ScriptedHTTPServer([])
        defer { server.stop() }
        let again = bench.start(authURL: "http://127.0.0.1:\(server.port)")
        let client = try bench.watch(again)
        _ = try bench.awaitState(client, "online")
        let event = try bench.awaitState(client, "unauthorised")
        #expect(
            event["reason"]
                == .string(
                    "the session is another auth server's; log in with: plingsctl login"))
        #expect(server.requests.isEmpty)
    }
}
