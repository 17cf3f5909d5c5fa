import PlingsAPI
import Scanning
import TestRig
import Testing

/// A token that no other text in these tests resembles.
let tokenText = "s3cr3t.t0k3n-abcdefghijklmnop"

/// A client of a scripted server, with a token.
func client(
    of server: ScriptedHTTPServer, timeout: Duration = .seconds(20)
) throws -> PlingsClient {
    try client(at: "http://127.0.0.1:\(server.port)/graphql", timeout: timeout)
}

/// A client of any address, with a token.
func client(
    at endpoint: String, caFile: String? = nil, timeout: Duration = .seconds(20)
) throws -> PlingsClient {
    _ = Environment.proxy
    let client = try PlingsClient(
        endpoint: endpoint, caFile: caFile, timeout: timeout, userAgent: "plingsd/test")
    client.setToken(try BearerToken(tokenText))
    return client
}

let identifier = ScannedIdentifier(
    type: "n", identifier: "4kyQCd5tMDjJVWJH5h95gUcjq3qTX2cj5nwjVyqBRwLo", path: "4.2.3.3.6",
    classPointer: "4K7mX9abDcE", url: "https://s.plings.io/?t=n&i=4kyQ")

let place = Location(latitude: 65.5841, longitude: 22.1547, accuracy: 8, source: .fixed)

/// A scan at a known instant.
func scan(at location: Location? = nil) -> ResolveRequest {
    ResolveRequest(
        identifier: identifier, at: Timestamp(milliseconds: 1_780_000_000_123), location: location)
}

/// Bytes of an HTTP/1.1 answer.
func http(
    _ status: Int, _ body: String, type: String = "application/json", _ headers: [String] = []
) -> [UInt8] {
    var lines = ["HTTP/1.1 \(status) Reason", "Content-Type: \(type)"] + headers
    lines.append("Content-Length: \(body.utf8.count)")
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
}

/// The answer to a probe that is content.
let probed = http(200, #"{"data":{"__typename":"Query"}}"#)

/// A whole answer of `resolveIdentifier` around its members.
func resolved(_ members: String) -> String {
    #"{"data":{"resolveIdentifier":{\#(members)}}}"#
}

/// The answer for a tag without an object.
let unknownTag = resolved(
    #""success":true,"object":null,"error":null,"routing":{"action":"REDIRECT"}"#)

/// The failure that a call ends with.
func failure(
    of call: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> APIFailure {
    do {
        try await call()
    } catch let failure as APIFailure {
        return failure
    }
    Issue.record("the call succeeded", sourceLocation: sourceLocation)
    throw Unexpected()
}

struct Unexpected: Error {}

/// The error of that type that a call throws; nil where it throws none.
///
/// `#expect(throws:)` returns it only in newer versions of Swift Testing.
func thrown<Failure: Error>(_ type: Failure.Type, by call: () throws -> Void) -> Failure? {
    do {
        try call()
        return nil
    } catch {
        return error as? Failure
    }
}
