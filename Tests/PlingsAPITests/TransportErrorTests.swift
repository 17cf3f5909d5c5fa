import Glibc
import Testing

@testable import PlingsAPI

private let sentences: [(TransportError, String)] = [
    (.nameTimeout(host: "h"), "the name h was not resolved in time"),
    (.unreachable(host: "h", code: ENETUNREACH), "h can't be reached: Network is unreachable"),
    (.unreachable(host: "h", code: 0), "h can't be reached"),
    (.notLoopback(host: "h"), "h is not this machine: plain http is not used to it"),
    (.proxy(status: nil), "the proxy can't be reached"),
    (.library(code: 2, text: "Failed initialization"), "libcurl error 2: Failed initialization"),
    (.redirect(.seeOther), "the API redirected to a page (303): not followed"),
    (
        .redirect(.otherHost("evil\u{1b}[2J")),
        #"the API redirected to another host (evil\u{1b}[2J): not followed"#
    ),
    (
        .redirect(.plainHTTP(host: "portal")),
        "the API redirected to plain http (portal): not followed"
    ),
    (
        .redirect(.otherService("h")),
        "the API redirected to another scheme or port of h: not followed"
    ),
    (
        .redirect(.credentials),
        "the API redirected to an address with a user name: not followed"
    ),
    (
        .redirect(.unreadable),
        "the API redirected to something that is not a web address: not followed"
    ),
]

private let verdicts: [(Int, String)] = [
    (2, "its certificate is from an authority that is not trusted here"),
    (9, "its certificate is not yet valid (or this machine's clock is wrong)"),
    (10, "its certificate has expired (or this machine's clock is wrong)"),
    (18, "its certificate is from an authority that is not trusted here"),
    (19, "its certificate is from an authority that is not trusted here"),
    (20, "its certificate is from an authority that is not trusted here"),
    (21, "its certificate is from an authority that is not trusted here"),
    (23, "its certificate is refused (OpenSSL verify code 23)"),
    (62, "its certificate is for another host"),
]

@Suite("What the user is told")
struct TransportErrorTests {
    @Test("a failure that no test can bring about has its sentence", arguments: sentences)
    func sentence(_ error: TransportError, _ sentence: String) {
        #expect(error.description == sentence)
        #expect(APIFailure(error) == .unanswered(reason: sentence))
    }

    @Test("OpenSSL's verdicts are told apart", arguments: verdicts)
    func verdict(_ code: Int, _ sentence: String) {
        #expect(TLSProblem(verifyResult: code).description == sentence)
    }

    @Test("what is given up here is no failure of the API's")
    func aborted() {
        #expect(APIFailure(TransportError.aborted) == .aborted)
        #expect(!APIFailure.aborted.isTransient)
    }
}
