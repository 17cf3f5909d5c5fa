import LineProtocols
import Scanning
import TestRig
import Testing

/// Another PC/SC client, led by words on its standard input.
struct OtherProgram {
    private let process: VirtualProcess

    /// Source of the constants: pcsclite.h.
    private static let script = """
        import ctypes, sys, time
        pcsc = ctypes.CDLL("libpcsclite.so.1")
        long = ctypes.c_long
        context, card, protocol = long(), long(), ctypes.c_ulong()
        def check(name, *arguments):
            code = getattr(pcsc, name)(*arguments) & 0xFFFFFFFF
            if code:
                sys.exit(f"{name}: {code:08X}")
        check("SCardEstablishContext", 2, None, None, ctypes.byref(context))
        handle = ctypes.byref(card), ctypes.byref(protocol)
        for line in sys.stdin:
            word, _, reader = line.strip().partition(" ")
            if word in ("hold", "share"):
                mode = 1 if word == "hold" else 2
                while pcsc.SCardConnect(context, reader.encode(), mode, 3, *handle):
                    time.sleep(0.002)
            elif word == "reset":
                check("SCardReconnect", card, 2, 3, 1, ctypes.byref(protocol))
            elif word == "begin":
                check("SCardBeginTransaction", card)
            elif word == "end":
                check("SCardEndTransaction", card, 0)
            else:
                check("SCardDisconnect", card, 0)
            print(line.strip(), flush=True)
        """

    init(_ readers: VirtualReaders) throws {
        process = try VirtualProcess(
            ["python3", "-c", Self.script], environment: readers.environment)
    }

    /// Leads it and waits until it has done so.
    func does(_ line: String) async throws {
        let before = process.output.all.count
        process.write(line + "\n")
        let done = await process.output.first(from: before) { $0 == line ? true : nil }
        _ = try #require(done, "\(process.errors.all)")
    }
}

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
