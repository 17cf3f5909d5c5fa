import LineProtocols
import Scanning
import TestRig
import Testing

@Suite("Tags that come and go fast on a real pcscd", .serialized)
struct FastTapTests {
    static let cards = [
        TagText.ntag213(), #"{"kind":"type4","uri":"https://a.example"}"#,
        #"{"kind":"desfire","uri":"https://a.example","fault":{"delay_ms":3}}"#,
    ]

    @Test(
        "each of them is told once, whole or as unreadable, and once as gone, by two programs too",
        arguments: [1, 2])
    func fast(programs: Int) async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "0"])
        var second: ReaderProgram?
        if programs == 2 {
            second = try ReaderProgram(rig.readers, ["--departure-grace", "0"])
            _ = try await second?.device(.ready)
        }
        for card in Self.cards {
            try await rig.tags.perform(
                """
                {"port":\(rig.port),"taps":{"cards":[\(card)],"count":25,"hold_ms":4,\
                "gap_ms":4,"jitter_ms":6}}
                """)
        }
        try await rig.tags.insert(rig.port, TagText.ntag213(uid: "04000000000009"))
        for program in [rig.program, second].compactMap({ $0 }) {
            #expect(try await program.lastArrival().ndef == TagText.urlMessage)
            check(program.messages)
        }
    }

    private func check(_ messages: [ReaderMessage]) {
        var open: Set<String> = []
        for message in messages {
            switch message {
            case .arrive(let arrival):
                #expect(open.isEmpty)
                open.insert(arrival.token)
                #expect((arrival.ndef == nil) == (arrival.problem == .unreadable), "\(arrival)")
                #expect(arrival.uid != "" && (arrival.problem == nil || arrival.reason != nil))
            case .depart(let departure):
                #expect(open == [departure.token])
                open = []
            case .device(let device): #expect(device.state == .ready)
            default: break
            }
        }
    }

    @Test("a mute tag that answers when it is laid down again is told whole")
    func muteThenWhole() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "0"])
        try await rig.tags.insert(rig.port, TagText.ntag213(#""atr":"""#))
        let mute = try await rig.program.arrival()
        #expect(mute.problem == .unreadable && mute.uid == nil && mute.reason != nil)
        try await rig.tags.remove(rig.port)
        #expect(try await rig.program.departure().token == mute.token)
        #expect(try await rig.tap(TagText.ntag213()).ndef == TagText.urlMessage)
        #expect(rig.program.counts.arrivals == 2)
    }
}

extension ReaderProgram {
    /// Waits for the arrival of the tag that is put last.
    fileprivate func lastArrival() async throws -> ReaderMessage.Arrival {
        try await self.await("arrival of the last tag") { message in
            guard case .arrive(let arrival) = message, arrival.uid == "04000000000009" else {
                return nil
            }
            return arrival
        }
    }
}
