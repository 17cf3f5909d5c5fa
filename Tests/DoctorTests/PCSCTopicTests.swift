import Configuration
import LineProtocols
import Platform
import Scanning
import TestRig
import Testing

@testable import Doctor

@Suite("What is said of pcscd and its readers", .serialized)
struct PCSCTopicTests {
    private static let name = "ACS ACR122U PICC Interface 00 00"

    private func run(_ place: Place, _ readers: VirtualReaders) async throws -> DoctorRun {
        await DoctorRun(place, environment: readers.environment)
    }

    @Test("a reader that is ready is named; after pcscd has ended it is not running")
    func readyAndStopped() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let place = Place(readers: true)
        let ready = try await run(place, readers)
        ready.expectOK("reader-ready", "the reader \(Self.name) is ready")
        let socket = try #require(readers.environment["PCSCLITE_CSOCK_NAME"])
        try await readers.crash()
        let crashed = try await run(place, readers)
        crashed.expectProblem(
            "pcscd-nobody", "pcscd is not running: nobody listens at its socket \(socket)",
            command: "sudo systemctl restart pcscd.socket")
        try await readers.stop()
        let stopped = try await run(place, readers)
        stopped.expectProblem(
            "pcscd-not-running", "pcscd is not running: its socket \(socket) is not there",
            command: "sudo systemctl enable --now pcscd.socket")
    }

    @Test("a reader that another program has to itself is told with who it may be")
    func held() async throws {
        let readers = try await VirtualReaders(["acr122u"])
        let tags = try VirtualTags()
        try await tags.insert(readers.ports[0], #"{"kind":"ntag213","uri":"https://a.example/"}"#)
        let other = try VirtualProcess(
            ["python3", "-c", Self.holder, Self.name], environment: readers.environment)
        _ = try #require(await other.output.first(from: 0) { $0 == "held" ? true : nil })
        let run = try await run(Place(readers: true), readers)
        let found = try #require(run.findings["reader-held-by"], "\(run.text)")
        let start = "another program has the reader \(Self.name) to itself; these use pcscd now: "
        #expect(found.text.hasPrefix(start))
        #expect(found.text.contains("python3 (process \(other.pid))"))
        #expect(found.command?.split(separator: " ").contains("\(other.pid)") == true)
        #expect(found.command?.hasPrefix("sudo kill ") == true)
    }

    /// Source of the constants: pcsclite.h.
    private static let holder = """
        import ctypes, sys
        pcsc = ctypes.CDLL("libpcsclite.so.1")
        context, card, protocol = ctypes.c_long(), ctypes.c_long(), ctypes.c_ulong()
        assert not pcsc.SCardEstablishContext(2, None, None, ctypes.byref(context))
        while pcsc.SCardConnect(context, sys.argv[1].encode(), 1, 3, ctypes.byref(card),
                                ctypes.byref(protocol)): pass
        print("held", flush=True)
        sys.stdin.read()
        """

    @Test("no reader at all, and none that the configuration wants, are told apart")
    func none() async throws {
        let readers = try await VirtualReaders([])
        let empty = try await run(Place(readers: true), readers)
        empty.expectProblem("reader-none", "no reader is connected", command: "lsusb")
        try await readers.plug(VirtualReaders.freePorts(1)[0])
        let place = Place("[[reader]]\nkind = \"pcsc\"\nmatch = \"HID*\"\n")
        let other = try await run(place, readers)
        other.expectProblem(
            "reader-no-match",
            "no reader that is connected fits a `match` in the configuration "
                + place.configuration, command: "plings-pcsc --list")
    }

    @Test("a configuration without PC/SC readers is said, and pcscd is not missed")
    func unused() async throws {
        let run = await DoctorRun(Place())
        run.expectNote(
            "reader-unused", "the configuration uses no PC/SC reader, so none was looked at",
            command: nil)
        #expect(run.findings["pcscd-not-running"] == nil)
    }

    @Test("a refusal by polkit is told with the user who was refused")
    func refused() async throws {
        let place = Place(readers: true)
        let path = "\(place.folder.path)/pcscd.comm"
        let socket = try HangingUpSocket(at: path)
        let run = await DoctorRun(place, environment: ["PCSCLITE_CSOCK_NAME": path])
        socket.stop()
        let user = try #require(SystemUser(uid: Surroundings(environment: [:]).user)).name
        if SystemUser(named: "plingsd") == nil {
            run.expectProblem(
                "pcscd-refuses", "polkit does not let the user \(user) use pcscd",
                command: "sudo systemctl restart polkit pcscd")
        } else {
            #expect(run.findings.keys.contains { $0.hasPrefix("pcscd-refuses") })
        }
    }

    @Test("a pcscd that does not answer is told as such, in bounded time")
    func hanging() async throws {
        let place = Place(readers: true)
        let path = "\(place.folder.path)/pcscd.comm"
        let socket = try HangingUpSocket(at: path, .keepsSilent)
        let run = await DoctorRun(place, environment: ["PCSCLITE_CSOCK_NAME": path])
        socket.stop()
        run.expectProblem(
            "pcscd-hangs", "pcscd takes connections at \(path) and does not answer",
            command: "sudo systemctl restart pcscd")
    }

    @Test("what is installed of pcscd and polkit is seen where Debian puts it")
    func installed() throws {
        let folder = TestFolder()
        var surroundings = Surroundings(environment: ["PCSCLITE_CSOCK_NAME": "/nowhere/pcscd"])
        surroundings.root = folder.path
        surroundings.programFolders = [folder.path]
        let configuration = ConfigurationFacts(
            file: "/etc/plingsd/config.toml", content: .good(.defaults))
        func facts() -> PCSCFacts { PCSCFacts(lookingAround: surroundings, configuration) }
        let before = facts()
        #expect(!before.isInstalled && !before.asksPolkit && !before.hasRule && !before.hasSocket)
        #expect(before.socket == "/nowhere/pcscd")
        #expect(before.listing == .missing(folders: [folder.path]))
        for path in [PCSCFacts.program, PCSCFacts.policy, PCSCFacts.rule] {
            try FilePath.makeFolder(FilePath.folder(of: folder.path + path), mode: 0o755)
            folder.write(String(path.dropFirst()), "")
        }
        let after = facts()
        #expect(after.isInstalled && after.asksPolkit && after.hasRule)
        #expect(PCSCFacts.rule == "/usr/share/polkit-1/rules.d/plingsd-pcscd.rules")
    }

    // MARK: Decisions

    private func facts(_ listing: PCSCFacts.Listing) -> PCSCFacts {
        PCSCFacts(
            isInstalled: true, socket: "/run/pcscd/pcscd.comm", hasSocket: true,
            asksPolkit: true, hasRule: true, hasServiceUser: true, user: "plingsd",
            isServiceUser: true, listing: listing, configuration: "/etc/plingsd/config.toml")
    }

    private func service(_ reason: String) -> PCSCFacts.Listing {
        .devices([.init(id: "pcsc", name: "PC/SC", state: .disconnected, reason: reason)])
    }

    private func reader(_ reason: String) -> PCSCFacts.Listing {
        .devices([.init(id: "pcsc:a", name: "A", state: .degraded, reason: reason)])
    }

    @Test("pcscd that is not installed is told apart from one that does not run")
    func notInstalled() {
        var facts = facts(service(PCSCReason.notRunning))
        facts.isInstalled = false
        #expect(
            facts.findings.map(\.text) == [
                "pcscd, the service that drives USB readers, is not installed: /usr/sbin/pcscd is "
                    + "missing"
            ])
        #expect(facts.findings[0].command == "sudo apt install pcscd libccid")
    }

    @Test("a missing rule of polkit's is told as the cause of the refusal, and told once")
    func rule() {
        for listing in [service(PCSCReason.refused), reader(PCSCReason.tagsRefused)] {
            var facts = facts(listing)
            facts.hasRule = false
            #expect(
                facts.findings.map(\.text) == [
                    "polkit's rule /usr/share/polkit-1/rules.d/plingsd-pcscd.rules is missing, "
                        + "without which pcscd refuses the user plingsd"
                ])
            facts.asksPolkit = false
            #expect(!facts.findings.contains { $0.check == "pcscd-rule-missing" })
        }
    }

    @Test("a refusal of somebody else says nothing about the station")
    func refusesYou() {
        var facts = facts(service(PCSCReason.refused))
        (facts.user, facts.isServiceUser) = ("anna", false)
        #expect(
            facts.findings.map(\.text) == [
                "pcscd refuses the user anna; whether it serves the station only root can find out"
            ])
        #expect(facts.findings[0].state == .note)
    }

    @Test("the reasons of readers become sentences that name the reader")
    func readers() {
        #expect(
            facts(reader(PCSCReason.hungUp)).findings.map(\.text) == [
                "pcscd does not let the user plingsd use the tags on the reader A: polkit refuses "
                    + "org.debian.pcsc-lite.access_card"
            ])
        #expect(
            facts(reader(PCSCReason.held)).findings.map(\.text) == [
                "another program has the reader A to itself; pcscd does not say which"
            ])
        #expect(
            facts(reader(PCSCReason.driver)).findings.map(\.text) == [
                "the reader A does not work: the reader's driver reports an error"
            ])
    }

    @Test("a reader program that is missing or dies is told with its path")
    func program() {
        #expect(
            facts(.missing(folders: ["/usr/bin", "/b"])).findings.map(\.text) == [
                "the reader program plings-pcsc is not installed: it is not in /usr/bin or /b"
            ])
        #expect(
            facts(.failed(path: "/usr/bin/plings-pcsc", reason: "signal 11")).findings.map(\.text)
                == ["the reader program /usr/bin/plings-pcsc could not be run: signal 11"])
    }
}
