import Glibc
import LineProtocols
import Scanning
import TestRig
import Testing

@Suite("pcscd that comes and goes, and the program's own end", .serialized)
struct ServiceTests {
    /// The reader may be there still, and its tag, so no departure is told.
    private func checkLoss(_ rig: Rig) async throws {
        let departures = rig.program.counts.departures
        let reader = try await rig.program.device(.disconnected, id: rig.devices[0])
        #expect(reader.reason == "pcscd is not running")
        #expect(reader.interrupted == true)
        #expect(rig.program.counts.departures == departures)
    }

    /// A new pcscd, with the tag on the reader before the program finds it.
    private func restart(_ rig: Rig) async throws {
        rig.program.process.signal(SIGSTOP)
        try await rig.readers.restart()
        try await rig.tags.insert(rig.port, TagText.ntag213())
        rig.program.process.signal(SIGCONT)
    }

    private func checkReturn(_ rig: Rig) async throws {
        _ = try await rig.program.device(.ready, id: rig.devices[0])
        // The news that something is there goes before what it is.
        #expect(try await rig.program.device(.ready, id: rig.devices[0]).occupied == true)
        let arrival = try await rig.program.arrival()
        #expect(arrival.present == true)
        #expect(arrival.ndef == TagText.urlMessage)
    }

    @Test("pcscd crashed and started anew: told once each, and the next tag is read")
    func crash() async throws {
        let rig = try await Rig()
        try await rig.tags.insert(rig.port, TagText.ntag213())
        let arrival = try await rig.program.arrival()
        try await rig.readers.crash()
        try await checkLoss(rig)
        try await restart(rig)
        try await checkReturn(rig)
        #expect(arrival.ndef == TagText.urlMessage)
        let complaints = try await rig.program.complaints(2)
        #expect(complaints.count == 2)
        #expect(complaints.first?.hasPrefix("pcscd is not running: ") == true)
        #expect(complaints.last == "pcscd answers")
    }

    @Test("pcscd stopped and started anew, several times: the tag that lies there is there again")
    func restarts() async throws {
        let rig = try await Rig()
        try await rig.tags.insert(rig.port, TagText.ntag213())
        #expect(try await rig.program.arrival().present == nil)
        for _ in 0..<3 {
            try await rig.readers.stop()
            try await checkLoss(rig)
            let service = try await rig.program.device(.disconnected, id: "pcsc")
            #expect(service.reason == "pcscd is not running")
            try await restart(rig)
            try await checkReturn(rig)
        }
        #expect(try await rig.program.complaints(6).count == 6)
    }

    @Test("without pcscd the program waits and says why")
    func absentAtStart() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        try await readers.stop()
        let program = try ReaderProgram(readers)
        let introduction = try await program.await("introduction") { message in
            if case .reader(let introduction) = message { introduction } else { nil }
        }
        #expect(introduction == .init(program: "plings-pcsc", version: "0.1.0"))
        let service = try await program.device(.disconnected)
        #expect(service.id == "pcsc" && service.reason == "pcscd is not running")
        try await readers.restart()
        _ = try await program.device(.ready, id: "pcsc:acs-acr122u-picc-interface")
        let tags = try VirtualTags()
        try await tags.insert(readers.ports[0], TagText.ntag213())
        #expect(try await program.arrival().ndef == TagText.urlMessage)
    }

    @Test("the end of its input ends the program, with and without pcscd")
    func endOfInput() async throws {
        let rig = try await Rig()
        try await rig.tags.insert(rig.port, TagText.ntag213())
        _ = try await rig.program.arrival()
        rig.program.process.closeInput()
        #expect(await rig.program.process.waitForEnd() == 0)
        try await rig.readers.stop()
        let other = try ReaderProgram(rig.readers)
        _ = try await other.complaints(1)
        other.process.closeInput()
        #expect(await other.process.waitForEnd() == 0)
        #expect(other.process.errors.all.count == 1)
    }

    @Test("the program does not outlive the one that started it, even if its input stays open")
    func parentDeath() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let path = Repository.program("plings-pcsc")
        let parent = try VirtualProcess(
            ["sh", "-c", "exec 3<&0; \"$0\" <&3 & echo $!; wait", path],
            environment: readers.environment)
        let child = try #require(await parent.output.first(from: 0) { pid_t($0) }).result
        _ = try #require(
            await parent.output.first(from: 0) { $0.contains("ready") ? true : nil })
        parent.signal(SIGKILL)
        let isGone = await VirtualLines.poll(within: .seconds(20)) {
            kill(child, 0) == 0 ? nil : true
        }
        #expect(isGone == true)
    }

    /// Whether a pcscd that asks polkit gets no answer here, and so refuses everybody.
    static let isRefusedWithoutPolkit: Bool = {
        guard access("/run/dbus/system_bus_socket", F_OK) != 0,
            let help = popen("PATH=$PATH:/usr/sbin pcscd --help", "r")
        else { return false }
        defer { pclose(help) }
        var text = [UInt8](repeating: 0, count: 8192)
        let count = fread(&text, 1, text.count, help)
        return String(decoding: text.prefix(count), as: UTF8.self).contains("--disable-polkit")
    }()

    @Test("a refusal by polkit is named", .enabled(if: isRefusedWithoutPolkit))
    func refusal() async throws {
        let readers = try await VirtualReaders([], asksPolkit: true)
        let program = try ReaderProgram(readers)
        let service = try await program.device(.disconnected)
        #expect(service.id == "pcsc")
        #expect(
            service.reason == "polkit refuses access to pcscd (org.debian.pcsc-lite.access_pcsc)")
    }

    static let usage: [([String], Int32, String)] = [
        (["--version"], 0, "plings-pcsc 0.1.0"),
        (
            ["--help"], 0,
            "Usage: plings-pcsc [--match GLOB]... [--departure-grace MILLISECONDS] [--list]"
        ),
        (
            ["--loud"], 2,
            "plings-pcsc: unknown option “--loud”; see plings-pcsc --help"
        ),
        (
            ["--departure-grace", "soon"], 2,
            "plings-pcsc: --departure-grace takes milliseconds from 0 to 60000, not “soon”; "
                + "see plings-pcsc --help"
        ),
    ]

    @Test("a command line is answered, or refused with a sentence", arguments: usage)
    func commandLine(arguments: [String], status: Int32, line: String) async throws {
        let process = try VirtualProcess([Repository.program("plings-pcsc")] + arguments)
        #expect(await process.waitForEnd() == status)
        let lines = status == 0 ? process.output : process.errors
        #expect(await lines.first(from: 0) { $0 == line ? true : nil } != nil)
    }
}
