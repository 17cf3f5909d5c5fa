import LineProtocols
import Scanning
import TestRig
import Testing

/// Virtual readers, the program, and a hand with tags.
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
        var ids: [String: String] = [:]
        for _ in models {
            let device = try await program.device(.ready)
            // pcscd numbers the readers in the order in which they were plugged in.
            ids[String(device.name.suffix(5))] = device.id
        }
        devices = ids.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Puts a tag on the first reader, waits for its arrival, takes it away and waits for that.
    func tap(_ tag: String) async throws -> ReaderMessage.Arrival {
        try await tags.insert(port, tag)
        let arrival = try await program.arrival()
        try await tags.remove(port)
        let departure = try await program.departure()
        #expect(departure.token == arrival.token)
        #expect(departure.bootNanoseconds >= arrival.bootNanoseconds)
        return arrival
    }

    /// How many commands the tag answered that was taken away last from the first reader.
    var lastCommands: Int? {
        tags.events(port).last { $0.ev == "remove" }?.apdus
    }
}
