import Glibc
import Platform
import TestRig
import Testing

@Suite("A session that renews itself", .serialized)
struct SessionTests {
    private static let fixtures = ["bike", "drill", "box"]

    @Test("tokens of seconds are renewed through restarts and kills; every scan is delivered")
    func rotations() throws {
        let bench = SessionBench(tokenLife: 3)
        let urls = Self.fixtures.map { bench.sandbox.url(of: $0) }
        var station = bench.start()
        #expect(bench.login(station).output.hasPrefix("Logged in as "))
        var scans: [String] = []
        for round in 0..<4 {
            let client = try bench.watch(station)
            let known = bench.refreshTokens().count
            // Two renewals in each life of the daemon, with scans before, between and after.
            for renewals in 0...2 {
                #expect(
                    Poll.until(seconds: 60) { bench.refreshTokens().count >= known + renewals })
                for url in urls { scans.append(try bench.submit(client, url)) }
            }
            #expect(client.problems.isEmpty)
            if round % 2 == 0 { station.program.kill() } else { station.stop() }
            station = bench.start()
        }
        let client = try bench.watch(station)
        #expect(bench.drained(client))
        let events = bench.sandbox.scanEvents()
        #expect(Set(events.compactMap(\.idempotencyKey)) == Set(scans))
        for identifier in Set(events.map(\.identifier)) {
            var order: [String] = []
            for event in events where event.identifier == identifier {
                let scan = event.idempotencyKey ?? ""
                if !order.contains(scan) { order.append(scan) }
            }
            let made = scans.filter { order.contains($0) }
            #expect(order == made)
        }
        #expect(try client.call("status")["outbox"]?["attention"] == .integer(0))
        let states = try bench.states(station).dropFirst()
        #expect(!states.contains("unauthorised"))
        #expect(bench.sandbox.control("violations").contains("apikey") == false)
        #expect(client.problems.isEmpty)
    }

    @Test("killed between the server's renewal and ours, it goes on with what the server kept")
    func killedWhileRenewing() throws {
        let bench = SessionBench(tokenLife: 4)
        let station = bench.start()
        bench.login(station)
        bench.sandbox.control(
            "faults", #"{"op":"auth.refresh_token","kind":"timeout","when":"after","delay":60}"#)
        #expect(Poll.until(seconds: 60) { bench.refreshTokens().count == 2 })
        station.program.kill()
        let again = bench.start()
        let client = try bench.watch(again)
        let scan = try bench.submit(client, bench.sandbox.url(of: "bike"))
        let answer = try bench.resolution(client, of: scan, from: "api")
        #expect(answer["outcome"] == .string("KNOWN_OBJECT"))
        #expect(Poll.until(seconds: 60) { bench.refreshTokens().count >= 3 })
        let states = try bench.states(again).dropFirst()
        #expect(!states.contains("unauthorised"))
        #expect(client.problems.isEmpty)
    }

    @Test("where the session is lost with the answer, that is said once, and a login delivers all")
    func lostForGood() throws {
        let bench = SessionBench(tokenLife: 4)
        bench.sandbox.control(
            "settings", #"{"refresh_reuse_interval":0,"refresh_parent_reuse":false}"#)
        let station = bench.start()
        bench.login(station)
        let account = try bench.watch(station).call("status")["account"]
        bench.sandbox.control(
            "faults", #"{"op":"auth.refresh_token","kind":"timeout","when":"after","delay":60}"#)
        #expect(Poll.until(seconds: 60) { bench.refreshTokens().count == 2 })
        station.program.kill()
        let again = bench.start()
        let client = try bench.watch(again)
        _ = try bench.awaitState(client, "unauthorised")
        // The first one is of the time before the login.
        let lost = try bench.awaitState(client, "unauthorised")
        #expect(lost["reason"]?.string?.contains("log in with: plingsctl login") == true)
        let url = bench.sandbox.url(of: "bike")
        var scans: [String] = []
        for _ in 0..<3 { scans.append(try bench.submit(client, url)) }
        let first = try bench.resolution(client, of: scans[0])
        #expect(first["outcome"] == .string("OFFLINE") || first["source"] == .string("cache"))
        let status = try client.call("status")
        #expect(status["account"] == account)
        #expect(status["outbox"]?["scans"] == .integer(3))
        #expect(status["outbox"]?["attention"] == .integer(0))
        #expect(again.program.errors.contains("log in again with plingsctl login"))
        let report = bench.plingsctl(again, ["status"]).output
        #expect(report.contains("log in with: plingsctl login"))
        #expect(!report.contains("token_file"))
        bench.login(again)
        #expect(bench.drained(client))
        #expect(bench.sandbox.scanEvents().compactMap(\.idempotencyKey) == scans)
        let said = try bench.states(again).count { $0 == "unauthorised" }
        #expect(said == 2, "before the login, and once after the session was lost")
        #expect(client.problems.isEmpty)
    }

    @Test("without the auth server it goes on while the token is good, then waits, then recovers")
    func authServerAway() throws {
        let bench = SessionBench(tokenLife: 5)
        let station = bench.start()
        bench.login(station)
        let client = try bench.watch(station)
        _ = try bench.awaitState(client, "online")
        bench.sandbox.control("faults", #"{"op":"auth.*","kind":"reset","count":-1}"#)
        let url = bench.sandbox.url(of: "bike")
        let good = try bench.submit(client, url)
        #expect(try bench.resolution(client, of: good, from: "api")["late"] == nil)
        let away = try bench.awaitState(client, "offline")
        #expect(away["reason"]?.string?.contains("127.0.0.1 closed the connection") == true)
        let waiting = try bench.submit(client, bench.sandbox.url(of: "drill"))
        let offline = try bench.resolution(client, of: waiting)
        #expect(offline["outcome"] == .string("OFFLINE"))
        #expect(offline["reason"] == .string("network"))
        bench.sandbox.control("faults", method: "DELETE")
        _ = try bench.awaitState(client, "online")
        #expect(try bench.resolution(client, of: waiting, from: "api")["late"] == .bool(true))
        #expect(try client.call("status")["outbox"]?["attention"] == .integer(0))
        #expect(client.problems.isEmpty)
    }

    private static let clocks: [Int64] = [-13 * 86_400_000, 0, 13 * 86_400_000]

    @Test("after another boot it is renewed at once, however wrong the clock is", arguments: clocks)
    func otherBoot(offset: Int64) throws {
        let bench = SessionBench()
        let station = bench.start()
        bench.login(station)
        station.stop()
        try bench.moveSession(by: offset, boot: "00000000-0000-4000-8000-000000000000")
        let again = bench.start()
        let client = try bench.watch(again)
        let scan = try bench.submit(client, bench.sandbox.url(of: "bike"))
        let answer = try bench.resolution(client, of: scan, from: "api")
        #expect(answer["outcome"] == .string("KNOWN_OBJECT"))
        #expect(Poll.until { bench.requests("auth.refresh_token") == 1 })
        let states = try bench.states(again).dropFirst()
        #expect(!states.contains("unauthorised"))
        #expect(client.problems.isEmpty)
    }

    @Test("a token that the API refuses is renewed once, and the scan is answered in time")
    func refusedToken() throws {
        let bench = SessionBench()
        let station = bench.start(more: "answer_patience = \"30s\"")
        bench.login(station)
        let client = try bench.watch(station)
        _ = try bench.awaitState(client, "online")
        let token = try #require(bench.member("accessToken"))
        bench.sandbox.control("token/revoke", #"{"token":"\#(token)"}"#)
        let scan = try bench.submit(client, bench.sandbox.url(of: "bike"))
        let answer = try bench.resolution(client, of: scan)
        #expect(answer["source"] == .string("api"))
        #expect(answer["outcome"] == .string("KNOWN_OBJECT"))
        #expect(bench.requests("auth.refresh_token") == 1)
        #expect(try bench.states(station) == ["unauthorised", "online"])
        #expect(client.problems.isEmpty)
    }

    @Test("an API that refuses every token causes one renewal and no storm of them")
    func refusedAlways() throws {
        let bench = SessionBench()
        let station = bench.start()
        bench.login(station)
        let client = try bench.watch(station)
        _ = try bench.awaitState(client, "online")
        bench.sandbox.control(
            "faults",
            #"{"op":"resolveIdentifier","kind":"graphql_error","code":"UNAUTHENTICATED","count":-1}"#
        )
        let url = bench.sandbox.url(of: "bike")
        for _ in 0..<5 { _ = try bench.submit(client, url) }
        let refused = try bench.awaitState(client, "unauthorised")
        #expect(refused["reason"] == .string("the API refuses the token"))
        #expect(bench.requests("auth.refresh_token") == 1)
        #expect(try bench.states(station) == ["unauthorised", "online", "unauthorised"])
        #expect(try client.call("status")["outbox"]?["attention"] == .integer(0))
        #expect(client.problems.isEmpty)
    }
}
