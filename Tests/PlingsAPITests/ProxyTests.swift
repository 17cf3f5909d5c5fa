import Glibc
import PlingsAPI
import TestRig
import Testing

/// The environment of this process, in which every test runs: a proxy for http and one for https.
///
/// Set before the first thread of libcurl's reads it, and never again: setenv(3) is not safe
/// beside getenv(3).
enum Environment {
    /// Answers that it wants a login, which this station has none for.
    static let proxy: ScriptedHTTPServer? = {
        let refusal = http(407, "", ["Proxy-Authenticate: Basic realm=x"])
        let proxy = try? ScriptedHTTPServer([.answerThenClose(refusal)])
        let address = "http://127.0.0.1:\(proxy?.port ?? 1)"
        setenv("http_proxy", address, 1)
        setenv("https_proxy", address, 1)
        setenv("no_proxy", "localhost,127.0.0.1,.invalid", 1)
        return proxy
    }()
}

@Suite("Proxies")
struct ProxyTests {
    @Test("https goes through the proxy of the environment, whose refusal is named")
    func https() async throws {
        let proxy = try #require(Environment.proxy)
        let client = try client(at: "https://api.plings.test/graphql")
        let failure = try await failure { try await client.probe() }
        #expect(failure == .unanswered(reason: "the proxy answered 407"))
        let request = try #require(proxy.requests.first)
        #expect(request.head.hasPrefix("CONNECT api.plings.test:443 HTTP/1.1\r\n"))
        #expect(request.header("authorization") == nil)
        #expect(proxy.requests.count == 1)
    }

    @Test("plain http to this machine never does, whatever no_proxy says")
    func loopback() async throws {
        // Nothing listens there; the proxy would have answered 407.
        let client = try client(at: "http://127.8.8.8:1/graphql")
        let failure = try await failure { try await client.probe() }
        let reason = "127.8.8.8 refused the connection"
        #expect(failure == .unanswered(reason: reason))
    }
}
