import PlingsAPI
import TestRig
import Testing

@testable import Doctor

/// Bytes of an HTTP/1.1 answer.
func answer(
    _ status: Int, _ body: String, type: String = "application/json", _ headers: [String] = []
) -> [UInt8] {
    var lines = ["HTTP/1.1 \(status) Reason", "Content-Type: \(type)"] + headers
    lines.append("Content-Length: \(body.utf8.count)")
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
}

@Suite("What is said of the API", .serialized)
struct APITopicTests {
    private static let token = "s3cr3t.t0k3n-abcdefghijklmnop"

    /// A place whose API is at an address, with a token.
    private func place(_ endpoint: String, more: String = "") -> Place {
        let place = Place()
        let file = place.folder.write("token", Self.token)
        place.configure(
            "[api]\nendpoint = \"\(endpoint)\"\ntoken_file = \"\(file)\"\n\(more)\n")
        return place
    }

    private func run(_ step: ScriptedHTTPServer.Step) async throws -> (DoctorRun, String) {
        let server = try ScriptedHTTPServer([step])
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/graphql"
        let run = await DoctorRun(place(url))
        #expect(!run.text.contains(Self.token))
        return (run, url)
    }

    @Test("the API that takes the token is named; one that has revoked it too")
    func real() async throws {
        let sandbox = SandboxProcess()
        let place = Place()
        let file = place.folder.write("token", "token-anna")
        place.configure(
            "[api]\nendpoint = \"\(sandbox.endpoint)\"\ntoken_file = \"\(file)\"\n")
        let good = await DoctorRun(place)
        good.expectOK("api-answers", "the API at 127.0.0.1 answers and takes the token")
        place.folder.write("token", "token-nobody")
        let revoked = await DoctorRun(place)
        revoked.expectProblem(
            "token-refused",
            "the API at 127.0.0.1 refuses the token in \(file): it was revoked, or is for another API",
            command: "sudoedit \(file)")
        #expect(!revoked.text.contains("token-nobody"))
    }

    @Test("no API is a note and no problem")
    func notConfigured() async throws {
        let place = Place()
        let run = await DoctorRun(place)
        run.expectNote(
            "api-not-configured",
            "no API is configured (`endpoint` under [api]): scans stay on this machine",
            command: "sudoedit \(place.configuration)")
        #expect(run.findings["token-none"] == nil)
    }

    @Test("a port where nobody listens refuses connections")
    func refused() async throws {
        let port = try RefusingPort()
        let url = "http://127.0.0.1:\(port.port)/graphql"
        let run = await DoctorRun(place(url))
        run.expectProblem(
            "api-refuses",
            "127.0.0.1 refuses connections: the API is down there, or `endpoint` has another port "
                + "than it", command: "curl -sS -o /dev/null \(url)")
    }

    @Test("a host that answers no connection, and one that never answers the question")
    func timeouts() async throws {
        let port = try SilentPort()
        let url = "http://127.0.0.1:\(port.port)/graphql"
        let off = await DoctorRun(place(url))
        off.expectProblem(
            "api-connect-timeout",
            "127.0.0.1 does not take connections: it is off, or a firewall is between",
            command: "curl -sS -m 10 -o /dev/null \(url)")
        let (slow, slowURL) = try await run(.hold(answer(200, "")))
        slow.expectProblem(
            "api-answer-timeout",
            "127.0.0.1 took the question and did not answer within 8 s",
            command: "curl -sS -m 20 -o /dev/null \(slowURL)")
    }

    @Test("a name that does not resolve is told as such")
    func name() async throws {
        let run = await DoctorRun(place("https://api.plings.invalid/graphql"))
        // A name server that says nothing is one of this machine's.
        if let silent = run.findings["api-name-timeout"] {
            #expect(
                silent.text == "the name of the API's host api.plings.invalid was not resolved in "
                    + "time: the name server does not answer")
            return
        }
        let found = try #require(run.findings["api-name"], "\(run.text)")
        #expect(
            found.text == "the name of the API's host api.plings.invalid can't be resolved: there "
                + "is no network, or `endpoint` has a slip of the pen in it")
        #expect(found.command == "getent hosts api.plings.invalid")
    }

    @Test("a proxy that can't be reached, or refuses, is told without its address")
    func proxy() async throws {
        let place = place("https://api.plings.test/graphql")
        let port = try RefusingPort()
        let secret = "http://anna:pr0xys3cret@127.0.0.1"
        let gone = await DoctorRun(
            place, environment: ["https_proxy": "\(secret):\(port.port)"])
        gone.expectProblem(
            "api-proxy", "the proxy that the environment names (https_proxy) can't be reached",
            command: "systemctl show plingsd --property=Environment")
        #expect(!gone.text.contains("pr0xys3cret"))
        let server = try ScriptedHTTPServer([.answerThenClose(answer(403, ""))])
        defer { server.stop() }
        let refusing = await DoctorRun(
            place, environment: ["https_proxy": "\(secret):\(server.port)"])
        refusing.expectProblem(
            "api-proxy-status",
            "the proxy that the environment names (https_proxy) refuses to connect to "
                + "api.plings.test (HTTP 403)",
            command: "systemctl show plingsd --property=Environment")
        #expect(!refusing.text.contains("pr0xys3cret"))
    }

    @Test("a portal's page, a redirect to it, a wrong path and a server in trouble")
    func answers() async throws {
        let html = answer(200, "<html>Welcome</html>", type: "text/html; charset=utf-8")
        let (portal, portalURL) = try await run(.answer(html))
        portal.expectProblem(
            "api-portal",
            "a web page answers in place of the API at 127.0.0.1 (HTTP 200): the network wants a "
                + "login first, or `endpoint` is the address of a page",
            command: "curl -sS \(portalURL) | head")
        let moved = answer(302, "", ["Location: https://login.hotel.example/"])
        let (redirected, redirectedURL) = try await run(.answer(moved))
        redirected.expectProblem(
            "api-redirected",
            "127.0.0.1 sends the question elsewhere (the API redirected to another host "
                + "(login.hotel.example): not followed): the network wants a login first, or "
                + "`endpoint` is out of date", command: "curl -sSI \(redirectedURL)")
        let (nothing, _) = try await run(.answer(answer(404, "no")))
        #expect(
            nothing.findings["api-nothing-there"]?.text == "127.0.0.1 answers, but has no API at "
                + "this address (HTTP 404): the path in `endpoint` is wrong")
        let (down, _) = try await run(.answer(answer(503, "")))
        down.expectProblem(
            "api-trouble",
            "the API at 127.0.0.1 is in trouble (HTTP 503); scans are kept and delivered later",
            command: "plingsctl status")
        let (strange, _) = try await run(.answer(answer(200, "hello", type: "text/plain")))
        #expect(
            strange.findings["api-strange"]?.text == "what answers at 127.0.0.1 is not the Plings "
                + "API: it answers HTTP 200 without GraphQL")
    }

    @Test("a file of authorities that can't be read is told as the setting that it is")
    func authorities() async throws {
        let run = await DoctorRun(
            place("https://api.plings.invalid/", more: "ca_file = \"/nowhere/ca.pem\""))
        #expect(
            run.findings["api-wrong-setting"]?.text == "the API can't be asked: the certificate "
                + "file /nowhere/ca.pem: No such file or directory", "\(run.text)")
    }

    @Test("a clock that is far off the API's is told with how far and which way")
    func clock() async throws {
        let welcome = #"{"data":{"__typename":"Query"}}"#
        let old = answer(200, welcome, ["Date: Sun, 01 Jan 2023 00:00:00 GMT"])
        let (ahead, _) = try await run(.answer(old))
        let found = try #require(ahead.findings["clock-off"], "\(ahead.text)")
        #expect(found.text.hasPrefix("this machine's clock is "))
        #expect(found.text.hasSuffix(" days ahead of the API's: scans get wrong times"))
        #expect(found.command == "sudo timedatectl set-ntp true")
        let new = answer(200, welcome, ["Date: Fri, 01 Jan 2100 00:00:00 GMT"])
        let (behind, _) = try await run(.answer(new))
        #expect(behind.findings["clock-off"]?.text.contains(" days behind the API's") == true)
    }
}

@Suite("What is said of the API's certificate", .serialized)
struct CertificateTests {
    private static let suspect = ClockFacts(now: 1_780_000_000_000, isSet: false)
    private static let sure = ClockFacts(now: 1_780_000_000_000, isSet: true)

    private func facts(
        _ pair: Certificates.Pair, trusting file: String?
    ) throws -> APIFacts {
        let server = try TLSServer(pair)
        let place = Place()
        let authority = file.map { "ca_file = \"\($0)\"\n" } ?? ""
        place.configure(
            "[api]\nendpoint = \"https://localhost:\(server.port)/graphql\"\n\(authority)")
        let surroundings = Surroundings(
            environment: [:], configurationFile: place.configuration)
        return APIFacts(
            surroundings, ConfigurationFacts(lookingAround: surroundings), token: nil,
            within: .seconds(8))
    }

    @Test("one that has expired is the server's fault where the clock is right, else the clock's")
    func expired() throws {
        let certificates = try Certificates()
        let pair = try certificates.signed(
            "old", for: "DNS:localhost", validity: Certificates.past)
        let facts = try facts(pair, trusting: certificates.authority)
        #expect(
            facts.findings(clock: Self.sure).map(\.text) == [
                "the certificate of localhost has expired: whoever runs localhost must renew it"
            ])
        let suspected = facts.findings(clock: Self.suspect)
        #expect(
            suspected.map(\.text) == [
                "the certificate of localhost is refused because this machine's clock is wrong: it "
                    + "says 2026-05-28T20:26:40Z, and was not set since the machine started"
            ])
        #expect(suspected[0].command == "sudo timedatectl set-ntp true")
    }

    @Test(
        "one of an unknown authority, and one for another host, are told apart; a good one is taken"
    )
    func others() throws {
        let certificates = try Certificates()
        let pair = try certificates.signed("good", for: "DNS:localhost")
        #expect(
            try facts(pair, trusting: nil).findings(clock: Self.suspect).map(\.text) == [
                "the certificate of localhost is from an authority that is not trusted here: one "
                    + "of your own is named by `ca_file`, the usual ones are in ca-certificates"
            ])
        let other = try certificates.signed("other", for: "DNS:api.plings.io")
        let wrong = try facts(other, trusting: certificates.authority)
        #expect(
            wrong.findings(clock: Self.suspect).map(\.text) == [
                "the certificate at localhost is for another host: `endpoint` is wrong, or a login "
                    + "page of the network answers in its place"
            ])
        let good = try facts(pair, trusting: certificates.authority)
        #expect(
            good.findings(clock: Self.suspect).map(\.text) == [
                "the API at localhost can be reached; the token was not tried"
            ])
    }

    @Test("one that is not yet valid is the clock's fault unless the clock is right")
    func notYetValid() {
        let error = TransportError.tls(host: "a.example", .notYetValid)
        let facts = APIFacts(
            outcome: .examined(.init(.unreachable(error))), host: "a.example",
            url: "https://a.example/", file: "/c", seconds: 8)
        #expect(facts.findings(clock: Self.suspect)[0].check == "api-certificate-clock")
        #expect(
            facts.findings(clock: Self.sure)[0].text == "the certificate of a.example is not valid "
                + "yet, although this machine's clock is right: whoever runs a.example must "
                + "replace it")
    }
}
