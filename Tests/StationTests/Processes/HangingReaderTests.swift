import TestRig
import Testing

/// It waits for the reader program's own patience of ten seconds, twice.
@Suite("Readers that hang under the daemon")
struct HangingReaderTests {
    private static func hanging(_ uid: String) -> String {
        #"{"kind":"ntag213","uid":"\#(uid)","uri":"\#(Setting.url("DEF"))","trace":true,"#
            + #""fault":{"hang_at":2}}"#
    }

    private func degraded(_ rig: StillTagRig) throws -> Set<String> {
        var found: Set<String> = []
        while found.count < 3 {
            let event = try rig.wait(for: "degraded")
            #expect(
                event["reason"]?.string == "a call into pcscd has not come back for 10 s")
            found.insert(event["reader"]?["id"]?.string ?? "")
        }
        return found
    }

    @Test("three that hang are told, the program is replaced, and no tag is told anew")
    func three() async throws {
        let rig = try await StillTagRig(["acr122u", "acr122u", "acr122u", "acr122u"])
        let ports = rig.readers.ports
        for (number, port) in ports.dropLast().enumerated() {
            try await rig.tags.insert(port, Self.hanging("0400000000000\(number)"))
        }
        // While they hang, another is as quick as ever.
        let still = ports[3]
        try await rig.tags.insert(still, StillTagRig.tag("04000000000009"))
        let scan = try rig.scan(of: "04000000000009")
        let first = try degraded(rig)
        let replaced = try rig.wait(for: "disconnected")
        #expect(replaced["reason"]?.string == "exit status 1")
        // The next program finds them hanging, too, and gives them up as the first one did.
        #expect(try degraded(rig) == first)
        let scans = try rig.allScans()
        #expect(scans.filter { $0 == "04000000000009" }.count == 1)
        #expect(scans.count == 4, "each that hangs is told once, as unreadable")
        for port in ports.dropLast() { try await rig.tags.remove(port) }
        try await rig.tags.remove(still)
        while try rig.next("departure")["scan"]?.string != scan {}
        #expect(rig.client.problems.isEmpty)
    }
}
