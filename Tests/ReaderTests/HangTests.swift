import LineProtocols
import Scanning
import TestRig
import Testing

/// These wait for the program's own patience of ten seconds, beside the other suites.
@Suite("Tags that hang on a real pcscd")
struct HangTests {
    private static let hanging = TagText.ntag213(uid: "04dead00000000", #""fault":{"hang_at":2}"#)

    @Test("a tag that hangs holds up no other reader, and its own until it is gone")
    func one() async throws {
        let rig = try await Rig(["acr122u", "acr122u"])
        try await rig.tags.insert(rig.port, Self.hanging)
        try await rig.tags.insert(rig.readers.ports[1], TagText.ntag213())
        let other = try await rig.program.arrival()
        #expect(other.device == rig.devices[1] && other.ndef == TagText.urlMessage)
        let degraded = try await rig.program.device(.degraded, id: rig.devices[0])
        #expect(degraded.reason == "a call into pcscd has not come back for 10 s")
        let told = rig.program.messages.compactMap { message in
            if case .arrive(let arrival) = message, arrival.device == rig.devices[0] {
                arrival
            } else {
                nil
            }
        }
        #expect(told.map(\.problem) == [.unreadable])
        #expect(told.map(\.reason) == ["a call into pcscd has not come back for 10 s"])
        #expect(rig.program.counts.departures == 0, "it lies there still")
        // Signs of life went on meanwhile.
        #expect(rig.program.messages.contains(.alive))
        try await rig.tags.remove(rig.port)
        #expect(try await rig.program.departure().token == told.first?.token)
        _ = try await rig.program.device(.ready, id: rig.devices[0])
        #expect(try await rig.tap(TagText.ntag213()).ndef == TagText.urlMessage)
    }

    @Test("three readers that hang end the program with a sentence, for the station to replace it")
    func three() async throws {
        let rig = try await Rig(["acr122u", "acr122u", "acr122u"])
        for port in rig.readers.ports { try await rig.tags.insert(port, Self.hanging) }
        #expect(await rig.program.process.waitForEnd(within: .seconds(40)) == 1)
        #expect(
            try await rig.program.complaints(1)
                == ["3 readers hang in calls into pcscd: giving up"])
    }

    @Test("the end of its input ends the program also while a tag hangs")
    func endOfInput() async throws {
        let rig = try await Rig()
        try await rig.tags.insert(rig.port, Self.hanging)
        try await rig.tags.perform("{\"port\":\(rig.port),\"wait_ms\":100}")
        rig.program.process.closeInput()
        #expect(await rig.program.process.waitForEnd() == 0)
    }
}
