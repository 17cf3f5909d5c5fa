import Configuration
import Glibc
import Platform
import TestRig
import Testing

@testable import Doctor

@Suite("What is said of plingsd", .serialized)
struct StationTopicTests {
    @Test("one that runs is found by its configured socket, with its version")
    func answers() async throws {
        let place = Place()
        let station = StationProcess(in: place.folder)
        let run = await DoctorRun(place)
        run.expectOK("station-answers", "plingsd 0.1.0 answers at \(place.socket)")
        #expect(run.ending == .exit(0), "\(run.text)")
        let other = await DoctorRun(Place(), environment: ["PLINGSD_SOCKET": station.socket])
        other.expectOK("station-answers", "plingsd 0.1.0 answers at \(station.socket)")
        #expect(run.findings["station-other-configuration"] == nil)
        let note = other.findings["station-other-configuration"]?.text ?? ""
        #expect(
            note.hasSuffix(": its store is another; look at the one that it uses with --config"))
        station.stop()
    }

    @Test("without a socket it is not running; with the socket of one that was killed neither")
    func notRunning() async throws {
        let place = Place()
        let sentence = "plingsd is not running: nobody listens at \(place.socket)"
        let first = await DoctorRun(place)
        first.expectProblem(
            "station-not-running", sentence, command: "sudo systemctl start plingsd")
        StationProcess(in: place.folder).program.kill()
        place.configure("")
        #expect(FilePath.exists(place.socket))
        let second = await DoctorRun(place)
        second.expectProblem(
            "station-not-running", sentence, command: "sudo systemctl start plingsd")
    }

    @Test("one that hangs is told as such")
    func silent() async throws {
        let place = Place()
        let station = StationProcess(in: place.folder)
        station.program.signal(SIGSTOP)
        let run = await DoctorRun(place)
        run.expectProblem(
            "station-silent",
            "what listens at \(place.socket) does not answer: plingsd hangs",
            command: "sudo systemctl restart plingsd")
        station.program.signal(SIGCONT)
    }

    @Test("another program at its socket is not taken for it")
    func stranger() async throws {
        let place = Place()
        let other = try HangingUpSocket(at: place.socket)
        let run = await DoctorRun(place)
        other.stop()
        run.expectProblem(
            "station-unusable",
            "plingsd can't be asked: plingsd closed the connection at \(place.socket)",
            command: "sudo systemctl status plingsd")
    }

    @Test("a service that was not started is told with the command that starts it")
    func notStarted() async throws {
        let place = Place()
        try place.service(["LoadState=loaded", "ActiveState=inactive", "SubState=dead"])
        let run = await DoctorRun(place)
        run.expectProblem(
            "station-not-started",
            "plingsd is not running: the service plingsd.service was not started",
            command: "sudo systemctl enable --now plingsd")
    }

    @Test("a service that failed is told with its exit status and its last words")
    func failed() async throws {
        let place = Place()
        try place.service(
            [
                "LoadState=loaded", "ActiveState=failed", "SubState=failed", "Result=exit-code",
                "ExecMainStatus=1",
            ], lastWords: "the store is in use by process 7")
        let run = await DoctorRun(place)
        run.expectProblem(
            "station-failed",
            "plingsd is not running: plingsd.service has failed (exit status 1): it said “the "
                + "store is in use by process 7”", command: "journalctl -u plingsd -e")
    }

    @Test("a service that stopped over its configuration says which file to check")
    func badConfiguration() async throws {
        let place = Place()
        try place.service(
            [
                "LoadState=loaded", "ActiveState=failed", "SubState=failed", "Result=exit-code",
                "ExecMainStatus=2",
            ], lastWords: "config.toml:3:1: no such key")
        let run = await DoctorRun(place)
        run.expectProblem(
            "station-bad-configuration",
            "plingsd is not running: its configuration or a group in it is wrong (exit status 2): "
                + "it said “config.toml:3:1: no such key”",
            command: "sudo plingsd --check-config \(place.configuration)")
    }

    @Test("a service that is started again and again is told with what ended it")
    func restarting() async throws {
        let place = Place()
        try place.service([
            "LoadState=loaded", "ActiveState=activating", "SubState=auto-restart",
            "Result=core-dump", "ExecMainStatus=0",
        ])
        let run = await DoctorRun(place)
        run.expectProblem(
            "station-restarting",
            "plingsd can't be started and is tried again and again (core-dump)",
            command: "journalctl -u plingsd -e")
    }

    @Test("a reader of its own program that has failed is told with its reason")
    func reader() async throws {
        let folder = TestFolder()
        let entry = """
            [readers]
            automatic = false
            [[reader]]
            kind = "exec"
            name = "till"
            command = ["/nonexistent/reader"]
            """
        let station = StationProcess(in: folder, entry)
        let client = try ProtocolClient(path: station.socket)
        let isTold = Poll.until {
            (try? client.call("status")["readers"]?[0]?["reason"]) != nil
        }
        #expect(isTold)
        let run = await DoctorRun(Place(), ["--socket", station.socket])
        let found = try #require(run.findings["station-reader"], "\(run.text)")
        #expect(found.text.hasPrefix("the reader till is disconnected: "), "\(found.text)")
        #expect(found.state == "problem" && found.command == "journalctl -u plingsd -e")
    }

    // MARK: Decisions

    private static let file = StationLook.SocketFile(
        owner: "plingsd", group: "plings", groupID: 900, mode: 0o660)

    private func facts(
        _ look: StationLook, groups: Set<UInt32> = [1000], session: Set<UInt32> = [1000],
        program: String? = "/usr/bin/plingsd", services: String = ""
    ) -> StationFacts {
        StationFacts(
            look: look, services: Services(show: services), program: program,
            folders: ["/usr/bin", "/usr/libexec/plingsd"],
            configuration: "/etc/plingsd/config.toml",
            asker: SystemUser(name: "anna", uid: 1000, gid: 1000, groups: groups),
            sessionGroups: session)
    }

    @Test("who is no member of the socket's group is told how to become one")
    func notMember() {
        let finding = facts(.denied(socket: "/run/s", Self.file)).findings[0]
        #expect(finding.check == "station-not-member")
        #expect(
            finding.text == "anna may not connect to /run/s: it is for members of the group "
                + "plings, which anna is not; after the command, log in again")
        #expect(finding.command == "sudo adduser anna plings")
    }

    @Test("who became a member after logging in is told to log in again")
    func oldSession() {
        let finding = facts(.denied(socket: "/run/s", Self.file), groups: [1000, 900]).findings[0]
        #expect(finding.check == "station-old-session")
        #expect(
            finding.text == "anna became a member of the group plings after logging in, so /run/s "
                + "is still closed: log out and in again")
        #expect(finding.command == "newgrp plings")
    }

    @Test("nobody is told to join root's group, nor where the folder itself is closed")
    func ownerOnly() {
        let root = StationLook.SocketFile(owner: "root", group: "root", groupID: 0, mode: 0o660)
        let owner = facts(.denied(socket: "/run/s", root)).findings[0]
        #expect(owner.text == "only root may connect to /run/s: run as root to look at it")
        #expect(owner.state == .note)
        let closed = StationLook.SocketFile(
            owner: "plingsd", group: "plings", groupID: 900, mode: 0o600)
        #expect(
            facts(.denied(socket: "/run/s", closed)).findings[0].text
                == "only plingsd and root may connect to /run/s: run as root to look at it")
        let folder = facts(.denied(socket: "/run/s", nil)).findings[0]
        #expect(
            folder.text == "the folder of /run/s is closed to anna: run as root to look at it")
    }

    @Test("a program that is not there is told with where it was looked for")
    func notInstalled() {
        let finding = facts(.noSocket(paths: ["/run/s"]), program: nil).findings[0]
        #expect(
            finding.text == "the program plingsd is not installed: it is not in /usr/bin or "
                + "/usr/libexec/plingsd")
        #expect(finding.check == "station-not-installed")
    }

    @Test("a service that runs without its socket is told apart from one that does not run")
    func elsewhere() {
        let shown = "Id=plingsd.service\nLoadState=loaded\nActiveState=active\nSubState=running\n"
        let finding = facts(.noSocket(paths: ["/run/s"]), services: shown).findings[0]
        #expect(
            finding.text == "plingsd.service is running, but its socket /run/s is not there: it "
                + "listens elsewhere or is only starting")
    }

    @Test("what the station says of itself is told: another version, attention, its token")
    func report() {
        var report = StationReport()
        report.version = "9.9.9"
        report.outbox = .init(attention: 1)
        report.api = .init(
            state: "unauthorised", reason: "the API refuses the token", endpoint: nil)
        let findings = facts(.answers(report, socket: "/run/s")).findings
        #expect(
            findings.map(\.text) == [
                "plingsd 9.9.9 answers at /run/s",
                "plingsd is version 9.9.9 and this plingsctl 0.1.0: one of them was not restarted "
                    + "after an update",
                "1 delivery needs attention: refused by the API, or failed again and again",
                "plingsd has no token that the API takes (the API refuses the token), so nothing "
                    + "is delivered",
            ])
        report.outbox = .init(attention: 2)
        #expect(
            facts(.answers(report, socket: "/run/s")).findings[2].text
                == "2 deliveries need attention: refused by the API, or failed again and again")
    }

    private static let others: [(endpoint: String?, id: String, what: String?)] = [
        ("https://a.example/", "door", nil), ("https://b.example/", "door", "its API"),
        (nil, "door", "its API"), ("https://a.example/", "gate", "its id"),
    ]

    @Test("a station with another configuration than the one looked at is told", arguments: others)
    func otherConfiguration(_ row: (endpoint: String?, id: String, what: String?)) throws {
        var report = StationReport()
        report.station = row.id
        report.api = .init(state: "online", reason: nil, endpoint: row.endpoint)
        var facts = facts(.answers(report, socket: "/run/s"))
        facts.configured = try StationConfiguration.parse(
            "[station]\nid = \"door\"\n[api]\nendpoint = \"https://a.example/\"\n", file: "c")
        let told = facts.findings.filter { $0.check == "station-other-configuration" }.map(\.text)
        let sentence = row.what.map { what in
            "plingsd at /run/s uses another configuration than /etc/plingsd/config.toml: \(what) is "
                + "another; look at the one that it uses with --config"
        }
        #expect(told == [sentence].compactMap { $0 })
    }

    @Test("a station of another version, which says other things, is read as far as it goes")
    func otherReply() throws {
        let text = #"{"version":"2.0","readers":[{"name":"a"}],"new":{"x":[1]}}"#
        let report = try StationReport(Array(text.utf8))
        #expect(report.version == "2.0" && report.outbox == nil)
        #expect(facts(.answers(report, socket: "/run/s")).findings.count == 2)
    }
}
