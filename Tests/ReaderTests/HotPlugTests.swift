import LineProtocols
import Scanning
import TestRig
import Testing

@Suite("Readers that come and go on a real pcscd", .serialized)
struct HotPlugTests {
    @Test("an unplugged reader takes its tag with it at once, and is itself again when it is back")
    func unplug() async throws {
        let rig = try await Rig(arguments: ["--departure-grace", "60000"])
        try await rig.tags.insert(rig.port, TagText.ntag213())
        let arrival = try await rig.program.arrival()
        try await rig.readers.unplug(rig.port)
        #expect(try await rig.program.departure().token == arrival.token)
        let gone = try await rig.program.device(.disconnected, id: rig.devices[0])
        #expect(gone.reason == "unplugged")
        let service = try await rig.program.device(.disconnected, id: "pcsc")
        #expect(service.reason == "no reader is connected")
        try await rig.readers.plug(rig.port)
        _ = try await rig.program.device(.ready, id: rig.devices[0])
        try await rig.tags.insert(rig.port, TagText.ntag213())
        #expect(try await rig.program.arrival().ndef == TagText.urlMessage)
        #expect(rig.program.process.errors.all == [])
    }

    @Test("readers plugged out and in in one breath are all found")
    func quickSwap() async throws {
        let rig = try await Rig(["acr122u", "acr122u"])
        let spare = VirtualReaders.freePorts(1)[0]
        for round in 0..<5 {
            let (old, new) = round.isMultiple(of: 2) ? (rig.port, spare) : (spare, rig.port)
            try await rig.readers.unplug(old)
            try await rig.readers.plug(new, "omnikey")
            let device = try await rig.program.await("another reader") { message in
                if case .device(let device) = message, device.state == .ready {
                    device
                } else {
                    nil
                }
            }
            #expect(device.name.hasPrefix("HID Global OMNIKEY 5022 Smart Card Reader"))
            try await rig.tags.insert(new, TagText.ntag213())
            #expect(try await rig.program.arrival().device == device.id)
        }
    }

    @Test("a reader with a serial number keeps its id under another name and at another place")
    func serialNumber() async throws {
        let rig = try await Rig(["identiv", "acr122u"])
        let id =
            "pcsc:identiv-utrust-3700-f-cl-reader-utrust-3700-f-cl-reader:55041514200000"
        #expect(rig.devices[0] == id)
        try await rig.readers.unplug(rig.readers.ports[0])
        _ = try await rig.program.device(.disconnected, id: id)
        // Another reader takes its number, so that it comes back with another name.
        let ports = VirtualReaders.freePorts(2)
        try await rig.readers.plug(ports[0], "omnikey")
        _ = try await rig.program.device(.ready)
        try await rig.readers.plug(ports[1], "identiv")
        let back = try await rig.program.device(.ready, id: id)
        #expect(back.name.hasSuffix("(55041514200000) 02 00"))
        // One of the same make is told apart by its own number.
        try await rig.readers.plug(rig.readers.ports[0], "identiv", serial: "77001122")
        let other = try await rig.program.device(.ready)
        #expect(other.id == id.replacingSerial(with: "77001122"))
    }

    @Test("the second of two readers alike keeps its number while the first is away")
    func alike() async throws {
        let rig = try await Rig(["acr122u", "acr122u"])
        try await rig.readers.unplug(rig.port)
        _ = try await rig.program.device(.disconnected, id: rig.devices[0])
        try await rig.tags.insert(rig.readers.ports[1], TagText.ntag213())
        #expect(try await rig.program.arrival().device == rig.devices[1])
        try await rig.readers.plug(rig.port)
        _ = try await rig.program.device(.ready, id: rig.devices[0])
    }

    @Test("without a reader the service says so; with the first it is forgotten")
    func noReader() async throws {
        let readers = try await VirtualReaders([])
        let program = try ReaderProgram(readers)
        let service = try await program.device(.disconnected)
        #expect(service.id == "pcsc" && service.name == "PC/SC")
        #expect(service.reason == "no reader is connected")
        try await readers.plug(VirtualReaders.freePorts(1)[0])
        _ = try await program.device(.ready, id: "pcsc:acs-acr122u-picc-interface")
    }

    @Test("only readers that match are served, and the service says where none does")
    func matching() async throws {
        let readers = try await VirtualReaders(["acr122u", "identiv"])
        let tags = try VirtualTags()
        let bySerial = try ReaderProgram(readers, ["--match", "5504*"])
        let device = try await bySerial.device(.ready)
        #expect(device.id.hasSuffix(":55041514200000"))
        try await tags.insert(readers.ports[0], TagText.ntag213(uid: "04000000000001"))
        try await tags.insert(readers.ports[1], TagText.ntag213(uid: "04000000000002"))
        #expect(try await bySerial.arrival().uid == "04000000000002")
        #expect(bySerial.counts.arrivals == 1)

        let byName = try ReaderProgram(readers, ["--match", "x", "--match", "ACS ACR122U*"])
        #expect(try await byName.arrival().uid == "04000000000001")

        let none = try ReaderProgram(readers, ["--match", "acs*"])
        let service = try await none.device(.disconnected)
        #expect(service.id == "pcsc" && service.reason == "no connected reader matches")
    }
}

extension String {
    fileprivate func replacingSerial(with serial: String) -> String {
        split(separator: ":").dropLast().joined(separator: ":") + ":" + serial
    }
}
