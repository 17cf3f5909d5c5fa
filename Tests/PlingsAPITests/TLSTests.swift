import PlingsAPI
import TestRig
import Testing

@Suite("Secure connections")
struct TLSTests {
    private func failureOfProbe(
        at host: String, _ server: TLSServer, trusting file: String?
    ) async throws -> APIFailure {
        let client = try client(at: "https://\(host):\(server.port)/graphql", caFile: file)
        return try await failure { try await client.probe() }
    }

    private func refused(_ host: String, _ why: String) -> APIFailure {
        .unanswered(reason: "no secure connection to \(host): \(why)")
    }

    @Test("a certificate of a configured authority is taken, by name and by address")
    func trusted() async throws {
        let certificates = try Certificates()
        let server = try TLSServer(
            try certificates.signed("good", for: "DNS:localhost,IP:127.0.0.1"))
        for host in ["localhost", "127.0.0.1"] {
            let client = try client(
                at: "https://\(host):\(server.port)/graphql", caFile: certificates.authority)
            try await client.probe()
            try await client.probe()
        }
    }

    @Test("a certificate for another host is refused as such")
    func wrongHost() async throws {
        let certificates = try Certificates()
        let server = try TLSServer(try certificates.signed("other", for: "DNS:api.plings.io"))
        for host in ["localhost", "127.0.0.1"] {
            let failure = try await failureOfProbe(
                at: host, server, trusting: certificates.authority)
            #expect(failure == refused(host, "its certificate is for another host"))
        }
    }

    @Test("an expired certificate is refused as such")
    func expired() async throws {
        let certificates = try Certificates()
        let server = try TLSServer(
            try certificates.signed("old", for: "DNS:localhost", validity: Certificates.past))
        let failure = try await failureOfProbe(
            at: "localhost", server, trusting: certificates.authority)
        let why = "its certificate has expired (or this machine's clock is wrong)"
        #expect(failure == refused("localhost", why))
    }

    @Test("a certificate of an authority that the system does not know is refused as such")
    func unknownAuthority() async throws {
        let certificates = try Certificates()
        let server = try TLSServer(try certificates.signed("good", for: "DNS:localhost"))
        let failure = try await failureOfProbe(at: "localhost", server, trusting: nil)
        let why = "its certificate is from an authority that is not trusted here"
        #expect(failure == refused("localhost", why))
    }

    @Test("a configured authority stands in place of the system's, and no other is taken")
    func otherAuthority() async throws {
        let certificates = try Certificates()
        let others = try Certificates()
        let server = try TLSServer(try certificates.signed("good", for: "DNS:localhost"))
        let failure = try await failureOfProbe(
            at: "localhost", server, trusting: others.authority)
        let why = "its certificate is from an authority that is not trusted here"
        #expect(failure == refused("localhost", why))
    }

    @Test("a self-signed certificate is refused, unless it is the configured one")
    func selfSigned() async throws {
        let certificates = try Certificates()
        let pair = try certificates.selfSigned(for: "DNS:localhost")
        let server = try TLSServer(pair)
        let failure = try await failureOfProbe(
            at: "localhost", server, trusting: certificates.authority)
        let why = "its certificate is from an authority that is not trusted here"
        #expect(failure == refused("localhost", why))
        let client = try client(
            at: "https://localhost:\(server.port)/", caFile: pair.certificate)
        try await client.probe()
    }

    @Test("TLS before 1.2 is refused")
    func oldVersion() async throws {
        let certificates = try Certificates()
        let pair = try certificates.signed("good", for: "DNS:localhost")
        let server = try TLSServer(pair, newestVersion: "TLSv1_1")
        let failure = try await failureOfProbe(
            at: "localhost", server, trusting: certificates.authority)
        #expect(failure == refused("localhost", "the TLS handshake failed"))
    }
}
