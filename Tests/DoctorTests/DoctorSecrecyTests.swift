import Glibc
import TestRig
import Testing

@testable import Doctor

private let token = "s3cr3t.t0k3n-abcdefghijklmnop"

/// Answers of a server that repeats the token wherever it can.
private let echoes: [ScriptedHTTPServer.Step] = {
    let error = #"{"data":null,"errors":[{"message":"bad \#(token)","extensions":{"code":"C"}}]}"#
    let codes = ["FORBIDDEN", "UNAUTHENTICATED", "BAD_INPUT", token].map { code in
        answer(200, error.replacing("\"C\"", with: "\"\(code)\""))
    }
    let pages = [200, 404, 503].map { answer($0, token, type: "text/\(token)") }
    let targets = ["https://\(token)/", "http://\(token)/", "https://\(token)@127.0.0.1/", token]
    let redirects = targets.map { answer(302, "", ["Location: \($0)"]) }
    return (codes + pages + redirects).map { .answer($0) }
}()

@Suite("plingsctl doctor and secrets", .serialized)
struct DoctorSecrecyTests {
    @Test("the token is in nothing that it says, however the server repeats it")
    func echoing() async throws {
        let server = try ScriptedHTTPServer(echoes)
        defer { server.stop() }
        let place = Place()
        let file = place.folder.write("token", token)
        place.configure(
            "[api]\nendpoint = \"http://127.0.0.1:\(server.port)/\"\ntoken_file = \"\(file)\"\n")
        for _ in echoes {
            let run = await DoctorRun(place)
            #expect(!run.text.contains(token), "\(run.text)")
        }
        // A redirect within the server is followed, with the token.
        #expect(server.requests.count >= echoes.count)
        for request in server.requests {
            #expect(request.header("authorization") == "Bearer \(token)")
        }
    }

    @Test("it is in no child's arguments or environment, nor is what the facts hold it")
    func children() async throws {
        let place = Place(readers: true)
        let file = place.folder.write("token", token)
        place.configure(
            "[api]\nendpoint = \"http://127.0.0.1:1/\"\ntoken_file = \"\(file)\"\n",
            readers: true)
        let seen = "\(place.folder.path)/seen"
        try place.script("systemctl", "echo \"$*\" >>'\(seen)'; env >>'\(seen)'")
        _ = await DoctorRun(place)
        let text = try #require(FolderLook.text(seen, limit: 1 << 20))
        #expect(text.contains("show --property=") && !text.contains(token))
        let surroundings = Surroundings(environment: [:])
        let (facts, _) = TokenFacts.look(surroundings, file: file, store: place.store)
        var shown = ""
        dump(facts, to: &shown)
        #expect(!shown.contains(token))
    }

    @Test("a proxy applies to https alone, and not to those that are exempt")
    func proxies() {
        let proxy = ["https_proxy": "http://anna:s@p"]
        func applies(_ host: String, _ more: [String: String] = [:]) -> Bool {
            ProxySetting.applies(
                to: host, "https://\(host)/", proxy.merging(more) { $1 })
        }
        #expect(applies("api.plings.io"))
        #expect(!ProxySetting.applies(to: "a", "https://a/", [:]))
        #expect(!ProxySetting.applies(to: "127.0.0.1", "http://127.0.0.1/", proxy))
        #expect(!applies("api.plings.io", ["no_proxy": "x, .plings.io"]))
        #expect(!applies("plings.io", ["NO_PROXY": "plings.io"]))
        #expect(!applies("a", ["no_proxy": "*"]))
        #expect(applies("notplings.io", ["no_proxy": "plings.io"]))
        #expect(!applies("a", ["https_proxy": ""]))
        #expect(ProxySetting.applies(to: "a", "https://a/", ["ALL_PROXY": "p"]))
    }
}
