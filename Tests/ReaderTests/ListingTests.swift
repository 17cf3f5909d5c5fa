import Glibc
import LineProtocols
import Platform
import Scanning
import TestRig
import Testing

/// What one run of `plings-pcsc --list` said.
private struct Listing {
    let ending: ChildProcess.Ending?
    let devices: [ReaderMessage.Device]
    let others: [ReaderMessage]

    init(_ environment: [String: String], _ arguments: [String] = []) async {
        let program = await withCheckedContinuation { continuation in
            Threads.start(name: "listing") {
                let program = RunningProgram(
                    [Repository.program("plings-pcsc"), "--list"] + arguments,
                    environment: environment)
                // The end of the input is no reason to say nothing.
                program.closeInput()
                program.wait()
                continuation.resume(returning: program)
            }
        }
        ending = program.wait(seconds: 0)
        let messages = program.output.split(separator: "\n").compactMap {
            try? JSONLine.decode(ReaderMessage.self, from: Array($0.utf8))
        }
        devices = messages.compactMap { if case .device(let device) = $0 { device } else { nil } }
        others = messages.filter { if case .device = $0 { false } else { true } }
    }
}

@Suite("One look at the readers", .serialized)
struct ListingTests {
    @Test("every reader is told once, by its id, and nothing else is said")
    func ready() async throws {
        let readers = try await VirtualReaders(["acr122u", "identiv"])
        let tags = try VirtualTags()
        try await tags.insert(readers.ports[0], TagText.ntag213())
        let listing = await Listing(readers.environment)
        #expect(listing.ending == .exit(0))
        #expect(listing.others == [.reader(.init(program: "plings-pcsc", version: "0.1.0"))])
        let told = Set(listing.devices.map { "\($0.id) \($0.state) \($0.reason ?? "-")" })
        #expect(
            told == [
                "pcsc:acs-acr122u-picc-interface ready -",
                "pcsc:identiv-utrust-3700-f-cl-reader-utrust-3700-f-cl-reader:55041514200000 "
                    + "ready -",
            ])
    }

    @Test("the tag on a reader is not read, and a station beside it notices nothing")
    func beside() async throws {
        let rig = try await Rig()
        try await rig.tags.insert(rig.port, TagText.ntag213())
        _ = try await rig.program.arrival()
        let listing = await Listing(rig.readers.environment)
        #expect(listing.devices.map(\.state) == [.ready])
        try await rig.tags.remove(rig.port)
        _ = try await rig.program.departure()
        let commands = try #require(rig.lastCommands)
        let alone = try await Rig()
        _ = try await alone.tap(TagText.ntag213())
        #expect(alone.lastCommands == commands)
        #expect(rig.program.counts.arrivals == 1)
        #expect(rig.program.process.errors.all == [])
    }

    @Test("a reader that another program has to itself is degraded, and says so")
    func held() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        try await tags.insert(readers.ports[0], TagText.ntag213())
        let other = try OtherProgram(readers)
        try await other.does("hold ACS ACR122U PICC Interface 00 00")
        let listing = await Listing(readers.environment)
        let device = try #require(listing.devices.first)
        #expect(device.state == .degraded)
        #expect(device.reason == "another program has the reader to itself")
        try await other.does("leave")
        let free = await Listing(readers.environment)
        #expect(free.devices.map(\.state) == [.ready])
    }

    @Test("no reader, none that matches, and no pcscd are told apart")
    func none() async throws {
        let readers = try await VirtualReaders([])
        let empty = await Listing(readers.environment)
        #expect(empty.devices.map(\.id) == ["pcsc"])
        #expect(empty.devices.map(\.reason) == ["no reader is connected"])
        let port = VirtualReaders.freePorts(1)[0]
        try await readers.plug(port)
        let other = await Listing(readers.environment, ["--match", "HID*"])
        #expect(other.devices.map(\.reason) == ["no connected reader matches"])
        let fitting = await Listing(readers.environment, ["--match", "ACS*"])
        #expect(fitting.devices.map(\.state) == [.ready])
        try await readers.stop()
        let stopped = await Listing(readers.environment)
        #expect(stopped.devices.map(\.reason) == ["pcscd is not running"])
        #expect(stopped.ending == .exit(0))
    }

    @Test(
        "a refusal by the real polkit is told in one look",
        .enabled(if: ServiceTests.isRefusedWithoutPolkit))
    func realRefusal() async throws {
        let readers = try await VirtualReaders([], asksPolkit: true)
        let listing = await Listing(readers.environment)
        #expect(
            listing.devices.map(\.reason) == [
                "polkit refuses access to pcscd (org.debian.pcsc-lite.access_pcsc)"
            ])
    }

    @Test("whoever takes connections and closes them, as pcscd does at polkit's word, refuses us")
    func refused() async throws {
        let folder = TestFolder()
        let path = "\(folder.path)/pcscd.comm"
        let socket = try HangingUpSocket(at: path)
        let listing = await Listing(["PCSCLITE_CSOCK_NAME": path])
        socket.stop()
        #expect(
            listing.devices.map(\.reason) == [
                "polkit refuses access to pcscd (org.debian.pcsc-lite.access_pcsc)"
            ])
    }
}
