import Configuration
import Platform
import Testing

@testable import Station

@Suite("Which reader programs run")
struct ReaderPlanTests {
    private let programs = ReaderPrograms(daemon: "/opt/plings/bin/plingsd", configured: nil)

    private func plans(
        _ entries: [StationConfiguration.ReaderEntry] = [],
        _ change: (inout StationConfiguration) -> Void = { _ in }
    ) -> [ReaderPlan] {
        var configuration = StationConfiguration.defaults
        configuration.readerEntries = entries
        change(&configuration)
        return ReaderPlan.plans(for: configuration, programs: programs)
    }

    private func pcsc(_ match: String, _ name: String? = nil) -> StationConfiguration.ReaderEntry {
        StationConfiguration.ReaderEntry(kind: .pcsc(match: match), name: name)
    }

    private func exec(
        _ command: [String], _ name: String? = nil
    ) -> StationConfiguration.ReaderEntry {
        StationConfiguration.ReaderEntry(kind: .exec(command: command), name: name)
    }

    @Test("without an entry one program has all PC/SC readers, under their own names")
    func noEntry() throws {
        let plans = plans()
        let plan = try #require(plans.first)
        #expect(plans.count == 1)
        #expect(plan.kind == "pcsc")
        #expect(plan.program == "plings-pcsc")
        #expect(plan.command == ["/opt/plings/bin/plings-pcsc", "--departure-grace", "300"])
        #expect(plan.name(of: "ACS ACR122U 00 00", id: "usb-1") == "ACS ACR122U 00 00")
    }

    @Test("without an entry nothing runs where that is switched off")
    func notAutomatic() {
        #expect(plans([]) { $0.readers.automatic = false } == [])
    }

    @Test("all PC/SC entries share one program, with a match for each in their order")
    func pcscEntries() throws {
        let plans = plans([pcsc("ACS*", "door"), pcsc("*"), pcsc("SCM*", "desk")]) {
            $0.readers.automatic = false
            $0.scan.departureGrace = .seconds(2)
        }
        let plan = try #require(plans.first)
        #expect(plans.count == 1)
        #expect(
            plan.command == [
                "/opt/plings/bin/plings-pcsc", "--departure-grace", "2000", "--match", "ACS*",
                "--match", "*", "--match", "SCM*",
            ])
    }

    @Test("a device is called as the first entry says that fits its name or its id")
    func names() throws {
        let plan = try #require(
            plans([pcsc("ACS ACR122U*", "door"), pcsc("usb-2"), pcsc("*", "rest")]).first)
        #expect(plan.name(of: "ACS ACR122U 00 00", id: "usb-1") == "door")
        #expect(plan.name(of: "acs acr122u 00 00", id: "usb-1") == "rest", "case counts")
        #expect(plan.name(of: "SCM", id: "usb-2") == "SCM", "the entry that fits names none")
        #expect(plan.name(of: "SCM", id: "usb-3") == "rest")
        let listed = try #require(plans([pcsc("ACS*", "door")]).first)
        #expect(listed.name(of: "SCM", id: "usb-3") == "SCM")
    }

    @Test("each other entry has a program of its own, and leaves PC/SC readers alone")
    func execEntries() {
        let plans = plans([
            exec(["/usr/bin/serial-reader", "/dev/ttyUSB0"], "gate"),
            exec(["uhf", "--power", "3"]),
        ])
        #expect(plans.map(\.kind) == ["exec", "exec"])
        #expect(plans.map(\.program) == ["gate", "uhf"])
        #expect(
            plans.map(\.command) == [
                ["/usr/bin/serial-reader", "/dev/ttyUSB0"], ["uhf", "--power", "3"],
            ])
        #expect(plans.map { $0.name(of: "Serial 1", id: "x") } == ["gate", "Serial 1"])
    }

    @Test("entries of both kinds run side by side")
    func mixed() {
        let plans = plans([exec(["/usr/bin/uhf"]), pcsc("ACS*", "door")])
        #expect(plans.map(\.program) == ["plings-pcsc", "uhf"])
    }

    // MARK: Where programs are

    @Test("programs are looked for beside the daemon, in libexec, then where configured")
    func folders() {
        let programs = ReaderPrograms(daemon: "/opt/plings/bin/plingsd", configured: "/srv/readers")
        #expect(
            programs.folders == [
                "/opt/plings/bin", "/opt/plings/bin/../libexec/plingsd", "/srv/readers",
            ])
    }

    @Test("a program is taken where it is, and named where it should be if it is nowhere")
    func path() {
        let programs = ReaderPrograms(daemon: "/nowhere/plingsd", configured: "/bin")
        #expect(programs.path(of: "sh") == "/bin/sh")
        #expect(programs.path(of: "no-such-reader") == "/nowhere/no-such-reader")
    }
}
