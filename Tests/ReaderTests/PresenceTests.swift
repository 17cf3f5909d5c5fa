import Glibc
import LineProtocols
import Scanning
import TestRig
import Testing

@Suite("Presence on a real pcscd", .serialized)
struct PresenceTests {
    /// A last tag that shows that everything before it has been told.
    private func finish(_ rig: Rig) async throws {
        try await rig.tags.insert(rig.port, TagText.ntag213(uid: "04ffffffffffff"))
        _ = try await rig.program.await("the last tag") { message in
            if case .arrive(let arrival) = message, arrival.uid == "04ffffffffffff" {
                true
            } else {
                nil
            }
        }
    }

    @Test("each tap that is over before the next is told")
    func taps() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "20"])
        for _ in 0..<20 { #expect(try await rig.tap(TagText.ntag213()).ndef != nil) }
        try await finish(rig)
        #expect(rig.program.counts.arrivals == 21)
        #expect(rig.program.counts.departures == 20)
    }

    @Test("a tag that is lifted for moments is told once")
    func blinks() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "2000"])
        try await rig.tags.perform(
            """
            {"port":\(rig.port),"taps":{"count":30,"hold_ms":15,"gap_ms":0,"jitter_ms":10,
            "cards":[\(TagText.ntag213())]}}
            """.filter { $0 != "\n" })
        try await finish(rig)
        #expect(rig.program.counts.arrivals == 2)
        #expect(rig.program.counts.departures == 1)
        guard
            case .arrive(let arrival) = rig.program.messages.first(where: {
                if case .arrive = $0 { true } else { false }
            })
        else { return }
        #expect(arrival.ndef == TagText.urlMessage)
    }

    @Test("two tags swapped within the grace: the first goes, the second comes")
    func swap() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "60000"])
        try await rig.tags.insert(rig.port, TagText.ntag213(uid: "04000000000001"))
        let first = try await rig.program.arrival()
        try await rig.tags.insert(rig.port, TagText.ntag213(uid: "04000000000002"))
        #expect(try await rig.program.departure().token == first.token)
        let second = try await rig.program.arrival()
        #expect(second.uid == "04000000000002")
        // The same UID with other bytes is another presence, too.
        let other = #"{"kind":"ntag213","uid":"04000000000002","ndef_hex":"d00000"}"#
        try await rig.tags.insert(rig.port, other)
        #expect(try await rig.program.departure().token == second.token)
        #expect(try await rig.program.arrival().ndef == "d00000")
    }

    @Test("lifted and back while nobody could look: longer than the grace is two presences")
    func standstill() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "50"])
        try await rig.tags.insert(rig.port, TagText.ntag213())
        let first = try await rig.program.arrival()
        rig.program.process.signal(SIGSTOP)
        try await rig.tags.remove(rig.port)
        try await rig.tags.perform(
            "{\"port\":\(rig.port),\"wait_ms\":200,\"insert\":\(TagText.ntag213())}")
        rig.program.process.signal(SIGCONT)
        let departure = try await rig.program.departure()
        #expect(departure.token == first.token)
        let second = try await rig.program.arrival()
        #expect(second.token != first.token && second.ndef == first.ndef)
        #expect(departure.bootNanoseconds < second.bootNanoseconds)
    }
}
