import TestRig
import Testing

@testable import PlingsAPI

private let good: [String] = [
    "https://api.plings.io/graphql", "HTTPS://api.plings.io", "https://192.0.2.1:8443/graphql",
    "https://[2001:db8::1]/graphql", "http://localhost:8800/graphql", "http://127.0.0.1/",
    "http://127.9.9.9:1/", "http://[::1]:8800/graphql", "http://127.1/graphql",
]

private let bad: [(String, String)] = [
    ("", "the API's address is not a URL"),
    ("api.plings.io", "the API's address is not a URL"),
    ("https://", "the API's address is not a URL"),
    ("https://api.plings.io/a b", "the API's address is not a URL"),
    ("https://api.plings.io/\r\nX: y", "the API's address is not a URL"),
    ("ftp://api.plings.io/", "the API's address must begin with https://, not ftp://"),
    (
        "https://user:pass@api.plings.io/",
        "the API's address must not hold a user name or password"
    ),
    (
        "http://api.plings.io/graphql",
        "plain http would show the token to the network: only https is used to api.plings.io"
    ),
    (
        "http://127.0.0.1.example/",
        "plain http would show the token to the network: only https is used to 127.0.0.1.example"
    ),
    (
        "http://localhost.example/",
        "plain http would show the token to the network: only https is used to localhost.example"
    ),
]

@Suite("The API's address")
struct EndpointTests {
    @Test("https anywhere and http to this machine are taken", arguments: good)
    func accepted(_ address: String) throws {
        _ = try Endpoint(address)
    }

    @Test("anything else is refused with a reason", arguments: bad)
    func refused(_ address: String, _ reason: String) {
        let error = thrown(EndpointError.self) { _ = try Endpoint(address) }
        #expect(error?.description == reason)
    }

    @Test("a certificate file is looked into at the start")
    func certificateFile() throws {
        let folder = TestFolder()
        let empty = folder.write("ca.pem", "no certificate here")
        let cases = [
            (empty, "the certificate file \(empty): no certificate in PEM form is in it"),
            (
                folder.path + "/none",
                "the certificate file \(folder.path)/none: No such file or directory"
            ),
            (folder.path, "the certificate file \(folder.path): Invalid argument"),
        ]
        for (path, reason) in cases {
            let error = thrown(EndpointError.self) {
                _ = try client(at: "https://api.plings.io/", caFile: path)
            }
            #expect(error?.description == reason)
        }
    }
}
