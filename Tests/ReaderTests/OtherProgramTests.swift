import LineProtocols
import Scanning
import TestRig
import Testing

@Suite("Beside another PC/SC program", .serialized)
struct OtherProgramTests {
    private static let reader = "ACS ACR122U PICC Interface 00 00"

    @Test("a tag that another program holds is told late but whole, and meanwhile the reason")
    func held() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        try await tags.insert(readers.ports[0], TagText.ntag213())
        let other = try OtherProgram(readers)
        try await other.does("hold \(Self.reader)")
        let program = try ReaderProgram(readers)
        let degraded = try await program.device(.degraded)
        #expect(degraded.reason == "the tag is held by another program")
        #expect(program.counts.arrivals == 0)
        try await other.does("leave")
        #expect(try await program.arrival().ndef == TagText.urlMessage)
        let ready = try await program.device(.ready)
        #expect(ready.id == degraded.id)
        #expect(program.counts.arrivals == 1)
    }

    @Test("a tag taken away while another program holds it is told once, with the reason, and gone")
    func heldAndGone() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        try await tags.insert(readers.ports[0], TagText.ntag213())
        let other = try OtherProgram(readers)
        try await other.does("hold \(Self.reader)")
        let program = try ReaderProgram(readers)
        _ = try await program.device(.degraded)
        // It waits: five seconds of holding are one word about it, and no arrival.
        _ = try await program.await("sign of life") { $0 == .alive ? true : nil }
        #expect(program.counts.arrivals == 0)
        try await tags.remove(readers.ports[0])
        let arrival = try await program.arrival()
        #expect(arrival.problem == .unreadable && arrival.uid == nil)
        #expect(arrival.reason == "taken away while it was read")
        #expect(try await program.departure().token == arrival.token)
        try await other.does("leave")
        try await tags.insert(readers.ports[0], TagText.ntag213())
        #expect(try await program.arrival().ndef == TagText.urlMessage)
        let devices = program.messages.compactMap { message in
            if case .device(let device) = message { device } else { nil }
        }
        // The tag lay there at the first look, which is told as soon as reading takes long.
        #expect(devices.filter { $0.occupied == true }.map(\.state) == [.ready])
        let states = devices.filter { $0.occupied != true }.map(\.state)
        #expect(states == [.ready, .degraded, .ready])
    }

    @Test(
        "another program that resets a tag again and again does not keep it from being told whole")
    func reset() async throws {
        let rig = try await Rig()
        let slow = TagText.ntag213(#""fault":{"delay_ms":60}"#)
        let other = try OtherProgram(rig.readers)
        try await rig.tags.insert(rig.port, slow)
        try await other.does("share \(Self.reader)")
        for _ in 0..<2 { try await other.does("reset") }
        let arrival = try await rig.program.arrival()
        #expect(arrival.ndef == TagText.urlMessage)
        #expect(rig.program.counts.arrivals == 1)
    }

    @Test("a program that talks to the same Type 4 tags all the time does not disturb one of them")
    func disturbed() async throws {
        let rig = try await Rig()
        let other = try OtherProgram(rig.readers)
        try await other.does("disturb \(Self.reader)")
        for _ in 0..<10 {
            let arrival = try await rig.tap(
                #"{"kind":"type4","uri":"\#(TagText.url)","fault":{"delay_ms":2}}"#)
            #expect(arrival.ndef == TagText.urlMessage)
            #expect(arrival.uid != nil && arrival.problem == nil)
        }
        #expect(rig.program.counts.arrivals == 10)
    }

    @Test("a tag in another program's transaction is read after it")
    func transaction() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        try await tags.insert(readers.ports[0], TagText.ntag213())
        let other = try OtherProgram(readers)
        try await other.does("share \(Self.reader)")
        try await other.does("begin")
        let program = try ReaderProgram(readers)
        // The first sign of life shows that the program has had five seconds to read the tag.
        _ = try await program.await("sign of life") { $0 == .alive ? true : nil }
        #expect(program.counts.arrivals == 0)
        try await other.does("end")
        #expect(try await program.arrival().ndef == TagText.urlMessage)
        #expect(program.counts.arrivals == 1)
    }

    @Test("a tag shared with another program is read beside it")
    func shared() async throws {
        let rig = try await Rig()
        try await rig.tags.insert(rig.port, TagText.ntag213())
        _ = try await rig.program.arrival()
        let other = try OtherProgram(rig.readers)
        try await other.does("share \(Self.reader)")
        let second = try ReaderProgram(rig.readers)
        #expect(try await second.arrival().ndef == TagText.urlMessage)
        try await other.does("leave")
        #expect(rig.program.counts.arrivals == 1)
    }
}
