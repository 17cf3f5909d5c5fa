import LineProtocols
import Platform
import Scanning
import TestRig
import Testing

/// One reader, a program, and a hand with tags.
struct Rig {
    let readers: VirtualReaders
    let program: ReaderProgram
    let tags: VirtualTags
    /// The ids of the devices, in the order of the ports.
    let devices: [String]
    var port: Int { readers.ports[0] }

    init(
        _ models: [String] = ["acr122u"], arguments: [String] = []
    ) async throws {
        readers = try await VirtualReaders(models)
        program = try ReaderProgram(readers, arguments)
        tags = try VirtualTags()
        var names: [String: String] = [:]
        for _ in models {
            let device = try await program.device(.ready)
            names[String(device.name.suffix(5))] = device.id
        }
        devices = names.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension RealReaderTests {
    @Suite("Taps on a real pcscd", .serialized)
    struct TapTests {
        @Test("a tap is told whole, with no more commands than the message needs")
        func tap() async throws {
            let rig = try await Rig()
            try await rig.tags.insert(rig.port, TagText.ntag213())
            let arrival = try await rig.program.arrival()
            #expect(arrival.device == rig.devices[0])
            #expect(arrival.medium == "nfc")
            #expect(arrival.technology == "iso14443a")
            #expect(arrival.uid == "04a1b2c3d4e5f6")
            #expect(arrival.uidRandom == nil)
            #expect(arrival.ndef == TagText.urlMessage)
            #expect(arrival.problem == nil)
            try await rig.tags.remove(rig.port)
            let departure = try await rig.program.departure()
            #expect(departure.token == arrival.token)
            #expect(departure.device == arrival.device)
            let events = rig.tags.events(rig.port)
            let put = try #require(events.first { $0.ev == "insert" })
            let taken = try #require(events.first { $0.ev == "remove" })
            // One command for the UID, one with the container, four for the other 60 bytes.
            #expect(taken.apdus == 6)
            #expect(arrival.bootNanoseconds > put.bootNs)
            #expect(departure.bootNanoseconds > taken.bootNs)
        }
    }
}

/// Everything that needs pcscd, one after the other.
@Suite("Real readers", .serialized)
struct RealReaderTests {}
