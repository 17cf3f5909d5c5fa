import Platform
import TestRig
import Testing

@Suite("What counts as one tap on a real reader", .serialized)
struct FieldPresenceTests {
    private func expectNoScan(_ rig: StillTagRig, but told: [String]) throws {
        #expect(try rig.allScans() == told)
        #expect(rig.client.problems.isEmpty)
    }

    @Test("a tag that flickers while it lies still arrives once and does not depart")
    func flickers() async throws {
        let rig = try await StillTagRig(["acr122u"], "[scan]\ndeparture_grace = \"2s\"\n")
        let port = rig.readers.ports[0]
        let tag = StillTagRig.tag("04000000000001")
        let taps = #""taps":{"count":20,"hold_ms":15,"gap_ms":5,"jitter_ms":10,"cards":[\#(tag)]}"#
        try await rig.tags.perform("{\"port\":\(port),\(taps)}")
        try await rig.tags.insert(port, tag)
        let scan = try rig.scan(of: "04000000000001")
        try await rig.tags.remove(port)
        try rig.departure(of: scan)
        try expectNoScan(rig, but: ["04000000000001"])
    }

    @Test("a tag lifted for longer than the grace and put back is two scans, for less it is one")
    func lifted() async throws {
        let rig = try await StillTagRig(["acr122u"], "[scan]\ndeparture_grace = \"1s\"\n")
        let port = rig.readers.ports[0]
        let tag = StillTagRig.tag("04000000000001")
        try await rig.tags.insert(port, tag)
        let first = try rig.scan(of: "04000000000001")
        try await rig.tags.remove(port)
        try await rig.tags.perform("{\"port\":\(port),\"wait_ms\":2500,\"insert\":\(tag)}")
        try rig.departure(of: first)
        let second = try rig.scan(of: "04000000000001")
        try await rig.tags.remove(port)
        try await rig.tags.perform("{\"port\":\(port),\"wait_ms\":10,\"insert\":\(tag)}")
        try await rig.tags.remove(port)
        try rig.departure(of: second)
        try expectNoScan(rig, but: ["04000000000001", "04000000000001"])
    }

    @Test("two tags swapped within the grace: the first departs, then the second is a scan")
    func swapped() async throws {
        let rig = try await StillTagRig(["acr122u"], "[scan]\ndeparture_grace = \"10s\"\n")
        let port = rig.readers.ports[0]
        try await rig.tags.insert(port, StillTagRig.tag("04000000000001"))
        let first = try rig.scan(of: "04000000000001")
        try await rig.tags.insert(port, StillTagRig.tag("04000000000002"))
        let departure = try rig.departure(of: first)
        let second = try rig.next("scan")
        #expect(second["tag"]?["uid"]?.string == "04000000000002")
        let seqs = [departure, second].compactMap { $0["seq"]?.integer }
        #expect(seqs.count == 2 && seqs == seqs.sorted())
        try expectNoScan(rig, but: ["04000000000001", "04000000000002"])
    }

    private func nextSuppressed(_ rig: StillTagRig) throws -> JSONValue {
        while true {
            let event = try rig.next("reader")
            if event["suppressed"] != nil { return event }
        }
    }

    private static let settings = [true, false]

    @Test(
        "a tag that lay there before the start is told or not, as configured", arguments: settings)
    func presentAtStart(isAnnounced: Bool) async throws {
        let rig = try await StillTagRig(
            ["acr122u"], "[scan]\nannounce_present = \(isAnnounced)\n")
        let port = rig.readers.ports[0]
        rig.end(15)
        try await rig.tags.insert(port, StillTagRig.tag("04000000000001"))
        try rig.start()
        rig.waitUntilLookedAt(port)
        if isAnnounced { _ = try rig.scan(of: "04000000000001") }
        // What the station was told of is not forgotten over a restart, whatever is configured.
        try await rig.tags.insert(port, StillTagRig.tag("04000000000002"))
        let scan = try rig.scan(of: "04000000000002")
        rig.end(9)
        try rig.start()
        rig.waitUntilLookedAt(port)
        try await rig.tags.remove(port)
        while try rig.next("departure")["scan"]?.string != scan {}
        let both = ["04000000000001", "04000000000002"]
        try expectNoScan(rig, but: isAnnounced ? both : [both[1]])
    }

    @Test("a tag that comes and goes is left out from the sixth time on, and told to be so twice")
    func flaps() async throws {
        let rig = try await StillTagRig(["acr122u"], "[scan]\ndeparture_grace = \"0s\"\n")
        let port = rig.readers.ports[0]
        let tag = StillTagRig.tag("04000000000001")
        let taps = #""taps":{"count":16,"hold_ms":60,"gap_ms":20,"cards":[\#(tag)]}"#
        try await rig.tags.perform("{\"port\":\(port),\(taps)}")
        let begin = try nextSuppressed(rig)
        #expect(begin["state"] == .string("ready"))
        #expect(begin["suppressed"] == .integer(1))
        let end = try nextSuppressed(rig)
        #expect(end["reason"] == .string("the tag that came and went is quiet"))
        let counters = try rig.client.call("status")["counters"]
        let suppressed = Int(counters?["suppressed"]?.integer ?? 0)
        #expect(end["suppressed"]?.integer ?? 0 >= 1)
        // Taps that were over before the reader program could look may be told as one.
        let scans = try rig.allScans().count
        #expect(scans + suppressed <= 16)
        try await rig.tags.insert(port, tag)
        #expect(Poll.until { (try? rig.allScans().count) == scans + 1 })
        #expect(rig.client.problems.isEmpty)
    }
}
