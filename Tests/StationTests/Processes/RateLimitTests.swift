import Platform
import TestRig
import Testing

@Suite("An API with a rate limit", .serialized)
struct RateLimitTests {
    private static let styles = ["http", "graphql"]

    @Test("a backlog beyond the limit is delivered whole, no sooner than asked", arguments: styles)
    func backlog(style: String) throws {
        let sandbox = SandboxProcess()
        let folder = TestFolder()
        sandbox.control(
            "settings",
            #"{"rate_limit_per_minute":8,"rate_limit_window":2,"rate_limit_style":"\#(style)","#
                + #""rate_limit_ops":"resolveIdentifier"}"#)
        let station = StationProcess(
            in: folder,
            Setting.api(sandbox, in: folder, more: "scans_per_minute = 6000") + "\n"
                + Setting.alone)
        let client = try ProtocolClient(path: station.socket)
        _ = try client.call("subscribe", #"{"types":["api","job"]}"#)
        let urls = ["bike", "drill", "box", "shelf"].map { sandbox.url(of: $0) }
        var scans: Set<String> = []
        for number in 0..<24 {
            let reply = try client.call("scan.submit", #"{"url":"\#(urls[number % 4])"}"#)
            scans.insert(reply["scan"]?.string ?? "")
        }
        let isDone = Poll.until(seconds: 90) {
            (try? client.call("status")["outbox"]?["scans"]) == .integer(0)
        }
        #expect(isDone)
        let delivered = Set(sandbox.scanEvents().compactMap(\.idempotencyKey))
        #expect(delivered == scans)
        #expect(try client.call("status")["outbox"]?["attention"] == .integer(0))
        #expect(!sandbox.control("violations").contains("retry_before_retry_after"))
        #expect(client.problems.isEmpty)
    }
}
